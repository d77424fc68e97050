"""Extra params: what a provider is told of them is sound, and what breaks them is refused."""

from __future__ import annotations

import json
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, model_validator

from agency_cli import SendMessage
from agency_cli.messaging.contract import Contract
from agency_cli.messaging.undelivered import Undelivered
from message_contracts import BASE, of_class, of_yaml, read, refused_by_provider

NOTHING: Any = object()
AREA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.mark.parametrize(
    ("schema", "is_strict", "good", "bad"),
    [
        ({"type": "string", "enum": ["low", "high"]}, True, "low", "medium"),
        ({"enum": ["low", 5, None]}, False, 5, "medium"),
        ({"const": "now", "type": "string"}, True, "now", "later"),
        ({"type": "string", "format": "date"}, True, "2026-02-28", "2026-02-30"),
        ({"type": "string", "format": "uri"}, False, "mailto:a@b.org", "here"),
        ({"type": "string", "pattern": "^[A-Z]{2}$"}, True, "DE", "de"),
        ({"type": "string", "minLength": 2}, False, "ab", "a"),
        ({"type": "integer", "minimum": 1, "maximum": 30}, True, 30, 31),
        ({"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5}, True, 1.5, 0),
        ({"type": "number", "multipleOf": 0.1}, True, 0.3, 0.35),
        ({"type": "number", "multipleOf": 0.01}, True, 19.99, 19.999),
        ({"type": "number", "multipleOf": 1e-300}, True, 1e300, "1"),
        ({"type": "number", "multipleOf": 3}, True, 10**400 * 3, 10**400),
        ({"type": "boolean"}, True, False, "no"),
        ({"type": ["string", "null"]}, True, None, 5),
        ({"type": "array", "items": {"type": "integer"}, "maxItems": 2}, True, [1, 2], [1, 2, 3]),
        ({"type": "array"}, False, [1, "a"], {}),
        ({"type": "array", "items": AREA, "uniqueItems": True}, False, [], [1]),
        (AREA, True, {"name": "x"}, {}),
        ({**AREA, "required": []}, False, {}, {"name": 5}),
        ({"type": "object"}, False, {"any": "thing"}, "thing"),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            False,
            {"a": 1},
            {"a": "x"},
        ),
        ({**AREA, "additionalProperties": True}, False, {"name": "x", "more": 1}, {"more": 1}),
        ({"type": "object", "patternProperties": {"^n": {"type": "null"}}}, False, {}, {"n": 1}),
        ({"anyOf": [{"type": "integer"}, AREA]}, True, {"name": "x"}, "x"),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, True, 5, [5]),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, False, "ab", "a"),
        ({"not": {"type": "string"}}, False, 5, "x"),
        ({}, False, {"any": ["thing"]}, NOTHING),
    ],
)
def test_a_param_in_yaml_is_strict_where_it_can_be_and_kept_where_it_cannot(
    schema, is_strict, good, bad
):
    contract = of_yaml(p=schema)
    assert refused_by_provider(contract) == []
    assert contract.tool_schema(["worker"])[1] == is_strict
    assert read(contract, p=good).p == good
    with pytest.raises(Undelivered, match="invalid parameters"):
        read(contract, **({} if bad is NOTHING else {"p": bad}))


def test_a_default_is_told_to_the_model_and_stands_in_where_it_sends_none():
    contract = of_yaml(days={"type": "integer", "description": "How long.", "default": 7})
    schema, strict = contract.tool_schema(["worker"])
    assert strict
    assert schema["properties"]["days"] == {
        "type": "integer",
        "description": "How long. Usually 7.",
    }
    assert read(contract).days == 7
    assert read(contract, days=2).days == 2


def test_a_default_inside_an_object_is_told_too_and_the_schema_stays_strict():
    inner = {"type": "object", "properties": {"unit": {"type": "string", "default": "EUR"}}}
    contract = of_yaml(price=inner)
    schema, strict = contract.tool_schema(["worker"])
    assert strict
    assert schema["properties"]["price"]["properties"]["unit"]["description"] == 'Usually "EUR".'
    assert refused_by_provider(contract) == []
    assert inner["properties"]["unit"] == {"type": "string", "default": "EUR"}


def test_defaults_that_can_change_are_not_shared_between_messages():
    contract = of_yaml(tags={"type": "array", "items": {"type": "string"}, "default": []})
    read(contract).tags.append("mine")
    assert read(contract).tags == []


