"""What the models refuse: its places, and in words what the JSON Schema has nothing to say of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agency_cli.errors import Problem
from agency_cli.loading.nodes import Path
from agency_cli.loading.wording import finite, not_a_name, whole

_KINDS_ARE_NAMED_AT: Final = 2
"""Where Pydantic puts, behind `tools` and a tool's name, the kind that it took the tool for."""

_KEY: Final = "[key]"
"""What Pydantic puts behind a key that it refuses."""


def refused_places(error: ValidationError, document: dict[str, Any]) -> list[Path]:
    """Return the innermost places that are refused, each once; a missing key is a place too."""
    # Where one of several shapes is allowed, Pydantic also says that the whole is not another one.
    places = dict.fromkeys(_place(details, document) for details in _details(error))
    holding = {place[:length] for place in places for length in range(len(place))}
    return [place for place in places if place not in holding]


def unexplained(error: ValidationError, document: dict[str, Any]) -> Iterator[Problem]:
    """Yield what only the models refuse, such as a number without an end.

    They and the schema take the same documents but for a few values that JSON does not know, or
    that YAML writes in more ways than one.
    """
    for details in _details(error):
        value, path = details["input"], _place(details, document)
        match details["type"]:
            case "finite_number":
                yield Problem(code="bad-value", message=finite(value), path=path)
            case "int_type" if isinstance(value, float) and value.is_integer():
                yield Problem(code="wrong-type", message=whole(value), path=path)
            case "string_pattern_mismatch":
                what = not_a_name(value, details["ctx"]["pattern"])
                at_key = details["loc"][-1] == _KEY
                yield Problem(code="bad-name", message=what, path=path, at_key=at_key)
            case _:
                continue


def _details(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False)


def _place(details: ErrorDetails, document: Any) -> Path:
    """Return the place of an error, without the names of the branches that Pydantic tried."""
    location = list(details["loc"])
    if location[0] in ("tools", "guardrails"):
        del location[_KINDS_ARE_NAMED_AT : _KINDS_ARE_NAMED_AT + 1]
    missing = [location.pop()] if details["type"] == "missing" else []
    path: list[str | int] = []
    value = document
    for part in location:
        is_key = isinstance(value, dict) and part in value
        is_index = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if is_key or is_index:
            path.append(part)
            value = value[part]
    return (*path, *missing)
