"""The room between two rows: its lines with their columns and heights, and how tall it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agency_cli.graph.text.nets import Item, Link, Net, Plan
from agency_cli.graph.text.placing import Columns
from agency_cli.graph.text.ports import Span, Wire, wired
from agency_cli.graph.text.tracks import tracks_of

_WIGGLE = 3
"""A line that is shifted by less than this looks like an accident."""


class Channel(NamedTuple):
    """The lines between two rows of boxes.

    Attributes:
        wires: One for each link of the plan there, in the same order.
        tracks: At which height each net runs sideways, 0 being the highest.
        heads_above: There are arrowheads under boxes of the upper row.
        heads_below: There are arrowheads over boxes of the lower row.
        height: Rows of cells, arrowheads included.
    """

    wires: Sequence[Wire]
    tracks: Mapping[int, int]
    heads_above: bool
    heads_below: bool
    height: int

    @property
    def wiggles(self) -> int:
        """How many lines are not straight, but nearly."""
        widths = (w.right - w.left for w in self.wires if len(w.tops) == len(w.bottoms) == 1)
        return sum(0 < width < _WIGGLE for width in widths)


class Layout(NamedTuple):
    """Where everything stands: the columns of each row, and what is between the rows."""

    plan: Plan
    widths: Mapping[Item, int]
    columns: Sequence[Columns]
    channels: Sequence[Channel]

    @property
    def wiggles(self) -> int:
        """How many lines are not straight, but nearly."""
        return sum(channel.wiggles for channel in self.channels)

    @property
    def untidiness(self) -> tuple[int, int]:
        """What makes one layout worse than another: wiggles, then height."""
        return self.wiggles, sum(channel.height for channel in self.channels)

    def offsets(self) -> dict[tuple[int, bool, int, Item], int]:
        """Return how far from the middle of its item each line ends."""
        offsets: dict[tuple[int, bool, int, Item], int] = {}
        for number, channel in enumerate(self.channels):
            for link, wire in zip(self.plan.links[number], channel.wires, strict=True):
                for item, column in zip(link.tops, wire.tops, strict=True):
                    offset = column - self.columns[number][item]
                    offsets[number, True, link.net, item] = offset
                for item, column in zip(link.bottoms, wire.bottoms, strict=True):
                    offset = column - self.columns[number + 1][item]
                    offsets[number, False, link.net, item] = offset
        return offsets


def laid_out(plan: Plan, widths: Mapping[Item, int], columns: Sequence[Columns]) -> Layout | None:
    """Return the layout with these columns; None where two lines cannot be kept apart."""
    channels = []
    for number, links in enumerate(plan.links):
        above, below = _spans(columns[number], widths), _spans(columns[number + 1], widths)
        wires = wired(links, above, below)
        tracks = tracks_of(wires)
        if tracks is None:
            return None
        channels.append(_channel([plan.nets[link.net] for link in links], links, wires, tracks))
    return Layout(plan, widths, columns, channels)


def _channel(
    nets: Sequence[Net], links: Sequence[Link], wires: Sequence[Wire], tracks: Mapping[int, int]
) -> Channel:
    heads_above = any(
        net.heads != "lower" and any(isinstance(top, str) for top in link.tops)
        for net, link in zip(nets, links, strict=True)
    )
    heads_below = any(
        net.heads != "upper" and any(isinstance(bottom, str) for bottom in link.bottoms)
        for net, link in zip(nets, links, strict=True)
    )
    needed = max(tracks.values(), default=-1) + 1
    if any(_wants_length(net) for net, wire in zip(nets, wires, strict=True) if wire.straight):
        needed = max(needed, 1)
    height = max(needed + heads_above + heads_below, 1)
    return Channel(wires, tracks, heads_above, heads_below, height)


def _wants_length(net: Net) -> bool:
    """Whether arrowheads alone would not show what kind of line it is."""
    return net.heads == "both" or net.kind == "handoff"


def _spans(columns: Columns, widths: Mapping[Item, int]) -> dict[Item, Span]:
    spans = {}
    for item, middle in columns.items():
        left = middle - widths[item] // 2
        inside = Span(left + 1, middle, left + widths[item] - 2)
        spans[item] = inside if isinstance(item, str) else Span(middle, middle, middle)
    return spans
