"""How values, types and bounds are said in messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.manifest.base import AGENT_KEY_PATTERN, NAME_PATTERN, TOOL_NAME_PATTERN

_TYPES: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}
_BOUNDS: Final = {
    "minimum": "must be at least {}",
    "exclusiveMinimum": "must be more than {}",
    "maximum": "must be at most {}",
    "exclusiveMaximum": "must be less than {}",
    "maxItems": "must have at most {} items",
    "maxLength": "must have at most {} characters",
}
_NAME_RULES: Final = {
    AGENT_KEY_PATTERN: "a letter, then letters, digits, - and _, at most 50 characters",
    NAME_PATTERN: "a letter, then letters, digits, -, _ and ., at most 64 characters",
    TOOL_NAME_PATTERN: "letters, digits, - and _, at most 64 characters",
}
_LONGEST: Final = 60


def expectation(kinds: Iterable[str], value: object, *, secret: bool = False) -> str:
    """Say which types a value may have, which it has, and what to write.

    Args:
        kinds: JSON Schema's names of types.
        value: As written.
        secret: Nobody may read the value.
    """
    wanted = [kind for kind in dict.fromkeys(kinds) if kind in _TYPES]
    text = " or ".join(_TYPES[kind] for kind in wanted)
    if value is None:
        return f"has no value; it must be {text}"
    hint = ""
    if wanted == ["string"] and isinstance(value, int | float):
        hint = "; put it in quotes" + ("" if secret else f': "{description(value)}"')
    elif wanted == ["array"] and isinstance(value, str) and _fits_a_list(value):
        hint = f"; write [{value}]"
    elif isinstance(value, str) and "${" in value:
        hint = "; a reference always gives text"
    given = description(value) if wanted == ["integer"] and isinstance(value, float) else ""
    return f"must be {text}, not {given or kind_of(value)}{hint}"


def _fits_a_list(text: str) -> bool:
    # A text over several lines is most often a list that is written wrongly.
    return len(text) <= _LONGEST and text.isprintable()


def choice(options: Sequence[object], value: object) -> str:
    """Say which values are allowed."""
    hint = did_you_mean(value, map(str, options)) if isinstance(value, str) else ""
    wanted = "" if len(options) == 1 else "one of "
    return f"must be {wanted}{listed(map(description, options))}, not {shown(value)}{hint}"


def bound(keyword: str, limit: object) -> str:
    """Say which bound a value is beyond; the keyword is JSON Schema's."""
    said = _BOUNDS.get(keyword)
    return said.format(limit) if said else "does not fit the schema of manifests"


def finite(value: object) -> str:
    """Say that a number must have an end."""
    return f"must be a finite number, not {description(value)}"


def whole(value: float) -> str:
    """Say how to write a whole number that was written as a fraction."""
    return f"must be a whole number; write {int(value)}, not {description(value)}"


def not_a_name(value: object, pattern: str) -> str:
    """Say that a value does not keep the pattern of a name."""
    return f"{shown(value)} is not a name: {name_rule(pattern)}"


def name_rule(pattern: str) -> str:
    """Say in words what the pattern of a name demands."""
    return _NAME_RULES.get(pattern, f"it must match {pattern}")


def kind_of(value: object) -> str:
    """Name the type of a value."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"the truth value {description(value)}"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "a mapping"


def description(value: object) -> str:
    """Return a value as YAML writes it."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"{'-' if value < 0 else ''}.{'nan' if math.isnan(value) else 'inf'}"
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def shown(value: object) -> str:
    """Return a value for a message: short, on one line, its type visible."""
    if isinstance(value, list | dict):
        return kind_of(value)
    text = repr(value) if isinstance(value, str) else description(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
