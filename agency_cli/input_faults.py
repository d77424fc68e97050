"""What Pydantic finds wrong with a value, in this program's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# What a value is to be, by the beginnings of Pydantic's names for errors.
_KINDS: Final = {
    "int_": "must be a whole number",
    "float_": "must be a number",
    "finite_number": "must be a finite number",
    "decimal_": "must be a number",
    "string_type": "must be text",
    "bool_": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_": "must be a mapping",
    "dataclass_type": "must be a mapping",
    "datetime_": "must be a time, such as 2026-01-31T12:00:00Z",
    "timezone_": "must be a time with its zone, such as 2026-01-31T12:00:00Z",
    "missing": "is missing",
    "extra_forbidden": "is not known",
}
_BOUNDS: Final = {
    "greater_than_equal": ("ge", "must be at least {}"),
    "greater_than": ("gt", "must be more than {}"),
    "less_than_equal": ("le", "must be at most {}"),
    "less_than": ("lt", "must be less than {}"),
    "string_too_long": ("max_length", "must have at most {} characters"),
    "literal_error": ("expected", "must be {}"),
}


def fault_in_words(fault: Mapping[str, Any]) -> str:
    """Return what is wrong; `fault` is one of `ValidationError.errors()`, with its context."""
    kind, context = fault["type"], fault.get("ctx", {})
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return words.format(context[name])
    known = next((words for start, words in _KINDS.items() if kind.startswith(start)), None)
    return known or str(fault["msg"]).removeprefix("Value error, ")
