"""The number nearest to a wanted one that a JSON Schema allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from agency_cli.models.local.schemas import Unfillable

MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class Bound:
    """An end of a range; an open one is not itself part of it."""

    value: Decimal
    is_open: bool = False


def nearest(wanted: Decimal, schema: Mapping[str, Any], *, whole: bool) -> Decimal:
    """Return the number allowed by `schema` that is nearest to `wanted`, or near it.

    Raises:
        Unfillable: No number is allowed.
    """
    low = _bound(schema, "minimum", "exclusiveMinimum", tighter=max)
    high = _bound(schema, "maximum", "exclusiveMaximum", tighter=min)
    unit = _unit(schema, whole=whole)
    number = _between(wanted, low, high) if unit is None else _on_grid(wanted, unit, low, high)
    if number is None:
        raise Unfillable(f"no number is {range_text(schema)}")
    return number


def range_text(schema: Mapping[str, Any]) -> str:
    """Return the range that `schema` allows, in words; empty where it allows all numbers."""
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
        "multipleOf": "a multiple of",
    }
    return ", ".join(f"{word} {schema[key]}" for key, word in words.items() if key in schema)


def _bound(schema: Mapping[str, Any], closed: str, opened: str, *, tighter: Any) -> Bound | None:
    bounds = [
        Bound(Decimal(str(schema[key])), is_open=key == opened)
        for key in (opened, closed)
        if key in schema
    ]
    # Where both are given with one value, the open end, which comes first, is the tighter one.
    return tighter(bounds, key=lambda bound: bound.value) if bounds else None


def _unit(schema: Mapping[str, Any], *, whole: bool) -> Decimal | None:
    """The distance of the allowed numbers from each other; None where they lie dense."""
    if "multipleOf" not in schema:
        return Decimal(1) if whole else None
    unit = Decimal(str(schema["multipleOf"]))
    steps = (unit * count for count in range(1, MOST_STEPS))
    if not whole:
        return unit
    found = next((step for step in steps if step == step.to_integral_value()), None)
    if found is None:
        raise Unfillable(f"no whole number is a multiple of {unit}")
    return found


def _on_grid(
    wanted: Decimal, unit: Decimal, low: Bound | None, high: Bound | None
) -> Decimal | None:
    step = int((wanted / unit).to_integral_value())
    if low is not None:
        least = math.ceil(low.value / unit)
        step = max(step, least + (low.is_open and least * unit == low.value))
    if high is not None:
        greatest = math.floor(high.value / unit)
        step = min(step, greatest - (high.is_open and greatest * unit == high.value))
    number = step * unit
    return number if _within(number, low, high) else None


def _between(wanted: Decimal, low: Bound | None, high: Bound | None) -> Decimal | None:
    candidates = [wanted, *(bound.value for bound in (low, high) if bound is not None)]
    if low is not None and high is not None:
        candidates.append((low.value + high.value) / 2)
    elif low is not None:
        candidates.append(low.value + 1)
    elif high is not None:
        candidates.append(high.value - 1)
    return next((number for number in candidates if _within(number, low, high)), None)


def _within(number: Decimal, low: Bound | None, high: Bound | None) -> bool:
    above = low is None or number > low.value or (number == low.value and not low.is_open)
    below = high is None or number < high.value or (number == high.value and not high.is_open)
    return above and below
