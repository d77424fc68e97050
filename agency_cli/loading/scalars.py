"""What a plain scalar means in YAML 1.2: `on`, `no` and dates are text."""

from __future__ import annotations

import re
from typing import Final

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
# Longer numbers are text: nothing in a manifest needs them, and Python refuses to convert them.
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,100}|0o[0-7]{1,100}|0x[0-9a-fA-F]{1,100}")
_FLOAT: Final = re.compile(
    r"[-+]?(\.[0-9]{1,100}|[0-9]{1,100}(\.[0-9]{0,100})?)([eE][-+]?[0-9]{1,10})?"
)
_INFINITY: Final = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN: Final = frozenset({".nan", ".NaN", ".NAN"})


def resolve(text: str) -> str | float | bool | None:
    """Return the value of a scalar that is written without quotes."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    # Most scalars are words; only these characters can begin a number.
    return _number(text) if text[0] in "+-.0123456789" else text


def _number(text: str) -> str | float:
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITY.fullmatch(text):
        return float(text.replace(".", ""))
    return float("nan") if text in _NAN else text
