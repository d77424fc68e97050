"""Lines of Rich text that keep within a width, whatever the text in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells
from rich.text import Text

from agency_cli.rendering.glyphs import UNICODE, Glyphs
from agency_cli.rendering.printable import encodable

GAP = 2
"""Cells between columns."""

_LEAST_ROOM = 8


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is drawn on: so many cells wide, with these signs, in this encoding."""

    width: int
    glyphs: Glyphs = UNICODE
    encoding: str = "utf-8"

    def text(self, text: str, style: str = "") -> Text:
        """Return text in which nothing is markup, and that the encoding can write."""
        drawn = text.replace(UNICODE.ellipsis, self.glyphs.ellipsis)
        return Text(encodable(drawn, self.encoding), style, no_wrap=True)

    def line(self, left: Text, right: str = "", style: str = "dim") -> Text:
        """Return a line of at most this width, with `right` in a style at its right edge."""
        room = self.width - (cell_len(right) + GAP if right else 0)
        line = left.copy()
        line.no_wrap = True
        self._cut(line, max(room, 0))
        if right:
            line.pad_right(max(room - line.cell_len, 0))
            line.append(" " * GAP + right, style)
            self._cut(line, self.width)
        return line

    def cell(self, text: str, width: int, *, left: bool = False) -> str:
        """Return a text as a cell of exactly `width`."""
        cell = self.text(text)
        self._cut(cell, width)
        blank = " " * (width - cell.cell_len)
        return cell.plain + blank if left else blank + cell.plain

    def wrapped(self, guide: str, text: str, style: str) -> Iterator[Text]:
        """Yield a line of text as lines broken between words, each with `guide` before it."""
        room = max(self.width - cell_len(guide), _LEAST_ROOM)
        for piece in broken(text, room):
            yield self.line(Text().append(guide, "dim").append_text(self.text(piece, style)))

    def _cut(self, text: Text, width: int) -> None:
        if self.glyphs is UNICODE and text.cell_len > width > 0:
            text.truncate(width, overflow="ellipsis")
        else:
            text.truncate(width, overflow="crop")


def broken(text: str, width: int) -> list[str]:
    """Return one line as lines of at most `width` cells, broken between words if possible."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.extend(chop_cells(word, width) if cell_len(word) > width else [word])
    return lines
