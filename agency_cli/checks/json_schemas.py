"""Whole JSON Schemas, such as those of final outputs: sound, of an object, without slips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agency_cli.checks.nearest import nearest
from agency_cli.checks.schema_words import WORDS, subschemas
from agency_cli.checks.subject import Path

_OBJECT: Final = "the answer of a model is one object; write `type: object` at the top"

Fault = tuple[Path, str, bool]
"""Where it is, what is wrong, and whether it is the key there."""


def faults_of(schema: Mapping[str, Any], *, is_output: bool) -> Iterator[Fault]:
    """Yield what is wrong with a JSON Schema (draft 2020-12).

    Args:
        schema: The schema.
        is_output: It is that of a final output, which has to be an object.
    """
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 - slow, rarely needed

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield tuple(error.absolute_path), f"this is no JSON Schema: {error.message}", False
        return
    is_object = schema.get("type") == "object" or {"$ref", "anyOf", "oneOf"} & schema.keys()
    if is_output and not is_object:
        yield (), _OBJECT, False
    for place, part in subschemas(schema):
        for word in part:
            # Words of other vocabularies are allowed; what is nearly one of ours is a slip.
            if word not in WORDS and not word.startswith(("$", "x-")):
                meant = nearest(word, sorted(WORDS))
                if meant:
                    what = f"{word!r} has no effect in a JSON Schema (did you mean {meant!r}?)"
                    yield (*place, word), what, True
        reference = part.get("$ref")
        if isinstance(reference, str) and _leads_nowhere(schema, reference):
            yield (*place, "$ref"), f"{reference!r} leads nowhere in this schema", False


def _leads_nowhere(schema: Mapping[str, Any], reference: str) -> bool:
    if reference in {"#", ""}:
        return False
    if not reference.startswith("#/"):
        # Nothing is fetched: not from a file, and not from the network.
        return True
    found: Any = schema
    for part in reference[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, Mapping) and name in found:
            found = found[name]
        else:
            return True
    return False
