"""What of a JSON Schema a provider's strict mode can keep, and the form that it wants.

Strict mode makes a provider hold its model to the schema. It knows fewer words than JSON Schema,
and neither open objects nor values that may be left out; a schema that needs those is not strict,
because a strict one would forbid what it allows.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

from agents.strict_schema import ensure_strict_json_schema

KEYWORDS = frozenset(
    {
        *("type", "enum", "const", "anyOf", "oneOf", "$ref", "$defs"),
        *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
        *("pattern", "format", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("title", "description", "default"),
    }
)
"""Words of strict schemas; `oneOf` is rewritten, and `default` becomes a part of a description."""
FORMATS = frozenset(
    {"date", "date-time", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
SHAPES = ("type", "anyOf", "oneOf", "$ref")


def strict_form(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the strict form of `schema`, or None where it allows what strict mode cannot."""
    if not _can_be_strict(schema):
        return None
    copied = copy.deepcopy(dict(schema))
    _tell_defaults(copied)
    return ensure_strict_json_schema(copied)


def _can_be_strict(schema: Any) -> bool:
    if not isinstance(schema, Mapping) or not schema.keys() <= KEYWORDS:
        return False
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    return (
        any(word in schema for word in SHAPES)
        and schema.get("format", "date") in FORMATS
        and schema.get("$ref", "#/$defs/").startswith("#/$defs/")
        and ("object" not in kinds or _is_closed(schema))
        and ("array" not in kinds or "items" in schema)
        and all(_can_be_strict(part) for part in _parts(schema))
    )


def _is_closed(schema: Mapping[str, Any]) -> bool:
    """Each property is sent always, or tells what it is without; and there are no others."""
    properties = schema.get("properties", {})
    needed = [name for name, part in properties.items() if "default" not in part]
    return (
        ("properties" in schema or "additionalProperties" in schema)
        and schema.get("additionalProperties", False) is False
        and set(needed) <= set(schema.get("required", ()))
    )


def _tell_defaults(schema: dict[str, Any]) -> None:
    """The model always sends a value, so it must read which is the usual one."""
    for part in _parts(schema):
        _tell_defaults(part)
        if "default" in part:
            usual = json.dumps(part.pop("default"), ensure_ascii=False)
            description = part.get("description", "").rstrip(".")
            part["description"] = f"{description + '. ' if description else ''}Usually {usual}."


def _parts(schema: Mapping[str, Any]) -> Iterator[Any]:
    for group in ("properties", "$defs"):
        yield from schema.get(group, {}).values()
    for group in ("anyOf", "oneOf"):
        yield from schema.get(group, ())
    if "items" in schema:
        yield schema["items"]
