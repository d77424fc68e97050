"""What goes wrong easily in teams of agents, and does not here."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from agency_cli.errors import ExitCode
from agency_cli.run_context import RunMemory
from agency_cli.store import Threads, open_database
from agency_runs import build, message, run, runs
from fake_server import Fault, ModelRequest, Reply, ToolCall

TEAM = """
entry: boss
agents:
  boss: {instructions: You are the boss.}
  worker: {instructions: You are the worker.}
  other: {instructions: You are the other.}
flows:
"""
APIS = pytest.mark.parametrize("api", ["chat_completions", "responses"])


def team(*flows: str) -> str:
    return TEAM + "\n".join(f"  - {flow}" for flow in flows)


def texts(request: ModelRequest) -> list[str]:
    return [said.text for said in request.messages]


def test_runs_at_the_same_time_share_neither_instructions_nor_messages(tmp_path, fake_server):
    def answer(request: ModelRequest) -> Reply:
        mark = request.last_user_text.split()[0]
        if "boss" in request.instructions and not request.tool_outputs:
            asked = {**message("worker", f"{mark} do it"), "additional_instructions": mark * 2}
            return Reply(tool_calls=(ToolCall("send_message", asked),))
        return Reply(text=f"{mark} done", delay=0.05)

    fake_server.script(answer)
    agency = build(tmp_path, fake_server, team("boss > worker"))
    marks = [f"<{number}>" for number in range(6)]
    outcomes = runs(agency, [{"message": f"{mark} go"} for mark in marks], together=True)
    assert [outcome.output for outcome in outcomes] == [f"{mark} done" for mark in marks]
    assert len(fake_server.requests) == 18
    for request in fake_server.requests:
        assert sum(mark in json.dumps(request.body) for mark in marks) == 1
    after = run(build(tmp_path, fake_server, team("boss > worker")), "<7> go")
    assert after.output == "<7> done"
    assert {r.instructions for r in fake_server.requests} == {
        "You are the boss.",
        "You are the worker.",
    }


def test_an_agent_that_is_asked_back_sees_only_that_it_is_asked(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the boss", user="From the user", turn=0).calls(
        "send_message", **message("worker", "From the boss")
    )
    when(instructions="the boss", user="From the user").says("all done")
    when(instructions="the boss", user="From the worker").says("the boss answers")
    when(instructions="the worker", turn=0).calls(
        "send_message", **message("boss", "From the worker")
    )
    when(instructions="the worker", tool_output="the boss answers").says("done")
    outcome = run(build(tmp_path, fake_server, team("boss > worker > boss")), "From the user")
    assert outcome.output == "all done"
    (inner,) = [r for r in fake_server.requests if r.last_user_text == "From the worker"]
    assert texts(inner) == ["From the worker"]
    assert inner.instructions == "You are the boss."


def test_a_circle_of_three_goes_round_once_and_is_told_where_it_would_never_end(
    tmp_path, fake_server
):
    when = fake_server.when
    when(instructions="the boss", user="go", turn=0).calls(
        "send_message", **message("worker", "one")
    )
    when(instructions="the worker", turn=0).calls("send_message", **message("other", "two"))
    when(instructions="the other", turn=0).calls("send_message", **message("boss", "three"))
    when(instructions="the boss", user="three", turn=0).calls(
        "send_message", **message("worker", "four")
    )
    when(
        instructions="the boss",
        tool_output="worker already works on a message of boss and waits for the answer that you"
        " are asked for (boss > worker > other > boss)",
    ).says("refused")
    when(instructions="the other", tool_output="refused").says("two done")
    when(instructions="the worker", tool_output="two done").says("one done")
    when(instructions="the boss", tool_output="one done").says("all done")
    flows = team("boss > worker > other > boss")
    outcome = run(build(tmp_path, fake_server, flows))
    assert outcome.output == "all done"
    assert [node.status for node in outcome.nodes("message")] == ["ok", "ok", "ok", "error"]


def test_building_another_agency_changes_nothing_of_the_first(tmp_path, fake_server):
    fake_server.when(instructions="the boss").says("done")
    first = build(tmp_path, fake_server, team("boss > worker"))
    build(tmp_path, fake_server, team("boss > other", "worker > boss"))
    run(first)
    (request,) = fake_server.requests
    (tool,) = request.tools
    assert tool.schema["properties"]["recipient_agent"]["enum"] == ["worker"]


def test_building_calls_nobody_and_writes_nothing(tmp_path, fake_server):
    build(tmp_path, fake_server, team("boss > worker, other"))
    assert [path.name for path in tmp_path.iterdir()] == ["agency.yaml"]
    assert fake_server.requests == []


def test_agents_that_never_end_are_ended_by_the_limits_that_nobody_wrote(tmp_path, fake_server):
    numbers = itertools.count()

    def ask_on(request: ModelRequest) -> Reply:
        if "the boss" not in request.instructions:
            return Reply(text="and?")
        return Reply(tool_calls=(ToolCall("send_message", message("worker", f"{next(numbers)}")),))

    fake_server.script(ask_on)
    outcome = run(build(tmp_path, fake_server, team("boss > worker")))
    assert outcome.error.exit_code == ExitCode.LIMIT
    assert "100 model calls (limits.max_turns, set by its default)" in str(outcome.error)
    assert len(fake_server.requests) == 100
    assert outcome.tree.totals.usage.total_tokens == fake_server.counted.total.total
    assert not [node for node in outcome.tree.nodes.values() if node.status == "running"]


def test_delegations_nest_as_deep_as_the_default_allows_and_no_deeper(tmp_path, fake_server):
    names = [f"agent{number}" for number in range(11)]
    agents = "".join(f"  {name}: {{instructions: You are {name}.}}\n" for name in names)
    text = f"entry: agent0\nagents:\n{agents}flows: ['{' > '.join(names)}']\n"

    def ask_next(request: ModelRequest) -> Reply:
        number = int(request.instructions.removeprefix("You are agent").rstrip("."))
        if request.tool_outputs:
            return Reply(text=request.tool_outputs[-1])
        return Reply(tool_calls=(ToolCall("send_message", message(f"agent{number + 1}", "on")),))

    fake_server.script(ask_next)
    outcome = run(build(tmp_path, fake_server, text))
    assert "may nest 8 deep (limits.max_depth, set by its default)" in outcome.output
    assert {node.agent for node in outcome.nodes("agent")} == set(names[:9])


@APIS
def test_what_a_run_did_before_it_failed_is_remembered_by_its_thread(tmp_path, fake_server, api):
    when = fake_server.when
    when(instructions="the boss", user="first", turn=0).calls(
        "send_message", **message("worker", "do it")
    )
    when(instructions="the boss", user="first").fails(Fault.status(400))
    when(instructions="the boss", user="again").says("as I said")
    when(instructions="the worker").says("did it")
    threads = Threads(open_database(f"sqlite:///{tmp_path / 'agency.db'}"))
    thread = threads.begin(None, "test")

    def memory(name):
        return threads.conversation(thread, name)

    agency = build(tmp_path, fake_server, team("boss > worker"), api=api)
    failed, again = runs(
        agency, [{"message": text, "memory": memory} for text in ("first", "again")]
    )
    assert failed.error.exit_code == ExitCode.PROVIDER
    assert again.output == "as I said"
    seen = fake_server.requests[-1].messages
    assert [said.text for said in seen if said.text] == ["first", "did it", "again"]
    kinds = [
        (item.author, item.item.get("type", "message"))
        for item in threads.history(thread)
        if not item.conversation
    ]
    assert kinds == [
        ("", "message"),
        ("boss", "function_call"),
        ("boss", "function_call_output"),
        ("", "message"),
        ("boss", "message"),
    ]


@APIS
def test_a_recipient_that_was_stopped_in_the_middle_can_be_asked_again(tmp_path, fake_server, api):
    when = fake_server.when
    for turn, text in enumerate(("one", "two")):
        when(instructions="the boss", turn=turn).calls("send_message", **message("worker", text))
    when(instructions="the boss").says("done")
    when(instructions="the worker", user="two").says("here I am")
    when(instructions="the worker").calls("send_message", **message("other", "wait"))
    when(instructions="the other").says("late").after(30)
    flows = team("{from: boss, to: worker, timeout_seconds: 0.3}", "worker > other")
    outcome = run(build(tmp_path, fake_server, flows, api=api))
    assert outcome.output == "done"
    assert [node.status for node in outcome.nodes("agent", "worker")] == ["cancelled", "ok"]
    counted = fake_server.counted.total
    used = outcome.tree.totals.usage
    assert (used.input_tokens, used.output_tokens) == (counted.input, counted.output)
    assert used.requests == len(fake_server.requests)


def test_a_time_out_ends_the_run_where_the_flow_says_that_failures_do(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the boss").calls("send_message", **message("worker", "x"))
    when(instructions="the worker").says("late").after(30)
    flow = "{from: boss, to: worker, timeout_seconds: 0.2, on_error: fail}"
    outcome = run(build(tmp_path, fake_server, team(flow)))
    assert outcome.error.exit_code == ExitCode.FAILED
    assert "no answer within 0.2 seconds (flows[0].timeout_seconds, set by " in str(outcome.error)
    assert outcome.error.agent == "worker"
    assert len(fake_server.requests) == 2


def test_a_flow_to_several_counts_their_messages_together(tmp_path, fake_server):
    when = fake_server.when
    asked = when(instructions="the boss", turn=0)
    for name, text in (("worker", "1"), ("other", "2"), ("other", "3")):
        asked.calls("send_message", **message(name, text))
    when(instructions="the boss").says("done")
    fake_server.script(lambda _: Reply(text="ok"))
    outcome = run(
        build(tmp_path, fake_server, team("{from: boss, to: [worker, other], max_calls: 2}"))
    )
    assert outcome.output == "done"
    assert sorted(node.status for node in outcome.nodes("message")) == ["error", "ok", "ok"]
    (refused,) = [node for node in outcome.nodes("message") if node.status == "error"]
    assert "2 messages were sent on this flow" in refused.error


@APIS
def test_a_message_beside_a_handoff_is_delivered_and_read_by_the_new_agent(
    tmp_path, fake_server, api
):
    when = fake_server.when
    when(instructions="the boss").calls("send_message", **message("worker", "x")).calls(
        "transfer_to_other"
    )
    when(instructions="the worker").says("worked")
    when(instructions="the other").says("taken")
    flows = team("boss > worker", "{from: boss, to: other, kind: handoff}")
    outcome = run(build(tmp_path, fake_server, flows, api=api))
    assert outcome.output == "taken"
    assert "worked" in fake_server.requests[-1].tool_outputs


def test_a_handoff_inside_a_delegation_leaves_the_user_with_whom_he_had(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x"))
    when(instructions="the boss", turn=1).calls("send_message", **message("worker", "y"))
    when(instructions="the boss").says("done")
    when(instructions="the worker").calls("transfer_to_other")
    when(instructions="the other").says("taken")
    flows = team("boss > worker", "{from: worker, to: other, kind: handoff}")
    outcome = run(build(tmp_path, fake_server, flows))
    assert (outcome.output, outcome.tree.ended.final_agent) == ("done", "boss")
    second = [r for r in fake_server.requests if r.last_user_text == "y"]
    assert [r.instructions for r in second] == ["You are the worker.", "You are the other."]
    assert [text for text in texts(second[0]) if text in {"x", "taken", "y"}] == ["x", "taken", "y"]


def test_an_agent_with_the_longest_name_can_be_handed_over_to(tmp_path, fake_server):
    longest = "a" * 50
    fake_server.when(instructions="the boss").calls(f"transfer_to_{longest}")
    fake_server.when(instructions="long").says("ok")
    text = (
        "entry: boss\nagents:\n  boss: {instructions: You are the boss.}\n"
        f"  {longest}: {{instructions: You are long.}}\n"
        f"flows: [{{from: boss, to: {longest}, kind: handoff}}]\n"
    )
    assert run(build(tmp_path, fake_server, text)).output == "ok"


def test_a_conversation_may_pass_between_the_two_apis(tmp_path: Path, fake_server):
    memory = RunMemory()
    fake_server.when(instructions="the boss", turn=0).says("I ask.").calls(
        "send_message", **message("worker", "x")
    )
    fake_server.when(instructions="the boss").calls("transfer_to_other").says("Over.")
    fake_server.when(instructions="the worker").says("worked")
    fake_server.when(instructions="the other").says("taken")
    flows = team("boss > worker", "{from: boss, to: other, kind: handoff}")
    for api in ("chat_completions", "responses", "chat_completions"):
        outcome = run(build(tmp_path, fake_server, flows, api=api), f"by {api}", memory=memory)
        assert outcome.output == "taken"
    assert [r.api for r in fake_server.requests] == ["chat"] * 4 + ["responses"] * 4 + ["chat"] * 4
    said = [m.text for m in fake_server.requests[-1].messages if m.speaker == "user"]
    assert said == ["by chat_completions", "by responses", "by chat_completions"]
