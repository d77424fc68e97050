"""Values of params: given, defaults, and none."""

from __future__ import annotations

import pytest

from agency_cli.loading.params import read_params


@pytest.mark.parametrize(
    ("spec", "text", "value"),
    [
        ({}, "any text, = too", "any text, = too"),
        ({"type": "string"}, "", ""),
        ({"type": "integer"}, "-12", -12),
        ({"type": "number"}, "2.5e1", 25.0),
        ({"type": "number"}, "3", 3),
        ({"type": "boolean"}, "True", True),
        ({"type": "boolean"}, "false", False),
        ({"type": "integer", "enum": [1, 2]}, "2", 2),
        ({"enum": ["a", "b"]}, "b", "b"),
        ({"type": "integer", "default": 7}, "8", 8),
    ],
)
def test_a_given_text_becomes_a_value_of_the_type(spec, text, value):
    params = read_params({"p": spec}, {"p": text})
    assert params.values == {"p": value}
    assert type(params.values["p"]) is type(value)
    assert (params.complaints, params.problems) == ((), ())


@pytest.mark.parametrize(
    ("spec", "text", "said"),
    [
        ({"type": "integer"}, "1.5", "must be a whole number"),
        ({"type": "integer"}, "", "must be a whole number"),
        ({"type": "integer"}, "9" * 101, "must be a whole number"),
        ({"type": "number"}, "1e999", "must be a number"),
        ({"type": "number"}, "nan", "must be a number"),
        ({"type": "boolean"}, "yes", "must be true or false"),
        ({"enum": ["Python", "Go"]}, "Rust", "must be one of Python, Go"),
        ({"type": "boolean", "enum": [True]}, "false", "must be one of true"),
    ],
)
def test_a_given_text_that_does_not_fit_is_refused_with_what_would(spec, text, said):
    (complaint,) = read_params({"p": spec}, {"p": text}).complaints
    assert complaint == f"--param p={text}: {said}"


def test_all_that_is_wrong_with_given_values_is_said_at_once():
    declared = {"language": {"default": "Go"}, "topic": {"description": "What to write on"}}
    params = read_params(declared, {"langauge": "Go", "zzz": "1"})
    assert params.complaints == (
        "--param langauge: the manifest has no such param (did you mean 'language'?)",
        "--param zzz: the manifest has no such param; it has language, topic",
        "the param 'topic' (What to write on) has no value; give it with --param topic=VALUE",
    )
    assert params.open == {"topic"}


def test_a_param_that_is_not_required_is_empty_without_a_value():
    declared = {"a": {"required": False}, "b": {"type": "integer", "required": False}}
    params = read_params(declared, {})
    assert (params.values, params.complaints) == ({"a": "", "b": 0}, ())


def test_values_stand_in_texts_as_yaml_writes_them():
    declared = {
        "a": {"type": "boolean", "default": True},
        "b": {"type": "number", "default": 0.5},
        "c": {"type": "integer", "default": 3},
    }
    assert read_params(declared, {}).texts() == {"a": "true", "b": "0.5", "c": "3"}


@pytest.mark.parametrize("declared", [None, [], "x", {"p": None}, {"p": []}, {"p": {"type": []}}])
def test_declarations_of_a_wrong_shape_do_no_harm(declared):
    assert read_params(declared, {}).problems == ()
