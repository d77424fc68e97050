"""The plain picture: every agent's box once, beside it arrows to the names it may reach.

It fits any width and any number of flows, where a layered picture would be too wide or a thicket.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agency_cli.graph.diagram import Arrow, Box, View
from agency_cli.graph.text.canvas import EAST, NORTH, SOUTH, WEST, Canvas, Glyphs, draw_box
from agency_cli.graph.text.cards import Card, card_of
from agency_cli.graph.text.cells import wrapped
from agency_cli.manifest import FlowKind

_LIMIT = 24
_ARROW = 6
"""Cells from a box to the name that its arrow points to."""
_EAST_HEAD = 1
_KINDS: tuple[FlowKind, ...] = ("message", "handoff")
_ONLY, _PASSING = EAST | WEST, NORTH | SOUTH
_FIRST, _NEXT, _LAST = EAST | WEST | SOUTH, NORTH | EAST | SOUTH, NORTH | EAST
"""Arms of the cell where a line to the right branches downwards."""


def stars_of(
    boxes: Sequence[Box], arrows: Sequence[Arrow], view: View, glyphs: Glyphs
) -> list[str]:
    """Return the lines of the picture."""
    limit = min(_LIMIT, max((view.width - _ARROW - 4) // 2, 1))
    cards = {box.agent: card_of(box, view, limit=limit, ellipsis=glyphs.ellipsis) for box in boxes}
    width = max(card.width for card in cards.values())
    lines: list[str] = []
    for agent, card in cards.items():
        targets: dict[FlowKind, dict[str, None]] = {kind: {} for kind in _KINDS}
        for arrow in arrows:
            if arrow.sender == agent:
                targets[arrow.kind][arrow.recipient] = None
        canvas = Canvas(glyphs)
        _draw_star(canvas, card, width, targets, view.width - width - _ARROW)
        lines += canvas.lines()
    return lines


def _draw_star(
    canvas: Canvas,
    card: Card,
    width: int,
    targets: Mapping[FlowKind, Mapping[str, None]],
    room: int,
) -> None:
    rows: list[tuple[FlowKind, int, bool, str]] = []
    starts: list[tuple[FlowKind, int]] = []
    for kind, recipients in targets.items():
        if recipients:
            starts.append((kind, len(rows)))
            rows += [(kind, *branch) for branch in _branches(list(recipients), room)]
    height = max([card.height, *(start + 1 for _, start in starts)])
    text = card.text(width, card.height) + [" " * (width - 2)] * (height - card.height)
    draw_box(canvas, text, top=0, left=0, width=width, entry=card.entry)
    for row, (kind, arms, pointing, name) in enumerate(rows, start=1):
        line, head = canvas.glyphs.lines[kind], canvas.glyphs.heads[kind][_EAST_HEAD]
        canvas.write(row, width + 1, line[arms])
        canvas.write(row, width + 2, line[_ONLY] + head if pointing else "")
        canvas.write(row, width + _ARROW - 1, name)
    edge = canvas.glyphs.entry_border if card.entry else canvas.glyphs.border
    for kind, start in starts:
        canvas.write(start + 1, width - 1, edge[8])
        canvas.write(start + 1, width, canvas.glyphs.lines[kind][_ONLY])


def _branches(names: Sequence[str], room: int) -> Iterator[tuple[int, bool, str]]:
    """Yield the arms of the branching cell, whether an arrow leaves it, and the text, by row."""
    for index, name in enumerate(names):
        first, last = index == 0, index == len(names) - 1
        arms = _ONLY if first and last else _FIRST if first else _LAST if last else _NEXT
        pieces = wrapped(name, max(room, 1))
        yield arms, True, pieces[0]
        for piece in pieces[1:]:
            yield (0 if last else _PASSING), False, piece
