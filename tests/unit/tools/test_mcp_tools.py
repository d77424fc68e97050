"""Tools of MCP servers are tools like any other: called, told of, and answered as text."""

from __future__ import annotations

import json

import pytest

from agency_runs import build, run, runs
from fake_server import ToolCall
from mcp_agencies import is_running, one_agent, serving, started, stdio


@pytest.fixture
def desk(tmp_path, fake_server, monkeypatch):
    """An agency whose clerk has the desk."""
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    return build(tmp_path, fake_server, one_agent(server))


def call(fake_server, tool, **arguments):
    fake_server.when(tool_results=0).calls(tool, **arguments)
    fake_server.when().says("Done.")


def told(fake_server) -> str:
    """What the model was told of its call."""
    return fake_server.requests[-1].tool_outputs[-1]


def test_a_tool_of_a_server_is_called_and_shown_in_the_tree(desk, fake_server):
    call(fake_server, "mcp_desk__add", a=3)
    outcome = run(desk)
    assert outcome.output == "Done.", outcome.error
    (node,) = outcome.nodes("tool")
    assert (node.name, node.status, node.output) == ("mcp_desk__add", "ok", "5")
    assert told(fake_server) == "5"


def test_no_process_is_left_behind(desk, fake_server, tmp_path):
    call(fake_server, "mcp_desk__add", a=3)
    run(desk)
    assert len(started(tmp_path)) == 1
    assert not any(map(is_running, started(tmp_path)))


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_servers_over_http_are_called_as_well(tmp_path, fake_server, transport):
    with serving(tmp_path, transport) as url:
        sse = ", transport: sse" if transport == "sse" else ""
        agency = build(tmp_path, fake_server, one_agent(f'url: "{url}"{sse}'))
        call(fake_server, "mcp_desk__add", a=3, b=4)
        assert run(agency).output == "Done."
    assert told(fake_server) == "7"


def test_a_call_may_take_longer_than_the_clients_own_limit(desk, fake_server):
    call(fake_server, "mcp_desk__sleep", seconds=5.5)
    assert run(desk).output == "Done."
    assert told(fake_server) == "slept 5.5"


def test_agents_share_one_server_and_call_it_at_the_same_time(tmp_path, fake_server):
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    agency = build(
        tmp_path,
        fake_server,
        f"""
        tools: {{desk: {{mcp: {{{server}}}}}}}
        entry: boss
        agents:
          boss: {{instructions: You are the boss., tools: [desk]}}
          left: {{instructions: You are left., tools: [desk]}}
          right: {{instructions: You are right., tools: [desk]}}
        flows: ["boss > left, right"]
        """,
    )
    asked = [ToolCall("send_message", {"recipient_agent": name, "message": "go",
             "additional_instructions": None}) for name in ("left", "right")]  # fmt: skip
    fake_server.when(instructions="the boss", turn=0).calls_raw(*asked)
    for name in ("left", "right"):
        fake_server.when(instructions=f"You are {name}", turn=0).calls("mcp_desk__meet", name=name)
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    assert {node.output for node in outcome.nodes("tool")} == {"left met", "right met"}
    assert len(started(tmp_path)) == 1


def test_who_takes_a_conversation_over_has_its_tools(tmp_path, fake_server):
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    agency = build(
        tmp_path,
        fake_server,
        f"""
        tools: {{desk: {{mcp: {{{server}}}}}}}
        entry: boss
        agents:
          boss: {{instructions: You are the boss.}}
          clerk: {{instructions: You are the clerk., tools: [desk]}}
        flows: [{{from: boss, to: clerk, kind: handoff}}]
        """,
    )
    fake_server.when(instructions="the boss").calls("transfer_to_clerk")
    fake_server.when(instructions="the clerk", tool="mcp_desk__add", turn=0).calls(
        "mcp_desk__add", a=1
    )
    fake_server.when(instructions="the clerk").says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    assert [node.output for node in outcome.nodes("tool")] == ["3"]


def test_runs_of_one_agency_share_its_servers(desk, fake_server, tmp_path):
    fake_server.when(tool_results=0).calls("mcp_desk__add", a=3)
    fake_server.when().says("Done.")
    outcomes = runs(desk, [{}, {}, {}], together=True)
    assert [outcome.output for outcome in outcomes] == ["Done."] * 3
    assert len(started(tmp_path)) == 1


def test_only_servers_of_agents_that_can_be_reached_are_started(tmp_path, fake_server):
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    agency = build(
        tmp_path,
        fake_server,
        f"""
        tools: {{desk: {{mcp: {{{server}}}}}}}
        entry: [boss, other]
        agents:
          boss: {{instructions: You are the boss.}}
          other: {{instructions: You are other., tools: [desk]}}
        """,
    )
    fake_server.when().says("Done.")
    assert run(agency).output == "Done."
    assert started(tmp_path) == []


