"""The whole SVG: title, the pictures of all parts, the table of what lines stand for, legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agency_cli.graph.diagram import Arrow, Box, Diagram, View
from agency_cli.graph.plain import encodable
from agency_cli.graph.svg.lines import laid_out
from agency_cli.graph.svg.listing import listed
from agency_cli.graph.svg.markup import element, escaped, text_at, width_of
from agency_cli.graph.svg.picture import Numbers, Picture
from agency_cli.graph.svg.table import ROW, TEXT, numbers_of, table_of
from agency_cli.graph.svg.theme import stylesheet
from agency_cli.graph.text.layers import parts_of

_MARGIN, _BETWEEN = 28.0, 40.0
_LEAST = 260.0
_MOST = 1240.0
_TITLE = 16.0
_THICKET = 40
"""Crossings from which on lines are no help."""


class _Block(NamedTuple):
    """Something drawn from its own zero on, and the room that it takes."""

    elements: Sequence[str]
    width: float
    height: float


def draw_svg(diagram: Diagram, view: View) -> str:
    """Return one document that needs no other; colours follow the reader's light or dark theme."""
    blocks = [_heading(diagram), *_shelves(list(_parts(diagram, view)))]
    table = _Block(*table_of(diagram))
    if table.elements:
        blocks.append(table)
    if legend := _legend(diagram):
        blocks.append(legend)
    width = max(_LEAST, *(block.width for block in blocks)) + 2 * _MARGIN
    body, top = [], _MARGIN
    for block in blocks:
        body.append(_moved(block, _MARGIN, top))
        top += block.height + 26
    height = top - 26 + _MARGIN
    text = element(
        "svg",
        element("title", escaped(f"The agents of {diagram.name}, and the flows between them")),
        element("style", stylesheet()),
        element("rect", width=width, height=height, class_="page"),
        *body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width),
        height=round(height),
        role="img",
    )
    return text if encodable(text, view.encoding) else _in_ascii(text)


def _in_ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _heading(diagram: Diagram) -> _Block:
    lines = [text_at(diagram.name, 0, 14, size=_TITLE, class_="strong")]
    width, height = width_of(diagram.name, _TITLE), 20.0
    if diagram.subtitle:
        lines.append(text_at(diagram.subtitle, 0, 34, size=TEXT, class_="soft"))
        width, height = max(width, width_of(diagram.subtitle, TEXT)), 40.0
    return _Block(lines, width, height)


def _parts(diagram: Diagram, view: View) -> Iterator[_Block]:
    """Yield the parts that no flow connects: those with flows first, then lone agents."""
    pairs = [(arrow.sender, arrow.recipient) for arrow in diagram.arrows]
    parts = parts_of([box.agent for box in diagram.boxes], pairs)
    most = max((arrow.load.calls for arrow in diagram.arrows if arrow.load), default=0)
    numbers = numbers_of(diagram)
    for part in sorted(parts, key=lambda part: len(part) == 1):
        members = set(part)
        boxes = [box for box in diagram.boxes if box.agent in members]
        arrows = [arrow for arrow in diagram.arrows if arrow.sender in members]
        yield _part(boxes, arrows, view, numbers, most)


def _part(
    boxes: Sequence[Box], arrows: Sequence[Arrow], view: View, numbers: Numbers, most: int
) -> _Block:
    drawn = laid_out(boxes, arrows, view)
    if drawn is None or drawn.crossings > _THICKET:
        return _Block(*listed(boxes, arrows, view, numbers))
    picture = Picture(drawn, {box.agent: box for box in boxes}, numbers, most)
    return _Block(picture.elements(), *picture.size())


def _shelves(parts: Sequence[_Block]) -> Iterator[_Block]:
    """Yield the parts, as many side by side as there is room for."""
    shelf: list[_Block] = []
    for part in parts:
        if shelf and sum(b.width + _BETWEEN for b in shelf) + part.width > _MOST:
            yield _beside(shelf)
            shelf = []
        shelf.append(part)
    if shelf:
        yield _beside(shelf)


def _beside(blocks: Sequence[_Block]) -> _Block:
    elements, left = [], 0.0
    for block in blocks:
        elements.append(_moved(block, left, 0))
        left += block.width + _BETWEEN
    return _Block(elements, left - _BETWEEN, max(block.height for block in blocks))


def _moved(block: _Block, left: float, top: float) -> str:
    return element("g", *block.elements, transform=f"translate({left:.1f} {top:.1f})")


def _legend(diagram: Diagram) -> _Block | None:
    """Return what kinds of lines mean, where there are handoffs."""
    kinds = {arrow.kind for arrow in diagram.arrows}
    if "handoff" not in kinds:
        return None
    elements, left = [], 0.0
    meanings = {
        "message": "message: asks, and gets the answer",
        "handoff": "handoff: gives the conversation away",
    }
    for kind, meaning in meanings.items():
        if kind in kinds:
            tone, dashed = ("handoff", " dashed") if kind == "handoff" else ("line", "")
            elements.append(
                element(
                    "path",
                    d=f"M{left:.0f} 10 L{left + 26:.0f} 10",
                    class_=f"flow s-{tone}{dashed}",
                    stroke_width=1.5,
                )
            )
            look = f"open s-{tone}" if kind == "handoff" else f"f-{tone}"
            tip = f"M{left + 35:.0f} 10 l-9 -5 l0 10 Z"
            elements.append(element("path", d=tip, class_=look))
            elements.append(text_at(meaning, left + 44, 14, size=TEXT, class_="soft"))
            left += 44 + width_of(meaning, TEXT) + 24
    return _Block(elements, left - 24, ROW)
