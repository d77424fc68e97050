"""JSON Schema as it is written, brought into the few forms that `filling` knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]
AnySchema = Schema | bool
MOST_REFERENCES = 32
KEYS_OF_TYPES = {
    "object": ("properties", "required", "additionalProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}

COMBINATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
    "required": lambda first, second: list(dict.fromkeys([*first, *second])),
    "enum": lambda first, second: [value for value in first if value in second],
}
"""What two demands of one keyword come to; of others the one nearer to the place stands."""


class Unfillable(Exception):
    """No value can be made for a schema; the text says why."""


def plain(schema: AnySchema, root: Schema) -> dict[str, Any]:
    """Return `schema` without `$ref` and `allOf` at its top.

    Raises:
        Unfillable: It is `false`, or refers to nothing, to another document, or to itself.
    """
    merged: dict[str, Any] = {}
    waiting = [schema]
    for _ in range(MOST_REFERENCES):
        if not waiting:
            return merged
        current = waiting.pop()
        if current is False:
            raise Unfillable("a schema that is `false` allows nothing")
        if current is True:
            continue
        assert isinstance(current, Mapping)
        own = {key: value for key, value in current.items() if key not in ("$ref", "allOf")}
        merged = _merged(merged, own)
        if "$ref" in current:
            waiting.append(_resolved(current["$ref"], root))
        waiting.extend(current.get("allOf", ()))
    raise Unfillable("its references lead in a circle")


def type_of(schema: Schema) -> str | list[str]:
    """Return the schema's type; where none is written, the one that its keys are about."""
    if "type" in schema:
        written: str | list[str] = schema["type"]
        return written
    for name, keys in KEYS_OF_TYPES.items():
        if any(key in schema for key in keys):
            return name
    return "string"


def variants_of(schema: Schema) -> list[Schema]:
    """Return the schemas of which one is to be fulfilled, each with what stands around them."""
    written = schema.get("anyOf") or schema.get("oneOf")
    around = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
    if written:
        return [{"allOf": [variant, around]} for variant in written]
    kind = type_of(schema)
    return [{**schema, "type": name} for name in kind] if isinstance(kind, list) else []


def _resolved(reference: str, root: Schema) -> AnySchema:
    if not reference.startswith("#"):
        raise Unfillable(f"it refers to another document, {reference}")
    found: Any = root
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or key not in found:
            raise Unfillable(f"it refers to {reference}, which does not exist")
        found = found[key]
    assert isinstance(found, Mapping | bool)
    return found


def _merged(first: Schema, second: Schema) -> dict[str, Any]:
    """Both schemas in one: what each asks for is asked for."""
    merged = {**second, **first}
    for key in first.keys() & second.keys():
        merged[key] = _both(key, first[key], second[key])
    return merged


def _both(key: str, first: Any, second: Any) -> Any:
    if key in ("properties", "$defs"):
        both = {name: {"allOf": [first[name], second[name]]} for name in first.keys() & second}
        return {**first, **second, **both}
    if key == "type":
        return _common_types(first, second)
    combine = COMBINATIONS.get(key)
    return combine(first, second) if combine else first


def _common_types(first: str | list[str], second: str | list[str]) -> str | list[str]:
    names = [first] if isinstance(first, str) else first
    others = [second] if isinstance(second, str) else second
    common = [name for name in names if name in others]
    if not common and "integer" in (*names, *others) and "number" in (*names, *others):
        common = ["integer"]
    if not common:
        raise Unfillable(f"nothing is both {names} and {others}")
    return common[0] if len(common) == 1 else common