def test_a_server_is_started_for_a_later_run_that_needs_it(desk, fake_server, tmp_path):
    fake_server.when().says("Done.")
    assert [outcome.output for outcome in runs(desk, [{}, {}])] == ["Done."] * 2
    assert len(started(tmp_path)) == 1


def test_what_a_tool_says_went_wrong_is_told_to_the_model(desk, fake_server):
    call(fake_server, "mcp_desk__fail", reason="no paper")
    outcome = run(desk)
    (node,) = outcome.nodes("tool")
    assert node.status == "error"
    assert told(fake_server).startswith("mcp_desk__fail failed: ")
    assert "no paper" in told(fake_server)


def test_wrong_arguments_are_told_with_what_is_wrong(desk, fake_server):
    call(fake_server, "mcp_desk__add", a="many", b=2)
    run(desk)
    assert "mcp_desk__add failed" in told(fake_server)
    assert "a" in told(fake_server)


def test_arguments_that_are_no_json_are_told_as_such(desk, fake_server):
    fake_server.when(tool_results=0).calls_raw(ToolCall("mcp_desk__add", "{a: "))
    fake_server.when().says("Done.")
    assert run(desk).output == "Done."
    assert "not JSON" in told(fake_server)


def test_an_image_reaches_the_model_as_one(tmp_path, fake_server):
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    agency = build(tmp_path, fake_server, one_agent(server), api="responses")
    call(fake_server, "mcp_desk__picture")
    assert run(agency).output == "Done."
    (output,) = [item["output"] for item in fake_server.requests[-1].body["input"]
                 if item.get("type") == "function_call_output"]  # fmt: skip
    assert [part["type"] for part in output] == ["input_image"]
    assert output[0]["image_url"].startswith("data:image/png;base64,")


def test_mixed_results_are_texts_and_images_with_the_rest_in_words(tmp_path, fake_server):
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    agency = build(tmp_path, fake_server, one_agent(server), api="responses")
    call(fake_server, "mcp_desk__mixed")
    assert run(agency).output == "Done."
    (output,) = [item["output"] for item in fake_server.requests[-1].body["input"]
                 if item.get("type") == "function_call_output"]  # fmt: skip
    assert [part["type"] for part in output] == [
        "input_text", "input_image", "input_text", "input_text", "input_text",
    ]  # fmt: skip
    texts = [part.get("text") for part in output]
    assert texts[0] == "look"
    assert texts[2] == "[left out: audio/wav, 3 bytes]"
    assert texts[3] == "file:///a.txt:\ninside"
    assert texts[4] == "[left out: file:///b.bin, application/zip, 3 bytes]"


def test_structured_content_alone_is_told_as_json(desk, fake_server):
    call(fake_server, "mcp_desk__structured")
    run(desk)
    assert json.loads(told(fake_server)) == {"up": True}


def test_a_missing_argument_is_told_and_the_server_stays(desk, fake_server, tmp_path):
    fake_server.when(tool_results=0).calls("mcp_desk__add", b=1)
    fake_server.when(tool_results=1).calls("mcp_desk__add", a=1)
    fake_server.when().says("Done.")
    first, second = run(desk).nodes("tool")
    assert "wrong arguments (a missing); correct them" in first.output
    assert second.output == "3"
    assert len(started(tmp_path)) == 1


def test_a_long_result_is_cut(desk, fake_server):
    call(fake_server, "mcp_desk__long", characters=300_000)
    run(desk)
    assert "[cut here: 300,000 characters in all]" in told(fake_server)
    assert len(told(fake_server)) < 201_000


