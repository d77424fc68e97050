"""The table under the picture: what the numbers on lines stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agency_cli.graph.diagram import Arrow, Diagram
from agency_cli.graph.inscription import arrow_texts
from agency_cli.graph.svg.lines import sort_of
from agency_cli.graph.svg.markup import element, text_at, width_of
from agency_cli.graph.svg.picture import badge
from agency_cli.graph.svg.tones import tone_of

ROW = 20.0
"""Pixels of a row."""
TEXT = 12.0
_FIRST, _GAP = 26.0, 16.0
_BOLD = 1.12
"""How much wider bold letters are."""


class Cell(NamedTuple):
    """A text of the table; `look` is its class."""

    text: str
    look: str

    @property
    def width(self) -> float:
        return width_of(self.text, TEXT) * (_BOLD if self.look == "strong" else 1)


def numbers_of(diagram: Diagram) -> dict[str, int]:
    """Return the number of each sort of lines that the table tells of."""
    numbers: dict[str, int] = {}
    for position, arrow in enumerate(diagram.arrows):
        if _is_told(arrow):
            numbers.setdefault(sort_of(arrow, position), len(numbers) + 1)
    return numbers


def table_of(diagram: Diagram) -> tuple[list[str], float, float]:
    """Return the rows of the table, and the width and height that they take."""
    told: dict[str, Arrow] = {}
    for position, arrow in enumerate(diagram.arrows):
        if _is_told(arrow):
            told.setdefault(sort_of(arrow, position), arrow)
    rows = [list(_cells(arrow)) for arrow in told.values()]
    names = max((row[0].width for row in rows), default=0)
    elements, width = [], 0.0
    for number, (arrow, row) in enumerate(zip(told.values(), rows, strict=True)):
        drawn, right = _row(row, names)
        sign = badge((8, 10), number + 1, tone_of(arrow))
        place = f"translate(0 {number * ROW:.0f})"
        elements.append(element("g", sign, *drawn, transform=place))
        width = max(width, right)
    return elements, width, len(rows) * ROW


def _row(cells: Sequence[Cell], names: float) -> tuple[list[str], float]:
    """Return the texts of a row, the second of them behind the widest first, and its width."""
    elements, left = [], _FIRST
    for number, cell in enumerate(cells):
        elements.append(text_at(cell.text, left, 14, size=TEXT, class_=cell.look))
        left += (names if number == 0 else cell.width) + _GAP
    return elements, left - _GAP


def _cells(arrow: Arrow) -> Iterator[Cell]:
    if arrow.load is not None or arrow.change is not None:
        yield Cell(f"{arrow.sender} → {arrow.recipient}", "strong")
    else:
        yield Cell(arrow.terms, "strong")
        return
    if arrow.change is not None:
        yield Cell(arrow.change, f"f-{tone_of(arrow)}")
    look = "f-failed" if arrow.load is not None and arrow.load.failures else "soft"
    for text in arrow_texts(arrow):
        yield Cell(text, look)


def _is_told(arrow: Arrow) -> bool:
    own_terms = arrow.kind == "message" and arrow.terms != ""
    return own_terms or arrow.load is not None or arrow.change is not None
