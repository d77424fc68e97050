"""A value for any JSON Schema, made piece by piece; a writer decides what the schema leaves open.

The schema is walked, and only for a leaf (a choice, a number, a text) is the writer asked, so that
every value is finite and valid whatever the writer says. Three rules keep a writer that cannot
reason out of harm, unless a `thorough` value is wanted: what may be left out is left out, what may
be null is null, and what has a default gets it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Protocol

import jsonschema
from referencing.exceptions import Unresolvable

from agency_cli.checks.param_values import ParamValidator
from agency_cli.models.local.numbers import nearest, range_text
from agency_cli.models.local.schemas import (
    AnySchema,
    Schema,
    Unfillable,
    plain,
    type_of,
    variants_of,
)

DEEPEST = 24
LEAN_BELOW = 3
"""Levels below which even a thorough value has nothing that it need not have."""
MOST_ITEMS = 3
"""Items of a list, unless the schema asks for more."""
MOST_REQUIRED_ITEMS = 50
CONSTRAINED_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
"""Formats that the engine writes, and ends, on its own."""
_PATH = "(/[A-Za-z0-9._-]{1,30}){1,4}"
PATTERNS_OF_FORMATS = {
    "uri": rf"^https?://[a-z][a-z0-9-]{{0,30}}\.[a-z]{{2,10}}({_PATH})?$",
    "uri-reference": f"^{_PATH}$",
    "json-pointer": f"^{_PATH}$",
}
"""Of the others, texts that have them."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a writer is asked for: a name, what is said of it, and the values beside it."""

    name: str
    description: str = ""
    known: Mapping[str, Any] = field(default_factory=dict)
    depth: int = 0

    def within(self, name: str, known: Mapping[str, Any]) -> Place:
        return Place(name, known=known, depth=self.depth + 1)


class Writer(Protocol):
    """Who decides what a schema leaves open."""

    def choose(self, place: Place, options: Sequence[str]) -> str:
        """Return one of `options`, which differ."""

    def number(self, place: Place, *, whole: bool) -> Decimal:
        """Return a number; a whole one has no fraction."""

    def text(self, place: Place, *, most: int | None) -> str:
        """Return a text, of at most `most` characters if that can be."""

    def matching(self, place: Place, schema: Schema) -> str:
        """Return JSON for a string schema with a pattern or a format; it need not be valid."""


def fill(schema: Schema, writer: Writer, *, name: str = "", thorough: bool = False) -> Any:
    """Return a value that is valid under `schema`.

    Raises:
        Unfillable: None was found.
    """
    kind = jsonschema.validators.validator_for(schema, default=ParamValidator)
    validator = kind(schema)
    try:
        kind.check_schema(dict(schema))
        value = _Filler(schema, writer, thorough, validator).value(schema, Place(name))
        error = next(validator.iter_errors(value), None)
    except (jsonschema.SchemaError, Unresolvable, re.error) as problem:
        raise Unfillable(f"the schema is wrong ({str(problem).splitlines()[0]})") from problem
    if error is not None:
        raise Unfillable(error.message)
    return value