def test_schemas_are_strict_where_they_can_be_and_sound_in_any_case(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", "odd")), api="responses")
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    strict = {tool.name: tool.strict for tool in fake_server.requests[-1].tools}
    assert strict["mcp_desk__any_of"]
    assert strict["mcp_desk__of_zod"]
    assert not strict["mcp_desk__open"]
    assert not strict["mcp_desk__unknown_format"]
    assert "mcp_desk__unsound" not in strict, "no provider takes it"
    (notice,) = [event.text for event in outcome.events if "left out" in getattr(event, "text", "")]
    assert "tools.desk: the tool 'unsound' is left out, as its schema is none (7 is not" in notice
    assert all(tool.schema["properties"] is not None for tool in fake_server.requests[-1].tools)


def test_odd_schemas_take_calls(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", "odd")))
    calls = [
        ToolCall("mcp_desk__no_properties", {}),
        ToolCall("mcp_desk__ref", {"who": {"name": "Ann"}}),
        ToolCall("mcp_desk__any_of", {"id": 7}),
        ToolCall("mcp_desk__one_of", {"id": "x"}),
        ToolCall("mcp_desk__open", {"a": [1], "b": 2}),
        ToolCall("mcp_desk__draft_07", {"n": 1}),
    ]
    fake_server.when(turn=0).calls_raw(*calls)
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    assert [node.status for node in outcome.nodes("tool")] == ["ok"] * len(calls)
    assert all(text.startswith("echo ") for text in fake_server.requests[-1].tool_outputs)


def test_a_server_that_greets_before_it_answers_works(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", "banner")))
    call(fake_server, "mcp_desk__echo", text="x")
    assert run(agency).output == "Done."
    assert told(fake_server) == 'echo {"text": "x"}'


def test_a_hundred_tools_are_offered(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", "many")))
    call(fake_server, "mcp_desk__tool_099")
    assert run(agency).output == "Done."
    assert len(fake_server.requests[0].tools) == 100


def test_names_that_no_provider_takes_are_changed_and_stay_apart(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", "names")))
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    assert len(set(fake_server.requests[0].tool_names)) == 8
    again = build(tmp_path, fake_server, one_agent(stdio("raw.py", "names")))
    run(again)
    assert fake_server.requests[0].tool_names == fake_server.requests[1].tool_names


def test_allow_and_deny_choose_by_the_servers_names(tmp_path, fake_server):
    more = ', allow: ["a*", "sleep", "structurd", "n*"], deny: ["note"]'
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    agency = build(tmp_path, fake_server, one_agent(server, more=more))
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert set(fake_server.requests[0].tool_names) == {"mcp_desk__add", "mcp_desk__sleep"}
    (notice,) = [event.text for event in outcome.events if hasattr(event, "text")
                 and "allow" in event.text]  # fmt: skip
    assert "no tool of the server matches 'structurd' (did you mean 'structured'?)" in notice
    assert "it has: add, by_itself, die, env" in notice


def test_the_manifests_description_stands_before_each_tools_own(tmp_path, fake_server):
    agency = build(
        tmp_path, fake_server, one_agent(stdio("raw.py", "echo"), more=", description: The desk.")
    )
    fake_server.when().says("Done.")
    run(agency)
    assert fake_server.requests[0].tools[0].description == "The desk."


def test_rules_of_approval_know_both_names_of_a_tool(tmp_path, fake_server):
    rules = '[{tool: "fail", then: deny}, {tool: "mcp_desk__st*", then: deny}, {then: never}]'
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    agency = build(tmp_path, fake_server, one_agent(server, more=f", approval: {rules}"))
    calls = [
        ToolCall("mcp_desk__fail", {"reason": "x"}),
        ToolCall("mcp_desk__structured", {}),
        ToolCall("mcp_desk__add", {"a": 1, "b": 1}),
    ]
    fake_server.when(turn=0).calls_raw(*calls)
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert [node.status for node in outcome.nodes("tool")] == ["error", "error", "ok"]
    outputs = fake_server.requests[-1].tool_outputs
    assert "was not called: the manifest allows no such call" in outputs[0]
    assert "was not called: the manifest allows no such call" in outputs[1]


@pytest.mark.parametrize(("more", "said"), [("", "crowded"), (", one_at_a_time: true", "alone")])
def test_calls_are_made_together_or_one_at_a_time(tmp_path, fake_server, more, said):
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    agency = build(tmp_path, fake_server, one_agent(server, more=more))
    calls = [ToolCall("mcp_desk__by_itself", {"number": number}) for number in range(3)]
    fake_server.when(turn=0).calls_raw(*calls)
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    assert {node.output for node in outcome.nodes("tool")} == {said}


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_call_that_takes_too_long_is_given_up_and_the_next_is_made(
    tmp_path, fake_server, transport
):
    fake_server.when(tool_results=0).calls("mcp_desk__sleep", seconds=60)
    fake_server.when(tool_results=1).calls("mcp_desk__add", a=1)
    fake_server.when().says("Done.")
    if transport == "stdio":
        server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
        outcome = run(
            build(tmp_path, fake_server, one_agent(server, more=", timeout_seconds: 0.5"))
        )
    else:
        with serving(tmp_path, "http") as url:
            server = one_agent(f'url: "{url}"', more=", timeout_seconds: 0.5")
            outcome = run(build(tmp_path, fake_server, server))
    assert outcome.output == "Done.", outcome.error
    late, added = outcome.nodes("tool")
    assert "took longer than 0.5 s (tools.desk.timeout_seconds)" in late.output
    assert added.output == "3"
    assert len(started(tmp_path)) == 1
