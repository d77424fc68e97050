"""Schemas of OpenAPI 3.0 and 3.1 as JSON Schema, with what they refer to in `$defs`."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from agency_cli.tools.openapi.faults import NoTool
from agency_cli.tools.openapi.references import Part, References

LARGEST_DEFINITIONS: Final = 40_000
"""Characters; some 10,000 tokens, which a model reads with each of its calls."""

_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_ONE: Final = frozenset(
    {
        *("items", "additionalProperties", "not", "contains", "if", "then", "else"),
        *("propertyNames", "unevaluatedProperties", "unevaluatedItems"),
    }
)
_LISTED: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
# Widths of numbers tell a model nothing, and strict providers do not know them.
_IDLE_FORMATS: Final = frozenset({"int32", "int64", "float", "double", "password"})
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_.-]+")


class Schemas:
    """Converts the schemas of one operation."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._names: dict[str, str] = {}
        self._pending: deque[tuple[str, Part]] = deque()

    def converted(self, schema: Part) -> Any:
        """Return a schema as JSON Schema; what it refers to is in `definitions` afterwards.

        Raises:
            NoTool: It refers to what is not there.
        """
        value = schema.value
        if isinstance(value, bool):
            return value
        if not isinstance(value, Mapping):
            return {}
        ref = value.get("$ref")
        if isinstance(ref, str):
            about = value.get("description")
            known = {"description": about} if isinstance(about, str) else {}
            return {"$ref": self._defined(ref, schema.base), **known}
        made = {}
        for word, held in value.items():
            # Only what is sound is kept: the whole need not be checked, which takes long.
            kept = self._word(word, held, schema.base)
            if kept is not None:
                made[word] = kept
        _without_what_cannot_be_sent(made, value, schema.base, self._references)
        return _nullable(_bounded(made, value), value)

    def definitions(self) -> dict[str, Any]:
        """Return all schemas that the converted ones refer to, nearest first.

        Where that grows too large for a model to read, the farthest take any value.
        """
        made: dict[str, Any] = {}
        size = 0
        while self._pending:
            name, part = self._pending.popleft()
            if size > LARGEST_DEFINITIONS:
                made[name] = {"description": f"{name}, as the service documents it."}
                continue
            made[name] = self.converted(part)
            size += len(json.dumps(made[name]))
        return made

    def _defined(self, ref: str, base: str) -> str:
        address, part = self._references.target(ref, base)
        if address not in self._names:
            last = _FOREIGN.sub("_", unquote(address.rpartition("/")[2])) or "schema"
            taken = set(self._names.values())
            number, name = 1, last
            while name in taken:
                number += 1
                name = f"{last}_{number}"
            self._names[address] = name
            self._pending.append((name, part))
        return f"#/$defs/{self._names[address]}"

    def _word(self, word: str, held: Any, base: str) -> Any:
        """Return what a word of a schema says; None where it says nothing to a model."""
        if word in _ONE and isinstance(held, Mapping | bool):
            return self.converted(Part(held, base))
        if word in _LISTED and isinstance(held, list) and held:
            return [self.converted(Part(each, base)) for each in held]
        if word in _NAMED and isinstance(held, Mapping):
            return {name: self.converted(Part(each, base)) for name, each in held.items()}
        return _plain_word(word, held)


def _plain_word(word: str, held: Any) -> Any:
    if word == "type":
        return _type(held)
    is_sound = _SOUND.get(word)
    return held if is_sound is not None and is_sound(held) else None


def _type(held: Any) -> Any:
    if isinstance(held, list):
        known = [each for each in held if isinstance(each, str) and each in _TYPES]
        return list(dict.fromkeys(known)) or None
    return held if isinstance(held, str) and held in _TYPES else None


def _bounded(made: dict[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """Write bounds of 3.0, which a flag makes exclusive, as JSON Schema has them."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if value.get(exclusive) is True and bound in made:
            made[exclusive] = made.pop(bound)
    return made


def _nullable(made: dict[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """Let a schema take null where 3.0 says so."""
    if value.get("nullable") is not True:
        return made
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    if isinstance(made.get("type"), str):
        return {**made, "type": [made["type"], "null"]}
    if "type" in made or not any(word in made for word in ("allOf", "anyOf", "oneOf")):
        return made
    about: dict[str, Any] = {
        word: made.pop(word) for word in ("title", "description", "default") if word in made
    }
    return {**about, "anyOf": [made, {"type": "null"}]}


def _without_what_cannot_be_sent(
    made: dict[str, Any], value: Mapping[str, Any], base: str, references: References
) -> None:
    """Leave out the properties that a service gives and does not take."""
    properties = value.get("properties")
    if not isinstance(properties, Mapping):
        return
    given = {name for name, each in properties.items() if _is_read_only(each, base, references)}
    if given:
        made["properties"] = {k: v for k, v in made["properties"].items() if k not in given}
        if "required" in made:
            made["required"] = [name for name in made["required"] if name not in given]


def _is_read_only(schema: Any, base: str, references: References) -> bool:
    if isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
        try:
            schema = references.target(schema["$ref"], base)[1].value
        except NoTool:
            return False
    return isinstance(schema, Mapping) and schema.get("readOnly") is True


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_pattern(value: object) -> bool:
    """Say whether a pattern can be checked here; those of other languages may not be."""
    if not isinstance(value, str):
        return False
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _is_count(value: object) -> bool:
    return _is_number(value) and isinstance(value, int) and value >= 0


def _is_factor(value: object) -> bool:
    return isinstance(value, int | float) and _is_number(value) and value > 0


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len({*value}) == len(value)


def _is_format(value: object) -> bool:
    return isinstance(value, str) and value not in _IDLE_FORMATS


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_SOUND: Final[Mapping[str, Callable[[object], bool]]] = {
    "enum": _is_list,
    "required": _is_names,
    "title": _is_text,
    "description": _is_text,
    "default": lambda _: True,
    "const": lambda _: True,
    "format": _is_format,
    "pattern": _is_pattern,
    "uniqueItems": _is_flag,
    "multipleOf": _is_factor,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_count),
    **dict.fromkeys(("minProperties", "maxProperties"), _is_count),
}
"""The words that a model reads, and what says that one is sound; others are left out."""