@dataclass(frozen=True, slots=True)
class _Filler:
    root: Schema
    writer: Writer
    thorough: bool
    validator: Any

    def value(self, raw: AnySchema, place: Place) -> Any:
        if place.depth > DEEPEST:
            raise Unfillable("it is nested too deep")
        schema = plain(raw, self.root)
        place = replace(place, description=schema.get("description", place.description))
        if "const" in schema:
            return schema["const"]
        if "default" in schema and not self._wants_more(place):
            return schema["default"]
        if "enum" in schema:
            return self._one_of(schema, place)
        variants = variants_of(schema)
        return self._variant(variants, schema, place) if variants else self._typed(schema, place)

    def _typed(self, schema: Schema, place: Place) -> Any:
        match type_of(schema):
            case "object":
                return self._object(schema, place)
            case "array":
                return self._array(schema, place)
            case "string":
                return self._string(schema, place)
            case "integer" | "number" as name:
                return self._number(schema, place, whole=name == "integer")
            case "boolean":
                return self.writer.choose(place, ("true", "false")) == "true"
            case _:
                return None

    def _wants_more(self, place: Place) -> bool:
        return self.thorough and place.depth < LEAN_BELOW

    def _valid(self, value: Any, schema: Schema) -> bool:
        """Whether `value` fits; references are those of the whole schema."""
        return bool(self.validator.evolve(schema=schema).is_valid(value))

    def _one_of(self, schema: Schema, place: Place) -> Any:
        allowed = [value for value in schema["enum"] if self._valid(value, schema)]
        if not allowed:
            raise Unfillable(f"{place.name or 'it'}: no value of its enum is allowed")
        if None in allowed and not self._wants_more(place):
            return None
        return self._chosen(place, {label_of(value): value for value in allowed})

    def _chosen(self, place: Place, options: Mapping[str, Any]) -> Any:
        if len(options) == 1:
            return next(iter(options.values()))
        return options[self.writer.choose(place, tuple(options))]

    def _variant(self, variants: list[Schema], schema: Schema, place: Place) -> Any:
        """Fill the variant that is chosen, or else the first that can be filled."""
        reason = f"{place.name}: none of its variants fits"
        for variant in self._in_order(variants, place):
            try:
                value = self.value(variant, replace(place, depth=place.depth + 1))
            except Unfillable as problem:
                reason = str(problem)
                continue
            if self._valid(value, schema):
                return value
        raise Unfillable(reason)

    def _in_order(self, variants: list[Schema], place: Place) -> Iterator[Schema]:
        null = [variant for variant in variants if self._is_null(variant)]
        rest = [variant for variant in variants if variant not in null]
        if null and not self._wants_more(place):
            yield from null
        if len(rest) > 1 and place.depth < LEAN_BELOW:
            labels = {f"{number} {self._title(v)}": v for number, v in enumerate(rest, 1)}
            rest.insert(0, self._chosen(place, labels))
        yield from rest
        yield from null

    def _is_null(self, variant: Schema) -> bool:
        try:
            return plain(variant, self.root).get("type") == "null"
        except Unfillable:
            return False

    def _title(self, variant: Schema) -> str:
        try:
            schema = plain(variant, self.root)
        except Unfillable:
            return ""
        return label_of(schema["const"]) if "const" in schema else str(schema.get("title", ""))

    def _object(self, schema: Schema, place: Place) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        others = schema.get("additionalProperties", True)
        value: dict[str, Any] = {}
        for name in self._names(schema, place):
            inner = place.within(name, dict(value))
            try:
                value[name] = self.value(properties.get(name, others), inner)
            except Unfillable:
                if name in required:
                    raise
        return value

    def _names(self, schema: Schema, place: Place) -> list[str]:
        """Names of an object's properties: those it must have, or all that are known of."""
        properties = list(schema.get("properties", {}))
        required = schema.get("required", [])
        names = [name for name in properties if name in required or self._wants_more(place)]
        names += [name for name in required if name not in properties]
        spare = [name for name in properties if name not in names]
        spare += [f"item_{number}" for number in range(1, MOST_REQUIRED_ITEMS)]
        names += spare[: max(0, schema.get("minProperties", 0) - len(names))]
        return names

    def _array(self, schema: Schema, place: Place) -> list[Any]:
        least = schema.get("minItems", 0)
        if least > MOST_REQUIRED_ITEMS:
            raise Unfillable(f"{place.name}: a list of {least} items is too long for this model")
        items: list[Any] = []
        for index in range(self._count(schema, place)):
            try:
                items.append(self._item(schema, place, items, index))
            except Unfillable:
                if index < least:
                    raise
                break
        return items

    def _count(self, schema: Schema, place: Place) -> int:
        fixed = schema.get("prefixItems", ())
        least, most = schema.get("minItems", 0), schema.get("maxItems", MOST_REQUIRED_ITEMS)
        if schema.get("items") is False:
            most = min(most, len(fixed))
        if place.depth >= LEAN_BELOW or least > most:
            return int(least)
        low = max(least, min(max(1, len(fixed)), most))
        counts = [str(count) for count in range(low, max(low, min(most, MOST_ITEMS)) + 1)]
        question = replace(place, description=f"how many items? {place.description}".strip())
        return int(self._chosen(question, dict(zip(counts, counts, strict=True))))

    def _item(self, schema: Schema, place: Place, before: list[Any], index: int) -> Any:
        fixed = schema.get("prefixItems", ())
        raw = fixed[index] if index < len(fixed) else schema.get("items", True)
        known = {"items before": list(before)} if before else {}
        inner = replace(place.within(place.name, known), description=place.description)
        item = self.value(raw, inner)
        if not schema.get("uniqueItems") or not _among(item, before):
            return item
        wanted = plain(raw, self.root)
        for candidate in _alternatives(item, wanted):
            if not _among(candidate, before) and self._valid(candidate, wanted):
                return candidate
        raise Unfillable(f"{place.name}: there are too few different items")

    def _string(self, schema: Schema, place: Place) -> str:
        pattern = schema.get("pattern") or PATTERNS_OF_FORMATS.get(schema.get("format", ""))
        if pattern or schema.get("format") in CONSTRAINED_FORMATS:
            return self._constrained({**schema, "pattern": pattern} if pattern else schema, place)
        most = schema.get("maxLength")
        text = self.writer.text(place, most=most)[:most]
        while len(text) < schema.get("minLength", 0):
            text = f"{text or 'x'} {text or 'x'}"[: schema["minLength"]]
        return text

    def _constrained(self, schema: Schema, place: Place) -> str:
        kept = ("pattern", "format", "minLength", "maxLength")
        asked = {"type": "string"} | {key: schema[key] for key in kept if key in schema}
        if asked.get("format") not in CONSTRAINED_FORMATS:
            asked.pop("format", None)
        try:
            value = json.loads(self.writer.matching(place, asked))
        except json.JSONDecodeError:
            value = None
        if not isinstance(value, str) or not self._valid(value, asked):
            raise Unfillable(f"{place.name}: no text was found for {json.dumps(asked)}")
        return value

    def _number(self, schema: Schema, place: Place, *, whole: bool) -> int | float:
        described = f"{place.description} ({range_text(schema) or 'a number'})".strip()
        wanted = self.writer.number(replace(place, description=described), whole=whole)
        number = nearest(wanted, schema, whole=whole)
        return int(number) if number == number.to_integral_value() else float(number)


def label_of(value: Any) -> str:
    """Return what a value of an enum looks like to the writer."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _alternatives(item: Any, schema: Schema) -> Iterator[Any]:
    """Values like `item`, for a list in which none may stand twice."""
    yield from schema.get("enum", ())
    if isinstance(item, bool):
        yield not item
    elif isinstance(item, str):
        yield from (f"{item} {number}" for number in range(2, MOST_REQUIRED_ITEMS))
    elif isinstance(item, int | float):
        step = schema.get("multipleOf", 1)
        for count in range(1, MOST_REQUIRED_ITEMS):
            yield from (item + step * count, item - step * count)


def _among(value: Any, values: list[Any]) -> bool:
    """Equality as JSON has it, where true is not 1."""
    return json.dumps(value, sort_keys=True) in {json.dumps(v, sort_keys=True) for v in values}
