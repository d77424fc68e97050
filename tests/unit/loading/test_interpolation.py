"""References inside strings."""

from __future__ import annotations

import pytest

from agency_cli.loading.interpolation import Interpolation

ENVIRON = {"HOME": "/home/demo", "EMPTY": ""}
PARAMS = {"language": "Python", "a.b-c": "odd", "trick": "${env.HOME} ${param.language}"}
NAME = ("name",)
KEY = ("providers", "x", "api_key")


def interpolation():
    return Interpolation(ENVIRON, PARAMS)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("in ${env.HOME}", "in /home/demo"),
        ("${env.HOME}${env.HOME}", "/home/demo/home/demo"),
        ("${env.UNSET:-the default}", "the default"),
        ("${env.UNSET:-}", ""),
        ("${env.EMPTY:-d}", "d"),
        ("[${env.EMPTY}]", "[]"),
        ("${env.HOME:-d}", "/home/demo"),
        ("${param.language} ${param.a.b-c}", "Python odd"),
        ("$${env.HOME} $${x}", "${env.HOME} ${x}"),
        ("$$${env.HOME}", "$${env.HOME}"),
        ("${HOME} ${} ${env} ${env.} ${env.1} ${param.}", None),
        ('{"a": {b}} {{c}} $(d) $e ${f:-g} ${ env.HOME }', None),
        ("${env.HOME", None),
        ("${params.language}", None),
        # What a reference gives is text, not another reference.
        ("${param.trick}", "${env.HOME} ${param.language}"),
    ],
)
def test_only_references_are_replaced(written, expected):
    found = interpolation()
    assert found.text(written, NAME) == (written if expected is None else expected)
    assert found.problems == []


@pytest.mark.parametrize(
    ("written", "code", "hint"),
    [
        ("${env.UNSET}", "undefined-variable", "${env.UNSET:-default}"),
        ("${param.langauge}", "unknown-param", "did you mean 'language'?"),
        ("${param.zzz}", "unknown-param", "params: {zzz: {}}"),
    ],
)
def test_a_reference_that_leads_nowhere_is_a_problem_and_stays(written, code, hint):
    found = interpolation()
    assert found.text(f"a {written} b", NAME) == f"a {written} b"
    (problem,) = found.problems
    assert (problem.code, problem.path, problem.within) == (code, NAME, written)
    assert hint in problem.message


@pytest.mark.parametrize(
    "path",
    [
        ("description",),
        ("shared_instructions",),
        ("agents", "a", "instructions"),
        ("agents", "a", "description"),
        ("tools", "a", "description"),
        ("flows", 0, "extra_params", "p", "description"),
        ("flows", 0, "reminder"),
        ("guardrails", "a", "judge", "instructions"),
        ("params", "p", "default"),
        ("params", "p", "enum", 0),
    ],
)
@pytest.mark.parametrize("written", ["${env.HOME}", "${env.UNSET:-d}"])
def test_no_variable_reaches_a_text_that_a_model_reads(path, written):
    found = interpolation()
    assert found.text(written, path) == written
    assert [problem.code for problem in found.problems] == ["env-in-prompt"]
    assert "/home/demo" not in found.problems[0].message


def test_a_file_of_instructions_is_a_prompt_though_its_name_is_none():
    found = interpolation()
    path = ("agents", "a", "instructions_file")
    assert found.text("${env.HOME}/a.md", path) == "/home/demo/a.md"
    found.text("${env.HOME}", path, prompt=True)
    assert [problem.code for problem in found.problems] == ["env-in-prompt"]


@pytest.mark.parametrize(
    "path",
    [
        KEY,
        ("providers", "x", "headers", "X-Key"),
        ("tools", "t", "mcp", "env", "TOKEN"),
        ("tools", "t", "mcp", "headers", "Authorization"),
        ("tools", "t", "headers", "X-Key"),
        ("agents", "a", "settings", "extra_headers", "X-Key"),
    ],
)
def test_an_unset_variable_of_a_credential_is_noted_for_those_who_run(path):
    found = interpolation()
    assert found.text("Bearer ${env.UNSET}${env.EMPTY}", path) == "Bearer "
    assert found.problems == []
    assert found.missing_env == {path: ("UNSET", "EMPTY")}


def test_a_default_makes_a_credential_complete():
    found = interpolation()
    assert found.text("${env.UNSET:-ollama}", KEY) == "ollama"
    assert found.missing_env == {}


def test_params_in_declarations_of_params_stay_as_written():
    found = interpolation()
    assert found.text("${param.language}", ("params", "p", "default")) == "${param.language}"
    assert found.used_params == set()


def test_strings_are_replaced_anywhere_below_and_other_values_stay():
    document = {"a": ["${param.language}", 1, None, {"b": "${env.HOME}"}], "${env.HOME}": True}
    found = interpolation()
    assert found.value(document) == {
        "a": ["Python", 1, None, {"b": "/home/demo"}],
        "${env.HOME}": True,
    }
    assert found.used_params == {"language"}
