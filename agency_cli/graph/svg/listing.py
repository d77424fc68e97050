"""Agents as cards that name whom they reach, where lines would be a thicket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agency_cli.graph.diagram import Arrow, Box, View
from agency_cli.graph.svg.boxes import LINE, box_at
from agency_cli.graph.svg.lines import sort_of
from agency_cli.graph.svg.picture import Numbers
from agency_cli.graph.text.cards import Card, card_of
from agency_cli.graph.text.cells import cell_width, wrapped

_COLUMNS = 4
_WIDTH, _GAP = 288.0, 16.0
_PADDING = 9.0
_CELLS = 34
"""Cells of a line of text."""
_SIGNS = {"message": "→", "handoff": "⇢"}


def listed(
    boxes: Sequence[Box], arrows: Sequence[Arrow], view: View, numbers: Numbers
) -> tuple[list[str], float, float]:
    """Return the cards in columns, and the width and height that they take."""
    tops = [0.0] * min(_COLUMNS, len(boxes))
    elements = []
    for box in boxes:
        own = [arrow for arrow in arrows if arrow.sender == box.agent]
        card = _card(box, own, view, numbers)
        height = card.height * LINE + 2 * _PADDING
        column = tops.index(min(tops))
        left = column * (_WIDTH + _GAP)
        elements.append(box_at(box, card, left=left, top=tops[column], width=_WIDTH, height=height))
        tops[column] += height + _GAP
    width = len(tops) * (_WIDTH + _GAP) - _GAP
    return elements, width, max(tops, default=_GAP) - _GAP


def _card(box: Box, arrows: Sequence[Arrow], view: View, numbers: Numbers) -> Card:
    card = card_of(box, view, limit=_CELLS, ellipsis="…")
    return card._replace(details=(*card.details, *_reached(arrows, numbers)))


def _reached(arrows: Sequence[Arrow], numbers: Numbers) -> Iterator[str]:
    """Yield whom an agent reaches: flows that are alike in one list."""
    alike: dict[tuple[str, int], list[str]] = {}
    for position, arrow in enumerate(arrows):
        number = numbers.get(sort_of(arrow, position), 0)
        alike.setdefault((_SIGNS[arrow.kind], number), []).append(arrow.recipient)
    for (sign, number), names in alike.items():
        mark = f"{sign} [{number}] " if number else f"{sign} "
        for index, line in enumerate(wrapped(", ".join(names), _CELLS - cell_width(mark))):
            yield line if index else f"{mark}{line}"
