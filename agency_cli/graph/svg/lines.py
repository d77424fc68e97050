"""Flows as lines: which share one, and the layout in which the fewest of them cross."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from agency_cli.graph.diagram import Arrow, Box, View
from agency_cli.graph.text.cards import Card, card_of
from agency_cli.graph.text.channels import Channel, Layout
from agency_cli.graph.text.layers import Pair
from agency_cli.graph.text.picture import Fitting
from agency_cli.graph.text.ports import Wire

_WIDTH = 150
"""Cells of a row of boxes; what does not fit stands in a further row."""
_LIMITS = (26, 18)
"""Widths of text in boxes, in cells, the better one first."""


class Drawn(NamedTuple):
    """One connected part of a diagram, laid out.

    Attributes:
        arrows: The flows of each sort of lines, by the `kind` of its nets.
    """

    layout: Layout
    cards: Mapping[str, Card]
    arrows: Mapping[str, Sequence[Arrow]]
    crossings: int

    @property
    def left(self) -> int:
        """The first column of cells in which there is something."""
        return min(first for first, _ in self._spans())

    @property
    def right(self) -> int:
        """The last column of cells in which there is something."""
        return max(last for _, last in self._spans())

    def _spans(self) -> Iterator[tuple[int, int]]:
        for row in self.layout.columns:
            for item, column in row.items():
                first = column - self.layout.widths[item] // 2
                yield first, first + self.layout.widths[item] - 1
        for channel in self.layout.channels:
            yield from ((wire.left, wire.right) for wire in channel.wires)


def laid_out(boxes: Sequence[Box], arrows: Sequence[Arrow], view: View) -> Drawn | None:
    """Return the layout of a connected part with the fewest crossings; None where none fits."""
    sorts: dict[str, list[Arrow]] = {}
    for number, arrow in enumerate(arrows):
        sorts.setdefault(sort_of(arrow, number), []).append(arrow)
    flows: dict[str, list[Pair]] = {
        sort: list(dict.fromkeys((arrow.sender, arrow.recipient) for arrow in members))
        for sort, members in sorts.items()
    }
    for limit in _LIMITS:
        cards = {box.agent: card_of(box, view, limit=limit, ellipsis="…") for box in boxes}
        found = [
            Drawn(layout, cards, sorts, crossings_of(layout))
            for layout in Fitting(cards, flows, _WIDTH).layouts()
        ]
        if found:
            return min(found, key=lambda drawn: drawn.crossings)
    return None


def sort_of(arrow: Arrow, number: int) -> str:
    """Return what tells a flow's line from others: they share one only where they are alike."""
    if arrow.load is not None or arrow.change is not None:
        # What is told of it alone needs a line of its own.
        return f"{arrow.kind} {number}"
    return f"{arrow.kind} {arrow.terms}"


def crossings_of(layout: Layout) -> int:
    """Return how many times lines cross."""
    return sum(
        _crossed(channel, one, other)
        for channel in layout.channels
        for one, other in permutations(channel.wires, 2)
    )


def _crossed(channel: Channel, across: Wire, down: Wire) -> int:
    """Return how often the level part of one line is crossed by the upright parts of another."""
    if across.straight:
        return 0
    height = channel.tracks[across.net]
    passing = [
        column
        for columns, is_upper in ((down.tops, True), (down.bottoms, False))
        for column in columns
        if down.straight or (channel.tracks[down.net] > height) == is_upper
    ]
    if down.straight:
        passing = passing[:1]
    return sum(across.left < column < across.right for column in passing)
