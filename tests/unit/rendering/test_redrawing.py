"""How far back a frame begins, whatever became of its terminal's size since it was drawn."""

from __future__ import annotations

import re

import pytest
from terminals import Pipe, Terminal, environ

from agency_cli.calltree import CallTree
from agency_cli.rendering.redrawing import Place, breaks_lines
from agency_cli.rendering.watching import make_watcher


def up(codes):
    """Return how many rows the cursor goes up before all below it is erased."""
    found = re.fullmatch(r"\r\x1b\[(\d+)A\x1b\[K\x1b\[C\x1b\[J\r", codes)
    assert found is not None, repr(codes)
    return int(found[1])


def drawn(widths, *, width=100, height=30, breaks=True):
    place = Place(breaks)
    assert place.erased(width, height) == "", "there is no frame yet"
    place.drawn(widths)
    return place


@pytest.mark.parametrize(
    ("width", "rows"), [(120, 3), (100, 3), (99, 4), (50, 4), (49, 5), (39, 6), (25, 7), (1, 141)]
)
def test_a_frame_takes_the_rows_into_which_its_lines_are_broken(width, rows):
    assert up(drawn([100, 40, 0]).erased(width, 200)) == rows


def test_where_a_terminal_does_not_break_lines_a_frame_takes_its_lines():
    assert up(drawn([100, 40, 0], breaks=False).erased(10, 30)) == 3


def test_what_went_out_of_sight_is_erased_once_when_it_comes_back():
    place = drawn([10] * 12)
    assert up(place.erased(100, 8)) == 12, "five rows of it are out of sight now"
    place.drawn([10] * 7)
    assert up(place.erased(100, 11)) == 7 + 3
    place.drawn([10] * 10)
    assert up(place.erased(100, 30)) == 10 + 2
    place.drawn([10] * 12)
    assert up(place.erased(100, 40)) == 12, "nothing is out of sight any more"


def test_what_was_printed_above_the_frame_is_not_taken_for_a_part_of_it():
    place = drawn([10] * 12)
    place.erased(100, 8)
    place.is_printed_above()
    place.drawn([10] * 7)
    assert up(place.erased(100, 30)) == 7


@pytest.mark.parametrize(
    ("given", "breaks"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "tmux-256color", "TMUX": "socket,1,0", "XTERM_VERSION": "XTerm(390)"}, True),
        ({"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(390)"}, False),
        ({"TERM": "screen", "STY": "1.pts"}, False),
        ({"TERM": "linux"}, False),
    ],
)
def test_terminals_that_do_not_break_lines_anew_are_known(given, breaks):
    assert breaks_lines(given) is breaks


def test_what_is_printed_meanwhile_comes_above_the_frame():
    terminal = Terminal()
    watcher = make_watcher(
        "tree", tree=CallTree(), stderr=terminal, stdout=Pipe(), environ=environ()
    )
    with watcher:
        watcher._live.refresh()
        watcher._console.print("a tool says hello")
    before, _, after = terminal.getvalue().partition("a tool says hello")
    assert before.endswith("\x1b[K\x1b[C\x1b[J\r"), "the frame was taken away first"
    assert "starting" in after
    assert terminal.getvalue().endswith("\x1b[J\r"), "and the last one at the end"
