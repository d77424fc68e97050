"""How numbers are written for people: money, tokens, seconds."""

from __future__ import annotations

from decimal import Decimal

from agency_cli.calltree import Totals

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def money(usd: Decimal) -> str:
    """Write US dollars; an amount that is not zero never looks like zero."""
    if not usd:
        return "$0"
    if usd >= 1:
        return f"${usd:,.2f}"
    # 4 decimals; where that would be less than two digits, as many as those need.
    decimals = max(4, 1 - usd.adjusted())
    whole, _, fraction = f"{usd:.{decimals}f}".partition(".")
    return f"${whole}.{fraction.rstrip('0').ljust(4, '0')}"


def cost(totals: Totals, *, at_least: str = "≥") -> str:
    """Write what is known of a cost in one cell; a cost that is unknown is never a zero."""
    if not totals.unpriced_models:
        known = money(totals.cost_usd)
        return f"{at_least} {known}" if totals.cut_off else known
    return f"{at_least} {money(totals.cost_usd)}" if totals.cost_usd else "? $"


def whole_cost(totals: Totals, *, at_least: str = "≥") -> str:
    """Write a cost in a sentence, with what is missing from it."""
    text = cost(totals, at_least=at_least)
    return f"{text} + unknown" if totals.unpriced_models and totals.cost_usd else text


def tokens(count: int) -> str:
    """Write a number of tokens in at most 7 characters."""
    if count < 10_000:  # noqa: PLR2004 - up to here every digit is shown
        return f"{count:,}"
    if count < 999_500:  # noqa: PLR2004 - where thousands would round up to a million
        thousands = count / 1_000
        return f"{thousands:.1f}k" if thousands < 99.95 else f"{thousands:.0f}k"  # noqa: PLR2004
    return f"{count / 1_000_000:.2f}M"


def duration(seconds: float) -> str:
    """Write a time as a person says it: 8.2s, 1m 05s, 2h 03m."""
    if seconds < _MINUTE - 0.05:
        return f"{max(seconds, 0):.1f}s"
    whole = round(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE}m {whole % _MINUTE:02}s"
    return f"{whole // _HOUR}h {whole % _HOUR // _MINUTE:02}m"


def age(seconds: float) -> str:
    """Write how long ago something was, in its largest unit: 12s, 5m, 3h, 40d."""
    whole = max(int(seconds), 0)
    for unit, letter in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if whole >= unit:
            return f"{whole // unit}{letter}"
    return f"{whole}s"


def counted(number: int, word: str) -> str:
    """Write a number with its word: 1 turn, 2 turns."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
