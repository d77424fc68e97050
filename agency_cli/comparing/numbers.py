"""Limits that went up."""

from __future__ import annotations


def is_raised(before: float | None, after: float | None) -> bool:
    """Say whether a limit allows more; None is no limit."""
    if before is None:
        return False
    return after is None or after > before


def raised(before: float | None, after: float | None) -> str:
    """Return how a limit went up."""
    ends = (f"{value:g}" if value is not None else "no limit" for value in (before, after))
    return " → ".join(ends)
