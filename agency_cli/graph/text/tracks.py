"""Between two rows: at which height each line runs sideways."""

from __future__ import annotations

from collections.abc import Sequence

from agency_cli.graph.text.ports import Wire

_IMPOSSIBLE = 1000


def tracks_of(wires: Sequence[Wire]) -> dict[int, int] | None:
    """Return each net's track, 0 being the highest; straight nets need none.

    Two nets that have a column in common must not both be drawn there, so one must run above
    the other; None where that cannot be had.
    """
    order = _best_order([wire for wire in wires if not wire.straight])
    if any(_together(one, other) for one in wires if one.straight for other in wires):
        return None
    tracks: dict[int, int] = {}
    for index, wire in enumerate(order):
        over = [upper for upper in order[:index] if _overlap(upper, wire)]
        if any(_price(upper, wire) >= _IMPOSSIBLE for upper in over):
            return None
        tracks[wire.net] = max((tracks[upper.net] + 1 for upper in over), default=0)
    return tracks


def _together(straight: Wire, other: Wire) -> bool:
    return straight is not other and straight.left in other.tops + other.bottoms


def _best_order(wires: Sequence[Wire]) -> list[Wire]:
    """Insert each net where it costs least, then try every net at every other place."""
    order: list[Wire] = []
    for wire in wires:
        _insert(order, wire)
    for wire in wires:
        order.remove(wire)
        _insert(order, wire)
    return order


def _insert(order: list[Wire], wire: Wire) -> None:
    cost = sum(_price(wire, other) for other in order)
    best, best_place = cost, 0
    for place, other in enumerate(order, start=1):
        cost += _price(other, wire) - _price(wire, other)
        if cost < best:
            best, best_place = cost, place
    order.insert(best_place, wire)


def _price(upper: Wire, lower: Wire) -> int:
    """Return the crossings if the one runs above the other; much where it is impossible."""
    if not _overlap(upper, lower):
        return 0
    clash = set(upper.bottoms) & set(lower.tops)
    inside = sum(lower.left < column < lower.right for column in upper.bottoms)
    inside += sum(upper.left < column < upper.right for column in lower.tops)
    return inside + _IMPOSSIBLE * len(clash)


def _overlap(one: Wire, other: Wire) -> bool:
    """Whether they cannot share a track: there must be an empty cell between them."""
    return one.left <= other.right + 1 and other.left <= one.right + 1
