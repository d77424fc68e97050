"""Tools that the provider runs: sent as the API takes them, and shown as they were used."""

from __future__ import annotations

import dataclasses

import agents
import pytest
from openai.types.responses import tool_param

from agency_cli.building import build_agency
from agency_cli.checks.hosted import HOSTED
from agency_cli.errors import ManifestError
from agency_cli.loading import load_manifest
from agency_cli.models.choice import ModelOverrides
from agency_runs import build, run
from fake_server import Reply, ToolCall

CLERK = """
tools:
  web: {hosted: web_search, options: {search_context_size: low}}
  papers: {hosted: file_search, options: {vector_store_ids: [vs_1], max_num_results: 3}}
  code: {hosted: code_interpreter, options: {container: {type: auto}}}
  images: {hosted: image_generation, options: {quality: low}}
  far:
    hosted: mcp
    options: {server_label: far, server_url: "https://a.example/mcp", require_approval: never}
  near:
    hosted: mcp
    options: {server_label: near, server_url: "https://b.example/mcp", require_approval: never}
agents:
  clerk: {instructions: You are the clerk., tools: [web, papers, code, images, far, near]}
"""
USED = (
    {"type": "web_search_call", "action": {"type": "search", "query": "rates"}},
    {"type": "file_search_call", "queries": ["tax"], "results": None},
    {
        "type": "code_interpreter_call",
        "code": "print(6 * 7)",
        "container_id": "c_1",
        "outputs": [{"type": "logs", "logs": "42"}],
    },
    {"type": "image_generation_call", "result": "A" * 4_000},
    {
        "type": "mcp_call",
        "server_label": "far",
        "name": "look",
        "arguments": '{"at": "x"}',
        "output": "seen",
    },
    {
        "type": "mcp_call",
        "server_label": "far",
        "name": "look",
        "arguments": "{}",
        "output": None,
        "error": {"type": "mcp_protocol_error", "code": 404, "message": "no such place"},
        "status": "failed",
    },
)


@pytest.mark.parametrize("name", HOSTED)
def test_the_options_are_those_of_the_sdk(name):
    kind = {
        "web_search": agents.WebSearchTool,
        "file_search": agents.FileSearchTool,
        "code_interpreter": tool_param.CodeInterpreter,
        "image_generation": agents.tool.ImageGenerationToolConfig,
        "mcp": tool_param.Mcp,
    }[name]
    if dataclasses.is_dataclass(kind):
        fields = dataclasses.fields(kind)
        options = {field.name for field in fields}
        needed = {field.name for field in fields if field.default is dataclasses.MISSING}
    else:
        options = set(kind.__annotations__) - {"type"}
        # What is required cannot be asked for where annotations are postponed.
        needed = {name for name, hint in kind.__annotations__.items() if "Required" in str(hint)}
        needed -= {"type"}
    assert HOSTED[name].options == options
    # That nobody is asked about a call is to be written down.
    assert set(HOSTED[name].required) - {"require_approval"} == needed


def test_hosted_tools_are_sent_as_the_provider_takes_them(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, CLERK, api="responses")
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    tools = {tool.get("server_label", tool["type"]): tool for tool in
             fake_server.requests[0].body["tools"]}  # fmt: skip
    assert list(tools) == [
        "web_search", "file_search", "code_interpreter", "image_generation", "far", "near",
    ]  # fmt: skip
    assert tools["web_search"]["search_context_size"] == "low"
    assert tools["file_search"]["max_num_results"] == 3
    assert tools["code_interpreter"]["container"] == {"type": "auto"}
    assert tools["image_generation"]["quality"] == "low"
    assert tools["far"]["require_approval"] == "never"


def test_what_hosted_tools_did_stands_in_the_tree(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, CLERK, api="responses")
    fake_server.when().replies(Reply(text="Done.", hosted=USED))
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    shown = [(node.name, node.status, node.detail, node.output) for node in outcome.nodes("tool")]
    assert shown == [
        ("web_search", "ok", '{"action": {"type": "search", "query": "rates"}}', ""),
        ("file_search", "ok", '{"queries": ["tax"]}', ""),
        ("code_interpreter", "ok", '{"code": "print(6 * 7)"}', '[{"logs": "42", "type": "logs"}]'),
        ("image_generation", "ok", "{}", "[an image of 3,000 bytes]"),
        ("mcp_far__look", "ok", '{"at": "x"}', "seen"),
        ("mcp_far__look", "error", "{}", ""),
    ]
    assert outcome.nodes("tool")[-1].error == "no such place"
    parents = {node.parent.kind for node in outcome.nodes("tool")}
    assert parents == {"agent"}


def test_a_hosted_tool_beside_a_call_of_ours_stays_in_the_conversation(tmp_path, fake_server):
    (tmp_path / "tools.py").write_text("def ask(what: str) -> str:\n    return 'yes'\n")
    text = CLERK.replace("tools: [web", "tools: [ask, web").replace(
        "tools:\n", 'tools:\n  ask: {python: "tools.py:ask"}\n', 1
    )
    agency = build(tmp_path, fake_server, text, api="responses")
    first = Reply(hosted=USED[:1], tool_calls=(ToolCall("ask", {"what": "x"}),))
    fake_server.when(turn=0).replies(first)
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    types = [item.get("type") for item in fake_server.requests[1].body["input"]]
    assert types.count("web_search_call") == 1
    assert [node.name for node in outcome.nodes("tool")] == ["web_search", "ask"]


@pytest.mark.parametrize(
    ("environ", "overrides"),
    [
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, ModelOverrides()),
        ({}, ModelOverrides(everyone="local")),
    ],
)
def test_a_model_without_the_responses_api_is_told_at_the_tool(tmp_path, environ, overrides):
    path = tmp_path / "agency.yaml"
    path.write_text(f"version: 1\nname: test\n{CLERK}")
    loaded = load_manifest(path, environ=environ)
    with pytest.raises(ManifestError) as raised:
        build_agency(loaded, overrides=overrides, environ=environ, notify=lambda _: None)
    problems = raised.value.problems
    assert {problem.code for problem in problems} == {"needs-responses"}
    assert len(problems) == 6
    assert problems[0].path == ("agents", "clerk", "tools", 0)
    assert problems[0].line


@pytest.mark.parametrize(
    "kept",
    [
        "guardrails: [no_keys]",
        "output_schema: {type: object, properties: {name: {type: string}}, required: [name]}",
    ],
)
def test_an_answer_beside_what_the_provider_did_is_looked_at_as_any_other(
    tmp_path, fake_server, kept
):
    text = f"""
    guardrails: {{no_keys: {{applies_to: output, regex: "sk-[a-z]+"}}}}
    tools: {{web: {{hosted: web_search}}}}
    agents: {{clerk: {{instructions: You are the clerk., tools: [web], {kept}}}}}
    """
    fake_server.when().replies(Reply(text="It is sk-abc.", hosted=USED[:1]))
    done = run(build(tmp_path, fake_server, text, api="responses"))
    assert done.output is None
    assert done.error.kind == "refused"
