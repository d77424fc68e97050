"""The tracer, on which the tests of pictures rely, sees what is drawn and refuses what is not."""

from __future__ import annotations

import pytest
from picture_tracer import Picture, UnreadableError

CROSSING = """\
╔═══╗  ╔═══╗
║ a ║  ║ b ║
╚═╤═╝  ╚═╤═╝
  └────│─┼──┐
       │ │  │
"""

TWO = """\
╔═══╗  ╔═══╗
║ a ║  ║ b ║
╚═╤═╝  ╚═╤═╝
  │  ┌───┘
  └──│───┐
  ┌──┘   │
  ▼      ▼
┌───┐  ┌───┐
│ c │  │ d │
└───┘  └───┘"""

AGENTS = ["a", "b", "c", "d"]


def test_lines_that_cross_are_followed_straight_on():
    assert sorted(Picture(TWO, AGENTS).flows()) == [("a", "d", "message"), ("b", "c", "message")]


def test_lines_that_join_lead_everywhere():
    joined = TWO.replace("└──│───┐", "└──┼───┐")
    assert len(Picture(joined, AGENTS).flows()) == 4


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("│  ┌───┘", "│  ┌── ┘"),  # a gap
        ("  ▼      ▼", "  ▼       "),  # no arrowhead
        ("  ▼      ▼", "  ▼      ▽"),  # an arrowhead of the other kind
        ("╚═╤═╝  ╚═╤═╝", "╚═══╝  ╚═╤═╝"),  # a line that leaves no box
        ("│ c │  │ d │", "│ c │  │ d  "),  # a border with a hole
        ("│ c │  │ d │", "│ c │  │ c │"),  # a box twice
        ("┌───┐  ┌───┐", "┌───┐  ┌─── "),  # a corner missing
    ],
)
def test_a_picture_with_a_mistake_is_refused(right, wrong):
    assert right in TWO
    with pytest.raises(UnreadableError):
        Picture(TWO.replace(right, wrong), AGENTS).flows()
