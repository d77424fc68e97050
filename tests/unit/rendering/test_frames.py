"""Frames of the live tree, and the whole tree at the end."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replays import HOSTILE, REPLAYS, at, failing, hostile, long_run, three_levels
from terminals import drawn, widest

from agency_cli.rendering.frames import Moment, final_lines, frame_lines
from agency_cli.rendering.glyphs import ASCII, UNICODE
from agency_cli.rendering.outline import outline_of
from agency_cli.rendering.sheets import Sheet

NAMES = sorted(REPLAYS)


def moment(recording, second=1e9, *, notices=(), verbose=False):
    tree = recording.until(second)
    return Moment(
        agency=tree.started.agency if tree.started else "",
        run_id="3f2a91c07b1e",
        status=tree.ended.status if tree.ended else "running",
        root=outline_of(tree, at(second if second < 1e9 else 0), verbose=verbose),
        totals=tree.totals,
        notices=notices,
    )


def frame(recording, second, *, width=80, height=23, glyphs=UNICODE, **options):
    sheet = Sheet(width, glyphs)
    lines = frame_lines(moment(recording, second, **options), sheet, height=height, tick=3)
    return drawn(lines, width=width)


def final(recording, *, width=80, verbose=False):
    lines = final_lines(moment(recording, verbose=verbose), Sheet(width), verbose=verbose)
    return drawn(list(lines), width=width)


@given(
    name=st.sampled_from(NAMES),
    second=st.floats(-1, 20),
    width=st.integers(1, 130),
    height=st.integers(1, 60),
    notices=st.lists(st.text(), max_size=4),
    glyphs=st.sampled_from([UNICODE, ASCII]),
)
def test_a_frame_never_exceeds_the_terminal(name, second, width, height, notices, glyphs):
    lines = frame(
        REPLAYS[name](), second, width=width, height=height, notices=notices, glyphs=glyphs
    )
    assert len(lines) <= height
    assert widest(lines) <= width


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [20, 60, 80, 120])
@pytest.mark.parametrize("verbose", [False, True])
def test_the_final_tree_never_exceeds_the_width(name, width, verbose):
    assert widest(final(REPLAYS[name](), width=width, verbose=verbose)) <= width


def test_parallel_branches_show_what_each_is_writing():
    lines = frame(three_levels(), 2.2)
    ends = [line.strip("│└├─ ") for line in lines]
    assert sum(line.startswith("I looked") for line in ends) == 2
    assert sum("developer" in line or "assistant" in line for line in lines) == 2


def test_a_frame_tells_agent_model_turns_tokens_money_and_seconds():
    lines = frame(three_levels(), 3.5)
    heading, root, developer = lines[:3]
    assert heading.split() == [
        *("dev_shop", "·", "run", "3f2a91c07b1e"),
        *("model", "turns", "tokens", "cost", "time"),
    ]
    assert root.split()[-5:] == ["gpt-5.6", "2", "2,888", "$0.0154", "3.5s"]
    assert "developer" in developer
    assert developer.split()[-5:] == ["gpt-5-mini", "1", "1,444", "$0.0031", "1.9s"]
    assert lines[-1].startswith("4 running · 2 turns · 2,888 tokens · $0.0154 · 3.5s")


def test_where_there_is_no_room_for_columns_the_least_needed_go_and_the_model_moves():
    heading, root, *_ = frame(three_levels(), 3.5, width=60)
    assert heading.split()[-4:] == ["turns", "tokens", "cost", "time"]
    assert "ceo gpt-5.6" in root


def test_a_long_tree_folds_what_is_finished_and_keeps_what_runs():
    lines = frame(long_run(), 15.5, height=14)
    assert len(lines) == 14
    text = "\n".join(lines)
    for name in ("ceo", "analyst", "writer", "reviewer"):
        assert name in text
    assert re.search(r"├─ … \d+ more", text)
    assert "developer +3" in text


def test_nothing_is_left_out_where_there_is_room_for_all():
    lines = frame(long_run(), 15.5, height=80)
    assert "more" not in "\n".join(lines)
    assert sum("write_file" in line for line in lines) == 36


def test_the_final_tree_tells_each_error_in_full_below_its_line():
    lines = final(failing())
    text = " ".join(" ".join(line.strip("│├└─ ") for line in lines).split())
    assert "which is all that this tool may write to" in text
    assert text.count("connection refused") == 1
    assert "dev_shop · failed" in lines[0]


def test_the_final_tree_has_no_streamed_text_and_no_spinner():
    text = "\n".join(final(three_levels()))
    assert "I looked at what" not in text.replace("Write the backend. I looked", "")
    assert not set(text) & set(UNICODE.spinner)


def test_verbose_tells_what_was_given_and_given_back_in_full():
    text = "\n".join(final(three_levels(), width=120, verbose=True))
    assert "model call" in text
    assert "The API needs **three** resources" in text
    assert "< written" in text


def test_foreign_text_is_neither_markup_nor_steers_the_terminal():
    for lines in (final(hostile(), width=130, verbose=True), frame(hostile(), 2.0, width=130)):
        text = "\n".join(lines)
        assert "[bold red]markup[/] [/nothing] :smile:" in text
        assert "\\x1b[31mred" in text
        # Rich itself writes escapes only, and those are taken off.
        assert not any(ord(sign) < 32 for sign in text.replace("\n", ""))
    assert "\x1b" in HOSTILE


def test_an_ascii_terminal_gets_ascii_lines():
    lines = frame(long_run(), 15.5, height=14, glyphs=ASCII)
    assert "\n".join(lines).isascii()


def test_a_free_model_costs_nothing_and_an_unknown_price_is_not_free():
    text = "\n".join(final(failing()))
    assert "? $" in text
    assert "≥ $0.0123" in text
