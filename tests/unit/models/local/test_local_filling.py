"""Every value that is made for a schema is valid under it, whatever the writer says."""

from __future__ import annotations

import json
import random
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agency_cli.models.local.filling import fill
from agency_cli.models.local.schemas import Unfillable


class AnyWriter:
    """Says anything; only a choice is one of its options, as the grammar of a model makes it."""

    def __init__(self, seed=0):
        self.random = random.Random(seed)  # noqa: S311 - no secret
        self.asked = []

    def choose(self, place, options):
        self.asked.append(place)
        return self.random.choice(options)

    def number(self, place, *, whole):
        self.asked.append(place)
        number = self.random.randint(-999_999, 999_999)
        return Decimal(number) if whole else Decimal(number) / 1000

    def text(self, place, *, most):
        self.asked.append(place)
        assert most is None or most >= 0
        return self.random.choice(["", "a", "two words", 'quotes " and \\', "long " * 100, "ü\n😀"])

    def matching(self, place, schema):
        self.asked.append(place)
        assert "pattern" in schema or "format" in schema
        return self.random.choice(['"2026-01-31"', '"AB-12"', '"', "12"])


bounds = st.integers(-50, 50)


def with_bounds(schema, low, high):
    return {**schema, low[0]: min(low[1], high[1]), high[0]: max(low[1], high[1])}


scalars = st.one_of(
    st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"type": "string"}, True, {}]),
    st.builds(
        lambda kind, a, b: with_bounds({"type": kind}, ("minimum", a), ("maximum", b)),
        st.sampled_from(["integer", "number"]),
        bounds,
        bounds,
    ),
    st.builds(
        lambda a, unit: {"type": "integer", "exclusiveMinimum": a, "multipleOf": unit},
        bounds,
        st.integers(1, 9),
    ),
    st.builds(
        lambda a: {"type": "number", "exclusiveMaximum": a, "exclusiveMinimum": a - 1}, bounds
    ),
    st.builds(
        lambda a, b: with_bounds({"type": "string"}, ("minLength", a), ("maxLength", b)),
        st.integers(0, 30),
        st.integers(0, 30),
    ),
    st.builds(
        lambda values: {"enum": values},
        st.lists(st.one_of(st.text(), st.integers(), st.none(), st.booleans()), min_size=1),
    ),
    st.builds(lambda value: {"const": value}, st.one_of(st.text(), st.integers(), st.none())),
    st.just({"$ref": "#/$defs/node"}),
    st.just({"$ref": "#/$defs/word"}),
)


def compounds(inner):
    names = st.sampled_from(["path", "content", "count", "items", "a b", "message"])
    properties = st.dictionaries(names, inner, max_size=3)
    return st.one_of(
        st.builds(
            lambda props, cut: {
                "type": "object",
                "properties": props,
                "required": list(props)[:cut],
                "additionalProperties": False,
            },
            properties,
            st.integers(0, 3),
        ),
        st.builds(
            lambda item, least, more: {
                "type": "array",
                "items": item,
                "minItems": least,
                "maxItems": least + more,
            },
            inner,
            st.integers(0, 2),
            st.integers(0, 3),
        ),
        st.builds(lambda one: {"anyOf": one}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda one: {"anyOf": [one, {"type": "null"}]}, inner),
        st.builds(
            lambda props: {"type": "object", "minProperties": 2, "properties": props}, properties
        ),
    )


DEFINITIONS = {
    "word": {"type": "string", "maxLength": 12},
    "node": {
        "type": "object",
        "properties": {
            "name": {"$ref": "#/$defs/word"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
        },
        "required": ["name", "children", "next"],
    },
}
schemas = st.builds(
    lambda props: {
        "type": "object",
        "properties": props,
        "required": list(props),
        "$defs": DEFINITIONS,
    },
    st.dictionaries(
        st.sampled_from(["one", "two", "three"]),
        st.recursive(scalars, compounds, max_leaves=6),
        max_size=3,
    ),
)


@settings(deadline=None, max_examples=150)
@given(schema=schemas, thorough=st.booleans(), seed=st.integers(0, 9))
def test_any_writer_makes_a_valid_value_of_any_schema(schema, thorough, seed):
    value = fill(schema, AnyWriter(seed), thorough=thorough)
    Draft202012Validator(schema).validate(json.loads(json.dumps(value)))


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "integer", "minimum": 5, "maximum": 4}, "no number is at least 5, at most 4"),
        ({"type": "integer", "minimum": 1, "maximum": 2, "multipleOf": 3}, "no number is"),
        ({"type": "array", "items": False, "minItems": 1}, "allows nothing"),
        ({"type": "array", "items": {"enum": [1]}, "minItems": 2, "uniqueItems": True}, "too few"),
        ({"type": "array", "items": {}, "minItems": 1000}, "too long for this model"),
        ({"$ref": "#/$defs/none"}, "which does not exist"),
        ({"$ref": "https://example.org/schema"}, "another document"),
        ({"$ref": "#"}, "in a circle"),
        ({"type": "strin"}, "the schema is wrong"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "nothing is both"),
        ({"type": "string", "pattern": "^[0-9]{9}$"}, "no text was found"),
        ({"type": "string", "not": {}}, "should not be valid"),
        (
            {
                "type": "object",
                "properties": {"a": {"$ref": "#"}},
                "required": ["a"],
            },
            "nested too deep",
        ),
    ],
)
def test_a_schema_that_nothing_fulfils_is_told_with_the_reason(schema, reason):
    with pytest.raises(Unfillable, match=reason):
        fill(schema, AnyWriter())


def test_what_may_be_left_out_is_left_out():
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "default": "."},
            "note": {"type": ["string", "null"]},
            "extra": {"type": "string"},
        },
        "required": ["path", "note"],
    }
    writer = AnyWriter()
    assert fill(schema, writer) == {"path": ".", "note": None}
    assert writer.asked == []


def test_a_thorough_value_has_what_may_be_left_out():
    schema = {
        "type": "object",
        "properties": {"done": {"type": ["boolean", "null"]}, "count": {"type": "integer"}},
    }
    value = fill(schema, AnyWriter(), thorough=True)
    assert set(value) == {"done", "count"}
    assert isinstance(value["done"], bool)


def test_the_writer_is_told_the_description_the_range_and_the_values_before():
    schema = {
        "type": "object",
        "properties": {
            "unit": {"const": "km"},
            "length": {"type": "integer", "minimum": 3, "description": "How long"},
        },
        "required": ["unit", "length"],
    }
    writer = AnyWriter()
    fill(schema, writer)
    (place,) = writer.asked
    assert (place.name, place.description) == ("length", "How long (at least 3)")
    assert place.known == {"unit": "km"}


def test_items_that_must_differ_do():
    schema = {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "uniqueItems": True}
    for seed in range(5):
        assert sorted(fill(schema, AnyWriter(seed))) == [False, True]


def test_of_several_schemas_for_one_value_all_are_kept():
    schema = {
        "allOf": [
            {"type": "object", "properties": {"a": {"minimum": 3}}, "required": ["a"]},
            {"properties": {"a": {"type": "integer", "maximum": 3}, "b": {"const": 1}}},
            {"required": ["b"]},
        ]
    }
    assert fill(schema, AnyWriter()) == {"a": 3, "b": 1}


def test_the_first_variant_that_can_be_filled_is_taken():
    schema = {"oneOf": [{"type": "integer", "minimum": 1, "maximum": 0}, {"const": "yes"}]}
    assert fill(schema, AnyWriter()) == "yes"
