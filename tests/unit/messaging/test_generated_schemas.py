"""Any JSON Schema may be an extra param: generated ones, with values that keep and break them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agency_cli.messaging.undelivered import Undelivered
from message_contracts import of_yaml, read, refused_by_provider

SCALARS = st.one_of(
    st.builds(lambda values: {"type": "string", "enum": values}, st.just(["a", "b"])),
    st.builds(
        lambda low: {"type": "integer", "minimum": low, "maximum": low + 3}, st.integers(0, 5)
    ),
    st.sampled_from(
        [{"type": "string"}, {"type": "boolean"}, {"type": "null"}, {"type": ["number", "null"]}]
    ),
)


def _objects(parts):
    def build(properties, required, defaults, closed):
        for name, part in properties.items():
            if name in defaults:
                properties[name] = {**part, "default": None}
        schema = {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name in required],
        }
        return {**schema, "additionalProperties": False} if closed else schema

    names = st.sampled_from("xyz")
    return st.builds(
        build,
        st.dictionaries(names, parts, max_size=3),
        st.sets(names),
        st.sets(names),
        st.booleans(),
    )


SCHEMAS = st.recursive(
    SCALARS,
    lambda parts: st.one_of(
        _objects(parts),
        st.builds(lambda items: {"type": "array", "items": items, "maxItems": 2}, parts),
        st.builds(lambda first, second: {"anyOf": [first, second]}, parts, parts),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 9), st.sampled_from(["a", "b", "c"])),
    lambda parts: st.one_of(
        st.lists(parts, max_size=3), st.dictionaries(st.sampled_from("xyzw"), parts, max_size=3)
    ),
    max_leaves=6,
)


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return what a provider in strict mode lets its model send."""
    if "anyOf" in schema:
        return st.one_of([values_of(part) for part in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of([_values_of_type(kind, schema) for kind in kinds])


def _values_of_type(kind: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    match kind:
        case "object":
            return st.fixed_dictionaries(
                {name: values_of(part) for name, part in schema["properties"].items()}
            )
        case "array":
            return st.lists(values_of(schema["items"]), max_size=schema["maxItems"])
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case _:
            plain = {"string": st.text(max_size=3), "boolean": st.booleans(), "null": st.none()}
            return plain.get(kind, st.integers(-9, 9))


@settings(max_examples=150, deadline=None)
@given(schema=SCHEMAS, value=VALUES)
def test_any_schema_gives_a_sound_tool_and_lets_through_just_what_it_allows(schema, value):
    contract = of_yaml(p=schema)
    assert refused_by_provider(contract) == []
    if Draft202012Validator(schema).is_valid(value):
        assert read(contract, p=value).p == value
    else:
        with pytest.raises(Undelivered, match="invalid parameters"):
            read(contract, p=value)


@settings(max_examples=150, deadline=None)
@given(schema=SCHEMAS, data=st.data())
def test_what_a_strict_tool_allows_a_model_to_send_is_never_refused(schema, data):
    contract = of_yaml(p=schema)
    told, strict = contract.tool_schema(["worker"])
    if strict:
        value = data.draw(values_of(told["properties"]["p"]))
        assert read(contract, p=value).p == value
