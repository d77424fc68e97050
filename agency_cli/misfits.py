"""What is wrong with a value, for the model that wrote it: one text a fault, with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from pydantic import ValidationError

LONGEST_FAULT = 300
"""Characters; a fault may quote the value."""


def misfits_of_schema(
    schema: Mapping[str, Any], value: object, *, whole: str, ignored: Iterable[str] = ()
) -> list[str]:
    """Return where a value does not satisfy a JSON Schema; nothing where it does.

    Args:
        schema: The schema, which is sound.
        value: The value.
        whole: What the value is called where all of it is meant.
        ignored: Words of the schema that are not looked at, such as `required`.
    """
    left_out = frozenset(ignored)
    return [
        _told(fault.absolute_path, fault.message, whole)
        for fault in Draft202012Validator(schema).iter_errors(value)
        if fault.validator not in left_out
    ]


def misfits_of_model(error: ValidationError, *, whole: str) -> list[str]:
    """Return where a value does not fit a Pydantic class."""
    found = error.errors(include_url=False, include_input=False)
    return [_told(each["loc"], each["msg"], whole) for each in found]


def _told(place: Iterable[str | int], what: str, whole: str) -> str:
    return f"{'.'.join(map(str, place)) or whole}: {what[:LONGEST_FAULT]}"
