"""A sheet of terminal cells on which boxes and lines are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agency_cli.graph.text.cells import clusters

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8


class Glyphs(NamedTuple):
    """The characters of one way to draw; lines are indexed by the arms of a cell.

    Attributes:
        lines: For each kind of flow, a character for each of the 16 sets of arms.
        heads: For each kind of flow, the arrowheads that point up, right and down.
        border: Corners (upper left, upper right, lower left, lower right), horizontal and
            vertical line, and where a line leaves at the top, at the bottom and at the right.
        entry_border: The same for an entry agent.
    """

    lines: dict[str, str]
    heads: dict[str, str]
    border: str
    entry_border: str
    ellipsis: str

    @property
    def signs(self) -> str:
        """Every character that may be drawn."""
        drawn = (*self.lines.values(), *self.heads.values())
        return "".join((*drawn, self.border, self.entry_border, self.ellipsis))


UNICODE = Glyphs(
    lines={"message": " ╵╶└╷│┌├╴┘─┴┐┤┬┼", "handoff": " ╎╌╰╎╎╭├╌╯╌┴╮┤┬┼"},
    heads={"message": "▲▶▼", "handoff": "△▷▽"},
    border="┌┐└┘─│┴┬├",
    entry_border="╔╗╚╝═║╧╤╟",
    ellipsis="…",
)
ASCII = Glyphs(
    lines={"message": " |-+||++-+-++++++", "handoff": " :.+::++.+.++++++"},
    heads={"message": "^>v", "handoff": "A>V"},
    border="++++-|+++",
    entry_border="####=#+++",
    ellipsis="..",
)


class Canvas:
    """Cells by row and column; a cell holds a character, or the arms of one or two lines."""

    def __init__(self, glyphs: Glyphs) -> None:
        self.glyphs = glyphs
        self._text: dict[tuple[int, int], str] = {}
        self._arms: dict[tuple[int, int], dict[tuple[int, str], int]] = {}

    @property
    def crossings(self) -> int:
        """How many times two lines cross."""
        return sum(len(lines) > 1 for lines in self._arms.values())

    def write(self, row: int, column: int, text: str) -> None:
        for sign, width in clusters(text):
            self._text[row, column] = sign
            if width > 1:
                self._text[row, column + 1] = ""
            column += width

    def down(self, net: int, kind: str, column: int, first: int, last: int) -> None:
        """Draw a line from the row `first` down to the row `last`, as far as their middles."""
        for row in range(first, last + 1):
            arms = (NORTH if row > first else 0) | (SOUTH if row < last else 0)
            self._add(net, kind, row, column, arms)

    def across(self, net: int, kind: str, row: int, first: int, last: int) -> None:
        """Draw a line from the column `first` to the column `last`, as far as their middles."""
        for column in range(first, last + 1):
            arms = (WEST if column > first else 0) | (EAST if column < last else 0)
            self._add(net, kind, row, column, arms)

    def _add(self, net: int, kind: str, row: int, column: int, arms: int) -> None:
        lines = self._arms.setdefault((row, column), {})
        lines[net, kind] = lines.get((net, kind), 0) | arms

    def lines(self) -> list[str]:
        """Return the drawing, without trailing spaces."""
        cells = self._arms.keys() | self._text.keys()
        ends: dict[int, int] = {}
        for row, column in cells:
            ends[row] = max(ends.get(row, 0), column)
        return [
            "".join(self._sign(row, column) for column in range(ends.get(row, -1) + 1)).rstrip()
            for row in range(max(ends, default=-1) + 1)
        ]

    def _sign(self, row: int, column: int) -> str:
        text = self._text.get((row, column))
        if text is not None:
            return text
        lines = self._arms.get((row, column))
        if not lines:
            return " "
        # Where two lines cross, the one that runs down passes over the one that runs across.
        (_, kind), arms = min(lines.items(), key=lambda line: line[1] & (EAST | WEST))
        return self.glyphs.lines[kind][arms]


def draw_box(
    canvas: Canvas, text: Sequence[str], *, top: int, left: int, width: int, entry: bool
) -> None:
    """Draw a border of the given width around lines of text that fit into it."""
    edge = canvas.glyphs.entry_border if entry else canvas.glyphs.border
    canvas.write(top, left, edge[0] + edge[4] * (width - 2) + edge[1])
    for row, line in enumerate(text, start=top + 1):
        canvas.write(row, left, edge[5])
        canvas.write(row, left + 1, line)
        canvas.write(row, left + width - 1, edge[5])
    canvas.write(top + len(text) + 1, left, edge[2] + edge[4] * (width - 2) + edge[3])
