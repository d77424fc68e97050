"""Names of tools: one that an agent would offer twice is found as early as can be, told once."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from agency_cli.building import build_agency
from agency_cli.errors import ManifestError
from agency_cli.loading import load_manifest
from agency_cli.manifest import FilesTool, PythonTool
from agency_cli.models.choice import ModelOverrides
from agency_cli.tools.builtin.files import files_tools
from agency_cli.tools.python import python_tools

TEAM = """\
version: 1
name: demo
tools:
  notes: {{builtin: files, root: notes}}
  drafts: {{builtin: files, root: drafts, read_only: true}}
  own: {{python: "tools.py:own"}}
  named: {{python: "tools.py:own", name: other}}
agents:
  boss: {{instructions: Lead., description: Leads., tools: [{tools}]}}
  a: {{instructions: Write., description: Writes.}}
  b: {{instructions: Write., description: Writes.}}
entry: boss
flows:
{flows}
"""
FILES = """
from agency_cli import SendMessage

def own() -> str:
    "Own."
    return ""

class Note(SendMessage):
    tool_name = "own"

class Moves(SendMessage):
    tool_name = "transfer_to_a"

class Plain(SendMessage):
    "Ask."
"""
FLOWS = [
    "boss > a",
    "{from: boss, to: b}",
    "{from: boss, to: b, extra_params: {days: {type: integer}}}",
    "{from: boss, to: a, kind: handoff}",
    "{from: boss, to: b, tool_name: transfer_to_a}",
    "{from: boss, to: b, tool_name: read_file}",
    "{from: boss, to: b, tool_name: other}",
    "{from: boss, to: a, tool_name: other, extra_params: {days: {type: integer}}}",
]
TOOLS = [[], ["notes"], ["drafts"], ["notes", "drafts"], ["named"]]


def built(folder: Path, flows: list[str], tools: list[str]):
    (folder / "tools.py").write_text(FILES)
    lines = "\n".join(f"  - {flow}" for flow in flows)
    path = folder / "agency.yaml"
    path.write_text(TEAM.format(flows=lines, tools=", ".join(tools)))
    loaded = load_manifest(path, environ={})
    overrides = ModelOverrides(everyone="gpt-5-mini")
    environ = {"OPENAI_API_KEY": "k"}
    return build_agency(loaded, overrides=overrides, environ=environ, notify=lambda _: None)


@pytest.mark.parametrize("tools", TOOLS, ids="+".join)
def test_what_needs_no_python_to_be_seen_is_never_left_to_building(tmp_path, tools):
    refused = 0
    for flows in itertools.combinations(FLOWS, 2):
        try:
            agency = built(tmp_path, list(flows), tools)
        except ManifestError as error:
            refused += 1
            codes = {problem.code for problem in error.problems if problem.severity == "error"}
            assert codes <= {"tool-name-clash", "duplicate-flow"}, flows
            with pytest.raises(ManifestError):
                load_manifest(tmp_path / "agency.yaml", environ={})
        else:
            boss = agency.agents["boss"]
            names = [*(t.name for t in boss.tools), *(h.tool_name for h in boss.handoffs)]
            assert len(names) == len(set(names)), flows
    assert refused


@pytest.mark.parametrize(
    ("flow", "tools", "path", "advice"),
    [
        (
            "{from: boss, to: b, tool_name: own}",
            ["own"],
            "agents.boss.tools[0]",
            "give tools.own another `name`",
        ),
        (
            "{from: boss, to: b, send_message: 'tools.py:Note'}",
            ["own"],
            "agents.boss.tools[0]",
            "give tools.own another `name`",
        ),
        (
            "{from: boss, to: b, send_message: 'tools.py:Moves'}",
            [],
            "flows[1]",
            "give flows[1] another `tool_name`",
        ),
    ],
)
def test_what_only_importing_tells_is_told_when_the_agency_is_built(
    tmp_path, flow, tools, path, advice
):
    with pytest.raises(ManifestError) as caught:
        built(tmp_path, ["{from: boss, to: a, kind: handoff}", flow], tools)
    (problem,) = caught.value.problems
    load_manifest(tmp_path / "agency.yaml", environ={})
    assert (problem.code, problem.dotted_path) == ("tool-name-clash", path)
    assert advice in problem.message
    assert problem.line


def test_a_class_beside_a_plain_flow_of_its_name_is_told_when_the_agency_is_built(tmp_path):
    flows = ["boss > a", "{from: boss, to: b, send_message: 'tools.py:Plain'}"]
    with pytest.raises(ManifestError) as caught:
        built(tmp_path, flows, [])
    (problem,) = caught.value.problems
    assert problem.code == "tool-name-clash"
    assert "class and extra_params" in problem.message


@pytest.mark.parametrize("read_only", [False, True])
def test_the_names_of_the_files_tools_are_those_that_the_check_knows(tmp_path, read_only):
    spec = FilesTool(builtin="files", root="x", read_only=read_only)
    assert sorted(spec.known_names) == sorted(tool.name for tool in files_tools(spec, tmp_path))


def test_the_name_of_a_python_tool_is_the_one_that_the_check_knows(tmp_path):
    (tmp_path / "tools.py").write_text(FILES)
    spec = PythonTool(python="tools.py:own", name="other")
    assert spec.known_names == tuple(tool.name for tool in python_tools(spec, tmp_path))
