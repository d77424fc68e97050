"""The words of a JSON Schema that are heeded; what else stands in one would do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from agency_cli.checks.formats import FORMATS
from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.checks.subject import Path

_BY_NAME: Final = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
)
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE: Final = frozenset(
    {
        *("items", "contains", "additionalProperties", "propertyNames", "not", "if", "then"),
        *("else", "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
    }
)
_ASSERTIONS: Final = frozenset(
    {
        *("type", "enum", "const", "format", "pattern", "minLength", "maxLength", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
        *("uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties"),
        *("required", "dependentRequired", "$ref"),
    }
)
_ANNOTATIONS: Final = frozenset(
    {
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
        *("$comment", "contentEncoding", "contentMediaType"),
    }
)
WORDS: Final = _BY_NAME | _LISTS | _SINGLE | _ASSERTIONS | _ANNOTATIONS


def subschemas(schema: Any, place: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a schema and those inside it, each with its place; data in it is no schema."""
    if not isinstance(schema, dict):
        return
    yield place, schema
    for word, part in schema.items():
        if word in _SINGLE:
            yield from subschemas(part, (*place, word))
        elif word in _BY_NAME and isinstance(part, dict):
            for name, inner in part.items():
                yield from subschemas(inner, (*place, word, name))
        elif word in _LISTS and isinstance(part, list):
            for index, inner in enumerate(part):
                yield from subschemas(inner, (*place, word, index))


def unknown_words(schema: Any) -> Iterator[tuple[Path, str]]:
    """Yield the place of each word without effect, and what is wrong with it."""
    for place, part in subschemas(schema):
        for word in part:
            if word not in WORDS and not word.startswith("x-"):
                hint = did_you_mean(word, sorted(WORDS))
                advice = hint or "; remove it, or let its name begin with `x-`"
                yield (*place, word), f"{word!r} has no effect in a param's schema{advice}"


def has_other_places(schema: Any) -> bool:
    """Say whether a schema has words, such as `$id`, that change where its references lead."""
    return any(
        word.startswith("$") and word not in WORDS
        for _, part in subschemas(schema)
        for word in part
    )


def unknown_formats(schema: Any) -> Iterator[tuple[Path, str]]:
    """Yield the place of each format that no text would be held against."""
    for place, part in subschemas(schema):
        name = part.get("format")
        if isinstance(name, str) and name not in FORMATS:
            hint = did_you_mean(name, FORMATS) or f"; there are {listed(FORMATS, most=20)}"
            yield (*place, "format"), f"the format {name!r} cannot be checked{hint}"
