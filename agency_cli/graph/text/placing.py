"""The column of everything in a row: lines straight and parents over the middle of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from agency_cli.graph.text.nets import Item, Plan

Columns = dict[Item, int]
Offsets = Mapping[tuple[int, bool, int, Item], int]
"""How far from the middle of its item a line ends: by the number of the upper one of the two
rows, whether the end is in that row, the net and the item."""

_ROUNDS = 6
_STRAIGHT = 8.0
"""How much more a passing line wants to be straight than a box wants to be in the middle."""


class Gaps(NamedTuple):
    """Empty cells between neighbours in a row."""

    boxes: int
    lines: int


ROOMY = Gaps(boxes=4, lines=2)
TIGHT = Gaps(boxes=2, lines=1)


def row_width(row: Sequence[Item], widths: Mapping[Item, int], gaps: Gaps) -> int:
    """Return how many cells the row takes at least."""
    between = sum(_gap(left, right, gaps) for left, right in pairwise(row))
    return sum(widths[item] for item in row) + between


def placed(
    plan: Plan,
    order: Sequence[Sequence[Item]],
    widths: Mapping[Item, int],
    *,
    gaps: Gaps,
    width: int,
    offsets: Offsets,
) -> list[Columns]:
    """Return the centre column of every item, row by row; the rows must fit the width."""
    rows = [_Row(list(row), widths, gaps, width) for row in order]
    for row in rows:
        row.settle(dict.fromkeys(row.items, width / 2), {})
    for turns, last in ((_ROUNDS - 2, False), (2, True)):
        for _ in range(turns):
            before = [dict(row.centres) for row in rows]
            for number in range(1, len(rows)):
                _move(rows, plan, offsets, number, above=True, below=last)
            for number in range(len(rows) - 2, -1, -1):
                _move(rows, plan, offsets, number, above=last, below=True)
            if before == [row.centres for row in rows]:
                break
    return [{item: round(centre) for item, centre in row.centres.items()} for row in rows]


class _Row:
    """One row while it is being placed."""

    def __init__(
        self, items: list[Item], widths: Mapping[Item, int], gaps: Gaps, width: int
    ) -> None:
        self.items = items
        self.centres: dict[Item, float] = {}
        self._offsets: list[int] = []
        left = 0
        for index, item in enumerate(items):
            left += _gap(items[index - 1], item, gaps) if index else 0
            self._offsets.append(left + widths[item] // 2)
            left += widths[item]
        self._room = width - left

    def settle(self, aims: Mapping[Item, float], weights: Mapping[Item, float]) -> None:
        """Move every item as near to its aim as the others allow (least squares)."""
        blocks: list[tuple[float, float, int]] = []
        for item, offset in zip(self.items, self._offsets, strict=True):
            weight = weights.get(item, 1.0)
            block = (aims.get(item, self.centres.get(item, 0.0)) - offset, weight, 1)
            while blocks and blocks[-1][0] >= block[0]:
                block = _merged(blocks.pop(), block)
            blocks.append(block)
        index = 0
        for shift, _, size in blocks:
            exact = min(max(round(shift), 0), self._room)
            for _ in range(size):
                self.centres[self.items[index]] = exact + self._offsets[index]
                index += 1


def _merged(
    one: tuple[float, float, int], other: tuple[float, float, int]
) -> tuple[float, float, int]:
    weight = one[1] + other[1]
    return (one[0] * one[1] + other[0] * other[1]) / weight, weight, one[2] + other[2]


def _move(
    rows: Sequence[_Row], plan: Plan, offsets: Offsets, number: int, *, above: bool, below: bool
) -> None:
    row = rows[number]
    wishes: dict[Item, list[tuple[float, float]]] = {item: [] for item in row.items}
    if above and number > 0:
        _collect(wishes, plan, rows, offsets, number - 1, upper=False)
    if below and number < len(plan.links):
        _collect(wishes, plan, rows, offsets, number, upper=True)
    aims: dict[Item, float] = {}
    weights: dict[Item, float] = {}
    for item, wanted in wishes.items():
        if wanted:
            weights[item] = sum(weight for _, weight in wanted)
            aims[item] = sum(aim * weight for aim, weight in wanted) / weights[item]
    row.settle(aims, weights)


def _collect(
    wishes: Mapping[Item, list[tuple[float, float]]],
    plan: Plan,
    rows: Sequence[_Row],
    offsets: Offsets,
    channel: int,
    *,
    upper: bool,
) -> None:
    """Add where the links of one channel would have the items of one of its rows, and how much."""
    far = rows[channel + 1 if upper else channel].centres
    for link in plan.links[channel]:
        own, others = (link.tops, link.bottoms) if upper else (link.bottoms, link.tops)
        ends = [far[end] + offsets.get((channel, not upper, link.net, end), 0) for end in others]
        middle = (min(ends) + max(ends)) / 2
        for item in own:
            passing = isinstance(item, int) and item in others
            shift = offsets.get((channel, upper, link.net, item), 0)
            wishes[item].append((middle - shift, _STRAIGHT if passing else 1.0))


def _gap(left: Item, right: Item, gaps: Gaps) -> int:
    return gaps.boxes if isinstance(left, str) and isinstance(right, str) else gaps.lines
