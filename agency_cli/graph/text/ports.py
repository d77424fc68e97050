"""Between two rows: at which column of its box each line begins or ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agency_cli.graph.text.nets import Item, Link

_SPACING = 2
"""Columns from one line to the next at the same border, so that they do not touch."""
_SLIGHT = 2
"""A line leaves the middle of its border by so much in order to be straight."""


class Span(NamedTuple):
    """The columns of one item: its middle, and where lines may touch its border."""

    left: int
    middle: int
    right: int


class Wire(NamedTuple):
    """A link with its columns, in the order of the link's items."""

    net: int
    tops: tuple[int, ...]
    bottoms: tuple[int, ...]

    @property
    def left(self) -> int:
        return min(self.tops + self.bottoms)

    @property
    def right(self) -> int:
        return max(self.tops + self.bottoms)

    @property
    def straight(self) -> bool:
        return self.left == self.right


End = tuple[int, bool, Item]
"""One end of a link: its index among the links, whether it is in the upper row, and its item."""


def wired(
    links: Sequence[Link], above: Mapping[Item, Span], below: Mapping[Item, Span]
) -> list[Wire]:
    """Return the columns of all ends of the links between two rows."""
    ports = _Ports(links, above, below)
    ports.settle()
    return [
        Wire(
            link.net,
            tuple(ports.columns[index, True, item] for item in link.tops),
            tuple(ports.columns[index, False, item] for item in link.bottoms),
        )
        for index, link in enumerate(links)
    ]


class _Ports:
    """The ends between two rows while their columns are being found."""

    def __init__(
        self, links: Sequence[Link], above: Mapping[Item, Span], below: Mapping[Item, Span]
    ) -> None:
        self._links = links
        self._spans: dict[bool, Mapping[Item, Span]] = {True: above, False: below}
        self.columns: dict[End, int] = {}
        self._taken: dict[int, set[int]] = {}

    def settle(self) -> None:
        """Give every end its column: passing lines first, then the upper boxes, then the lower."""
        borders: dict[tuple[bool, Item], list[End]] = {}
        for index, link in enumerate(self._links):
            for upper, items in ((True, link.tops), (False, link.bottoms)):
                for item in items:
                    if isinstance(item, int):
                        self._take((index, upper, item), self._spans[upper][item].middle)
                    else:
                        borders.setdefault((upper, item), []).append((index, upper, item))
        for upper in (True, False):
            for (side, item), ends in borders.items():
                if side == upper:
                    self._settle_border(self._spans[upper][item], ends)

    def _settle_border(self, span: Span, ends: list[End]) -> None:
        ends.sort(key=self._aim)
        left = span.left
        for index, end in enumerate(ends):
            right = span.right - _SPACING * (len(ends) - 1 - index)
            column = self._best_column(end, left, right, self._wish(end, span, index, len(ends)))
            self._take(end, column)
            left = column + _SPACING

    def _best_column(self, end: End, left: int, right: int, wish: int) -> int:
        """Return the free column nearest to the wish, if possible with no other line beside it."""
        columns = sorted(range(left, right + 1), key=lambda column: abs(column - wish))
        crowded = []
        for column in columns:
            if not self._others_at(column, end):
                if not self._crowded(column, end):
                    return column
                crowded.append(column)
        return (crowded or columns)[0]

    def _crowded(self, column: int, end: End) -> bool:
        straight = column in self._settled_others(end)
        beside = self._others_at(column - 1, end) | self._others_at(column + 1, end)
        return bool(beside) and not straight

    def _others_at(self, column: int, end: End) -> set[int]:
        return self._taken.get(column, set()) - {end[0]}

    def _wish(self, end: End, span: Span, index: int, count: int) -> int:
        others = self._others(end)
        fair = span.left - 1 + round((span.right - span.left + 2) * (index + 1) / (count + 1))
        if len(others) == 1:
            return min(max(others[0], span.left), span.right)
        near = [other for other in self._settled_others(end) if abs(other - fair) <= _SLIGHT]
        return near[0] if near else fair

    def _aim(self, end: End) -> tuple[float, int]:
        others = self._others(end)
        return (min(others) + max(others)) / 2, end[0]

    def _others(self, end: End) -> list[int]:
        return [self._column(other) for other in self._ends(end[0]) if other != end]

    def _settled_others(self, end: End) -> list[int]:
        ends = self._ends(end[0])
        return [self.columns[other] for other in ends if other != end and other in self.columns]

    def _ends(self, index: int) -> list[End]:
        link = self._links[index]
        tops: list[End] = [(index, True, item) for item in link.tops]
        return tops + [(index, False, item) for item in link.bottoms]

    def _column(self, end: End) -> int:
        return self.columns.get(end, self._spans[end[1]][end[2]].middle)

    def _take(self, end: End, column: int) -> None:
        self.columns[end] = column
        self._taken.setdefault(column, set()).add(end[0])
