"""Every value of the format, made faulty: it is named, hides nothing, and brings nothing along."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agency_cli.loading import check_manifest
from agency_cli.loading.composing import compose
from agency_cli.loading.follow_ups import _CAUSES
from agency_cli.manifest import Manifest

WHOLE = (Path(__file__).parents[2] / "manifests" / "every_key.yaml").read_text(encoding="utf-8")
DOCUMENT = compose(WHOLE, "every_key.yaml")[0].data()
# What holds anything, or what the values of params are compared with.
FREE = {
    "options",
    "extra_params",
    "extra_query",
    "extra_body",
    "extra_args",
    "context_management",
    "prompt_cache_options",
    "json_schema",
    "output_schema",
    "enum",
    "default",
}
# Taken nowhere, while a text, a number, a truth value and a mapping each are somewhere.
FAULTS = {"a list of lists": [[1]], "not a number": float("nan")}
HEAD = """\
version: 1
name: demo
models: {fast: {model: x}}
tools: {add: {python: "json:dumps"}}
agents:
  a: {instructions: Lead., description: Leads., model: fast, tools: [add]}
  b: {instructions: Write., description: Writes.}
"""
CLASH = ["tool-name-clash"]


def values(value, path=()):
    """Yield the path of every value whose type the format decides."""
    pairs = enumerate(value) if isinstance(value, list) else value.items()
    for key, inner in pairs:
        is_free = str(key).startswith("x-") or key in FREE
        if not is_free:
            yield (*path, key)
        if isinstance(inner, list | dict) and not is_free:
            yield from values(inner, (*path, key))


PATHS = list(values(DOCUMENT))


def changed(document, path, value):
    if not path:
        return value
    pairs = enumerate(document) if isinstance(document, list) else document.items()
    parts = {
        key: changed(inner, path[1:], value) if key == path[0] else inner for key, inner in pairs
    }
    return list(parts.values()) if isinstance(document, list) else parts


def checked(document, folder):
    """Check a document; YAML takes all JSON."""
    path = folder / "agency.yaml"
    text = json.dumps(document).replace("NaN", ".nan")
    path.write_text(text, encoding="utf-8")
    return list(check_manifest(path, environ={}))


def codes(text, folder):
    path = folder / "agency.yaml"
    path.write_text(text, encoding="utf-8")
    return [problem.code for problem in check_manifest(path, environ={})]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("section", DOCUMENT)
def test_a_faulty_value_is_told_in_its_place_and_brings_no_other_problem(section, fault, tmp_path):
    if section.startswith("x-"):
        pytest.skip("free-form keys hold anything")
    for path in PATHS:
        if path[0] != section:
            continue
        found = checked(changed(DOCUMENT, path, FAULTS[fault]), tmp_path)
        elsewhere = [str(problem) for problem in found if problem.path[: len(path)] != path]
        assert elsewhere == [], path
        assert found, path


@pytest.mark.parametrize("section", DOCUMENT)
def test_a_faulty_value_hides_no_problem_elsewhere(section, tmp_path):
    document = json.loads(json.dumps(DOCUMENT))
    document["agents"]["zoe"] = {"instructions_file": "gone.md", "tools": ["nothing"]}
    document["flows"] += ["ceo > zoe > zoe", "ceo > nobody"]
    hidden = ["missing-file", "unknown-agent", "unknown-tool", "self-flow"]
    for path in PATHS:
        # What these hold is not there any more, or not known.
        if path[0] != section or section.startswith("x-") or path in (("agents",), ("flows",)):
            continue
        found = [problem.code for problem in checked(changed(document, path, [[1]]), tmp_path)]
        expected = [code for code in hidden if path != ("tools",) or code != "unknown-tool"]
        assert [code for code in found if code in hidden] == expected, path


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("version: 1", "version: 2", ["unknown-version"]),
        ("name: demo\n", "", ["missing-key"]),
        ("instructions: Write.", "max_turns: x, instructions: Write.", ["wrong-type"]),
        ("instructions: Write.", "instructions_file: [b.md]", ["wrong-type"]),
        ("model: fast", "model: [fast]", ["wrong-type"]),
        ("model: x", "model: x, price: {input: .inf}", ["missing-key", "bad-value"]),
        ("tools: [add]", "tools: add", ["wrong-type"]),
        ("tools: [add]", "tools: [[add]]", ["wrong-type"]),
        ('python: "json:dumps"', "", ["missing-key"]),
        ('python: "json:dumps"', 'python: "json:dumps", builtin: files', ["two-kinds"]),
        ("  b:", "  2b: {instructions: x}\n  b:", ["bad-name"]),
    ],
)
def test_a_fault_of_shape_does_not_hide_the_flows(old, new, found, tmp_path):
    text = HEAD.replace(old, new)
    assert text != HEAD
    assert codes(text + "flows: [a > b]\n", tmp_path) == found
    assert codes(text + "flows: [a > b, a > bb, a > a]\n", tmp_path) == [
        *found,
        "unknown-agent",
        "self-flow",
    ]


@pytest.mark.parametrize(
    ("flows", "found"),
    [
        ("a > b", ["wrong-type"]),
        ("a > bb", ["wrong-type", "unknown-agent"]),
        ("[3]", ["wrong-type"]),
        ("[{from: 3, to: b}, {from: 4, to: b}]", ["wrong-type"] * 2),
        ("[{from: a, to: [3, bb]}]", ["wrong-type", "unknown-agent"]),
        ("[{from: a}]", ["missing-key"]),
        ("[{sender: a, to: bb}]", ["missing-key", "unknown-key", "unknown-agent"]),
        ("[a > b, {from: a, to: b, kind: xyz}]", ["bad-value"]),
        ("[{from: a, to: b, kind: xyz, reminder: Hi}]", ["bad-value"]),
        ("[{from: a, to: b, kind: handof, reminder: Hi}]", ["bad-value"]),
        ("[a > b, {from: a, to: b, tool_name: [x]}, {from: a, to: b, tool_name: {}}]", None),
        ("[a > b, 3.5]\nentry: {}", ["wrong-type"] * 2),
        ("[{from: a, to: b, kind: handoff}, {from: a, to: b, tool_name: transfer_to_b}]", CLASH),
        ("[{from: a, to: b, kind: x}, {from: a, to: b, tool_name: transfer_to_b}]", ["bad-value"]),
        ("[{from: a, to: b, kind: handoff}, {from: a, to: b, tool_name: [x]}]", ["wrong-type"]),
        ("[{from: a, to: b, timeout_seconds: x}, a > bb]", ["wrong-type", "unknown-agent"]),
    ],
)
def test_a_faulty_flow_does_not_hide_the_others_or_make_them_wrong(flows, found, tmp_path):
    expected = ["wrong-type"] * 2 if found is None else found
    assert codes(f"{HEAD}flows: {flows}\n", tmp_path) == expected


def test_a_misspelt_key_does_not_hide_what_is_below_it(tmp_path):
    path = tmp_path / "agency.yaml"
    text = HEAD.replace("agents:", "agnets:").replace("[add]", "[ad], max_turns: x")
    path.write_text(text.replace("tools: {add: {python", "tols: {add: {pyhton"))
    found = [(p.line, p.column, p.code) for p in check_manifest(path, environ={})]
    assert [place for place in found if place[2] != "unused-tool"] == [
        (4, 1, "unknown-key"),
        (4, 14, "unknown-key"),
        (5, 1, "unknown-key"),
        (6, 86, "wrong-type"),
        (6, 70, "unknown-tool"),
        (5, 1, "ambiguous-entry"),
    ]


@pytest.mark.parametrize("number", [".nan", ".inf", "-.inf"])
def test_a_number_without_an_end_is_refused_in_words(number, tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(f"{HEAD}entry: [a, b]\nlimits: {{max_seconds: {number}}}\n")
    (problem,) = check_manifest(path)
    assert (problem.line, problem.column, problem.code) == (9, 23, "bad-value")
    wanted = (
        "must be more than 0" if number == "-.inf" else f"must be a finite number, not {number}"
    )
    assert problem.message == wanted


def test_a_whole_number_is_written_as_one(tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(f"{HEAD}entry: [a, b]\nlimits: {{max_turns: 3.0}}\n")
    (problem,) = check_manifest(path)
    assert problem.message == "must be a whole number; write 3, not 3.0"
    path.write_text(f"{HEAD}entry: [a, b]\nlimits: {{max_turns: 3.5}}\n")
    (problem,) = check_manifest(path)
    assert problem.message == "must be a whole number, not 3.5"


def test_a_name_that_ends_with_a_line_break_is_refused(tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(HEAD.replace("  b:", '  "b\\n":'))
    (problem,) = check_manifest(path)
    assert (problem.line, problem.column, problem.code) == (7, 3, "bad-name")


def test_a_key_written_literally_is_found_in_a_value_that_cannot_be_taken(tmp_path):
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz"
    text = f"{HEAD}entry: [a, b]\nproviders: {{p: {{base_url: [{key}]}}}}\n"
    assert codes(text, tmp_path) == ["wrong-type", "unused-provider", "literal-secret"]


def test_a_param_that_a_missing_file_may_use_is_not_called_unused(tmp_path):
    text = HEAD.replace("instructions: Write.", "instructions_file: b.md")
    assert codes(f"{text}flows: [a > b]\nparams: {{x: {{default: y}}}}\n", tmp_path) == [
        "missing-file"
    ]


def test_faulty_params_are_not_also_unknown_ones(tmp_path):
    text = HEAD.replace("Write.", '"${param.x}"')
    assert codes(f"{text}flows: [a > b]\nparams: [x]\n", tmp_path) == ["wrong-type"]


def test_thousands_of_faulty_values_are_mended_without_hiding_the_rest(tmp_path):
    agents = "".join(f"  c{i}: {{instructions: x, max_turns: x}}\n" for i in range(2_000))
    found = codes(f"{HEAD}{agents}flows: [a > bb]\n", tmp_path)
    assert found == ["wrong-type"] * 100 + ["more-problems", "unknown-agent"]


def test_the_table_of_causes_names_places_that_the_format_has():
    top = set(Manifest.model_fields)
    assert {pattern[0] for causes in _CAUSES.values() for pattern in causes} <= top