@pytest.mark.parametrize("name", ["schema", "json", "copy", "due-date", "class", "größe"])
def test_a_param_may_have_any_name_that_is_free(name, recwarn):
    assert read(of_yaml(**{name: {"type": "string"}}), **{name: "v"}).model_dump() == {name: "v"}
    assert not recwarn.list


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_in_json_is_refused(number):
    written = json.dumps(BASE)[:-1] + f', "p": {number}}}'
    with pytest.raises(Undelivered, match="is no number"):
        of_yaml(p={"type": "number", "maximum": 5}).read(written)


class Level(Enum):
    LOW = "low"
    HIGH = "high"


class Place(BaseModel):
    street: str
    zip: Annotated[str, Field(pattern=r"^\d{5}$")]


class Nested(BaseModel):
    place: Place
    level: Level
    others: list[Place] = Field(max_length=2)
    until: date | None = None


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


class Recursive(BaseModel):
    root: Tree


class OpenParams(BaseModel):
    counts: dict[str, int]


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: int


class Tagged(BaseModel):
    pet: Cat | Dog = Field(discriminator="kind")


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    amount: Annotated[float, Field(ge=0, le=100)]


class Address(BaseModel):
    site: AnyUrl


PLACE = {"street": "Main", "zip": "12345"}
NESTED = {"place": PLACE, "level": "high", "others": [PLACE], "until": None}


@pytest.mark.parametrize(
    ("params", "is_strict", "good", "bad", "told"),
    [
        (Nested, True, NESTED, {**NESTED, "place": {**PLACE, "zip": "1"}}, "place.zip"),
        (Nested, True, NESTED, {**NESTED, "level": "medium"}, "'low' or 'high'"),
        (Nested, True, NESTED, {**NESTED, "others": [PLACE] * 3}, "others"),
        (Nested, True, {**NESTED, "until": "2026-03-01"}, {**NESTED, "until": "soon"}, "until"),
        (
            Recursive,
            True,
            {"root": {"name": "a", "children": [{"name": "b", "children": []}]}},
            {"root": {"name": "a", "children": [{}]}},
            "root.children.0.name",
        ),
        (OpenParams, False, {"counts": {"a": 1}}, {"counts": {"a": "x"}}, "counts.a"),
        (Tagged, False, {"pet": {"kind": "dog", "tricks": 2}}, {"pet": {"kind": "dog"}}, "tricks"),
        (Closed, True, {"amount": 3}, {"amount": 101}, "less than or equal to 100"),
        (Address, False, {"site": "https://example.org/"}, {"site": "here"}, "site"),
    ],
)
def test_models_of_a_class_are_told_checked_and_given_as_they_are(
    params, is_strict, good, bad, told
):
    contract = of_class(params)
    assert refused_by_provider(contract) == []
    assert contract.tool_schema(["worker"])[1] == is_strict
    given_params = read(contract, **good)
    assert isinstance(given_params, params)
    assert given_params.model_dump(mode="json") == params(**good).model_dump(mode="json")
    with pytest.raises(Undelivered, match=told):
        read(contract, **bad)


def test_a_rule_over_several_params_is_told_when_it_is_broken():
    class Range(BaseModel):
        low: int
        high: int

        @model_validator(mode="after")
        def in_order(self):
            if self.low > self.high:
                raise ValueError("low must be at most high")
            return self

    contract = of_class(Range)
    assert read(contract, low=1, high=2).low == 1
    with pytest.raises(Undelivered, match="low must be at most high"):
        read(contract, low=2, high=1)


def test_an_alias_is_what_the_model_writes():
    class Renamed(BaseModel):
        severity: str = Field(alias="how_grave")

    contract = of_class(Renamed)
    assert "how_grave" in contract.tool_schema(["worker"])[0]["properties"]
    assert read(contract, how_grave="very").severity == "very"


def test_a_bare_annotation_is_no_param_and_yaml_adds_to_the_class():
    class Request(SendMessage):
        urgency: int

        class ExtraParams(BaseModel):
            severity: Literal["minor", "major"]

    contract = Contract(Request, {"days": {"type": "integer"}})
    names = list(contract.tool_schema(["worker"])[0]["properties"])
    assert names == [*BASE, "severity", "days"]
    params = read(contract, severity="minor", days=3)
    assert (params.severity, params.days) == ("minor", 3)
