"""The order of what stands in each row: few crossings first, then short lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from agency_cli.graph.text.nets import Item, Plan

Order = list[list[Item]]
Cost = tuple[float, float]
_SWEEPS = 4
_PASSES = 6
_HOPELESS = 80
"""Crossings that changing places cannot bring down to a picture that anyone can read."""


def ordered(plan: Plan, widths: Mapping[Item, int]) -> Order:
    """Return the rows of the plan, each from left to right.

    Barycentre sweeps down and up give a start; then neighbours change places as long as that
    is an improvement.
    """
    best = [list(row) for row in plan.rows]
    best_cost = _total(best, plan, widths)
    order = [list(row) for row in best]
    for sweep in range(_SWEEPS):
        _sweep(order, plan, downwards=sweep % 2 == 0)
        cost = _total(order, plan, widths)
        if cost < best_cost:
            best, best_cost = [list(row) for row in order], cost
    for _ in range(_PASSES):
        if best_cost[0] > _HOPELESS or not _swapped(best, plan, widths):
            break
    return best


def _sweep(order: Order, plan: Plan, *, downwards: bool) -> None:
    numbers = range(1, len(order)) if downwards else range(len(order) - 2, -1, -1)
    for number in numbers:
        links = plan.links[number - 1] if downwards else plan.links[number]
        other = order[number - 1] if downwards else order[number + 1]
        place = {item: (index + 0.5) / len(other) for index, item in enumerate(other)}
        row = order[number]
        aim = {item: (index + 0.5) / len(row) for index, item in enumerate(row)}
        for item in row:
            near = [
                place[end]
                for link in links
                if item in (link.bottoms if downwards else link.tops)
                for end in (link.tops if downwards else link.bottoms)
            ]
            if near:
                aim[item] = sum(near) / len(near)
        row.sort(key=aim.__getitem__)


def _swapped(order: Order, plan: Plan, widths: Mapping[Item, int]) -> bool:
    improved = False
    for number, row in enumerate(order):
        cost = _near(order, plan, widths, number)
        for left in range(len(row) - 1):
            row[left], row[left + 1] = row[left + 1], row[left]
            new = _near(order, plan, widths, number)
            if new < cost:
                cost, improved = new, True
            else:
                row[left], row[left + 1] = row[left + 1], row[left]
    return improved


def _near(order: Order, plan: Plan, widths: Mapping[Item, int], number: int) -> Cost:
    """Return the cost of what is directly above and below one row."""
    numbers = [index for index in (number - 1, number) if 0 <= index < len(plan.links)]
    costs = [_cost(order, plan, widths, index) for index in numbers]
    return sum(cost[0] for cost in costs), sum(cost[1] for cost in costs)


def _total(order: Order, plan: Plan, widths: Mapping[Item, int]) -> Cost:
    costs = [_cost(order, plan, widths, index) for index in range(len(plan.links))]
    return sum(cost[0] for cost in costs), sum(cost[1] for cost in costs)


def _cost(order: Order, plan: Plan, widths: Mapping[Item, int], upper: int) -> Cost:
    above, below = _centres(order[upper], widths), _centres(order[upper + 1], widths)
    lines = [
        _Line([above[top] for top in link.tops], [below[bottom] for bottom in link.bottoms])
        for link in plan.links[upper]
    ]
    crossings = sum(
        min(_crossings(one, other), _crossings(other, one)) for one, other in combinations(lines, 2)
    )
    length = sum(
        abs(top - bottom) for line in lines for top in line.tops for bottom in line.bottoms
    )
    return crossings, length


class _Line:
    """One link in columns: it runs sideways from its leftmost to its rightmost end."""

    def __init__(self, tops: list[float], bottoms: list[float]) -> None:
        self.tops = tops
        self.bottoms = bottoms
        self.left = min(tops + bottoms)
        self.right = max(tops + bottoms)


def _crossings(upper: _Line, lower: _Line) -> int:
    """Return the crossings if one line runs sideways above the other."""
    return sum(lower.left < column < lower.right for column in upper.bottoms) + sum(
        upper.left < column < upper.right for column in lower.tops
    )


def _centres(row: Sequence[Item], widths: Mapping[Item, int]) -> dict[Item, float]:
    total = sum(widths[item] for item in row)
    centres: dict[Item, float] = {}
    left = -total / 2
    for item in row:
        centres[item] = left + widths[item] / 2
        left += widths[item]
    return centres
