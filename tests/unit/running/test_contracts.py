"""A flow is a contract: its own params, class, limits, and no other way round it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from agency_cli.errors import ExitCode, ManifestError
from agency_runs import build, message, run
from fake_server import Fault, ToolCall

PARAMS = """
tools: {{peek: {{python: "tools.py:peek"}}}}
entry: boss
agents:
  boss: {{instructions: You are the boss.}}
  analyst: {{instructions: You are the analyst., tools: [peek]}}
  reporter: {{instructions: You are the reporter.}}
flows:
  - from: boss
    to: analyst
    extra_params:
      priority: {{type: string, enum: [low, high], description: How urgent}}
      days: {{type: integer, minimum: 1, maximum: 30, default: 7}}
      scope: {{type: object, properties: {{area: {{type: string}}}}, required: [area]}}
      tags: {{type: array, items: {{type: string}}, default: []}}
{rest}
"""
TOOLS = """
from agents import RunContextWrapper

def peek(context: RunContextWrapper) -> str:
    "Return the params of the message."
    return str(dict(context.context.message_params))
"""
CLASHING = (
    "{from: boss, to: worker, send_message: 'messages.py:Review',"
    " extra_params: {severity: {type: string}}}"
)
CLASSES = '''
import asyncio
from typing import Literal
from pydantic import BaseModel, Field
from agency_cli import SendMessage

class Review(SendMessage):
    """Ask for a review."""
    tool_name = "send_review_request"

    class ExtraParams(BaseModel):
        severity: Literal["minor", "major"] = Field(description="How strict to be")

    async def compose(self, message, params, sender, recipient):
        return f"{sender} asks {recipient} ({params.severity}): {message}"

    def reply(self, output, params, sender, recipient):
        return {"review": output, "by": recipient}

class Broken(SendMessage):
    def compose(self, message, params, sender, recipient):
        raise ValueError("no paper left")

class Slow(SendMessage):
    async def compose(self, message, params, sender, recipient):
        await asyncio.sleep(0.2 if message == "1" else 0)
        return message

class Plain:
    pass
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "messages.py").write_text(CLASSES)
    return tmp_path


def team(flow: str, *more: str) -> str:
    flows = "\n".join(f"  - {each}" for each in (flow, *more))
    return (
        textwrap.dedent(
            """
        entry: boss
        agents:
          boss: {instructions: You are the boss.}
          worker: {instructions: You are the worker., description: Works.}
          other: {instructions: You are the other.}
        flows:
        """
        )
        + flows
    )


def test_messages_keep_their_order_however_long_each_takes_to_write(folder, fake_server):
    when = fake_server.when
    boss = when(instructions="the boss", turn=0)
    for number in "123":
        boss.calls("send_message", **message("worker", number))
    when(instructions="the boss").says("done")
    when(instructions="the worker").says("out")
    flow = '{from: boss, to: worker, send_message: "messages.py:Slow"}'
    assert run(build(folder, fake_server, team(flow))).output == "done"
    last = [r for r in fake_server.requests if "the worker" in r.instructions][-1]
    read = [item["content"] for item in last.body["messages"] if item["role"] == "user"]
    assert read == ["1", "2", "3"]


def test_extra_params_reach_the_recipient_as_text_and_its_tools_as_data(folder, fake_server):
    when = fake_server.when
    extra = {"priority": "high", "days": 3, "scope": {"area": "payroll"}, "tags": ["a"]}
    when(instructions="the boss", turn=0).calls("send_message", **message("analyst", "Go", **extra))
    when(instructions="the boss").says("done")
    when(instructions="the analyst", turn=0).calls("peek")
    when(instructions="the analyst").says("seen")
    outcome = run(build(folder, fake_server, PARAMS.format(rest="")))
    assert outcome.output == "done"
    asked = next(r for r in fake_server.requests if "analyst" in r.instructions)
    assert asked.last_user_text == (
        'priority: high\ndays: 3\nscope: {"area": "payroll"}\ntags: ["a"]\n\nGo'
    )
    (peek,) = outcome.nodes("tool", "peek")
    assert peek.output == str(extra)


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ({}, "'priority' is a required property"),
        ({"priority": "urgent", "scope": {"area": "x"}}, "'urgent' is not one of"),
        ({"priority": "low", "scope": {"area": "x"}, "days": 31}, "31 is greater than"),
        ({"priority": "low", "scope": {}}, "'area' is a required property"),
        ({"priority": "low", "scope": {"area": "x"}, "tags": [1]}, "tags.0"),
    ],
)
def test_params_that_are_missing_or_wrong_are_told_before_the_recipient_is_asked(
    folder, fake_server, extra, told
):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("analyst", "Go", **extra))
    when(instructions="the boss", tool_output=told).says("I see.")
    outcome = run(build(folder, fake_server, PARAMS.format(rest="")))
    assert outcome.output == "I see."
    assert len(fake_server.requests) == 2


def test_a_param_with_a_default_may_be_left_out(folder, fake_server):
    when = fake_server.when
    extra = {"priority": "low", "scope": {"area": "x"}}
    when(instructions="the boss", turn=0).calls("send_message", **message("analyst", "Go", **extra))
    when(instructions="the boss").says("done")
    when(instructions="the analyst", user="days: 7").says("ok")
    assert run(build(folder, fake_server, PARAMS.format(rest=""))).output == "done"


def test_a_class_writes_what_the_recipient_and_the_sender_read(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls(
        "send_review_request", **message("worker", "Look", severity="major")
    )
    when(instructions="the boss", tool_output='{"review": "fine", "by": "worker"}').says("done")
    when(instructions="the worker", user="boss asks worker (major): Look").says("fine")
    text = team("{from: boss, to: worker, send_message: 'messages.py:Review'}")
    assert run(build(folder, fake_server, text)).output == "done"
    (tool,) = fake_server.requests[0].tools
    assert (tool.name, tool.strict) == ("send_review_request", True)
    assert tool.description == "Ask for a review.\n\nColleagues:\n- worker: Works."


def test_a_class_that_fails_is_told_to_the_sender(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "Look"))
    when(instructions="the boss", tool_output="Broken.compose failed: ValueError: no paper").says(
        "ok"
    )
    text = team("{from: boss, to: worker, send_message: 'messages.py:Broken'}")
    assert run(build(folder, fake_server, text)).output == "ok"


@pytest.mark.parametrize(
    ("reference", "code", "said"),
    [
        ("messages.py:Plain", "broken-message-class", "not a subclass of SendMessage"),
        ("messages.py:Reviw", "broken-message-class", "has no 'Reviw'"),
        ("no_such_package:Review", "broken-message-class", "ModuleNotFoundError"),
        ("raising.py:Review", "broken-message-class", "ZeroDivisionError"),
    ],
)
def test_a_class_that_cannot_be_used_is_a_located_problem(
    folder, fake_server, reference, code, said
):
    (folder / "raising.py").write_text("1/0")
    with pytest.raises(ManifestError) as caught:
        build(folder, fake_server, team(f"{{from: boss, to: worker, send_message: '{reference}'}}"))
    (problem,) = caught.value.problems
    assert problem.code == code
    assert said in problem.message
    assert problem.dotted_path == "flows[0].send_message"
    assert problem.line


@pytest.mark.parametrize(
    ("flows", "code"),
    [
        (
            [CLASHING],
            "param-clash",
        ),
        (["{from: boss, to: worker, extra_params: {message: {type: string}}}"], "param-clash"),
        (
            ["boss > other", "{from: boss, to: worker, extra_params: {p: {type: string}}}"],
            "tool-name-clash",
        ),
        (["{from: boss, to: worker, tool_name: peek}"], "tool-name-clash"),
        (
            [
                "{from: boss, to: worker, tool_name: transfer_to_other}",
                "{from: boss, to: other, kind: handoff}",
            ],
            "tool-name-clash",
        ),
    ],
)
def test_names_that_clash_are_problems(folder, fake_server, flows, code):
    text = team(*flows) + "\ntools: {peek: {python: 'tools.py:peek'}}\n"
    text = text.replace("You are the boss.}", "You are the boss., tools: [peek]}")
    with pytest.raises(ManifestError) as caught:
        build(folder, fake_server, text)
    assert code in {problem.code for problem in caught.value.problems}
    assert all(problem.line for problem in caught.value.problems)


def test_no_tool_reaches_the_recipient_of_another_one(folder, fake_server):
    """Else a model could dodge the params that a flow demands."""
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x")).calls(
        "send_review_request", **message("other", "x", severity="major")
    )
    when(instructions="the boss").says("done")
    text = team("boss > other", "{from: boss, to: worker, send_message: 'messages.py:Review'}")
    outcome = run(build(folder, fake_server, text))
    assert outcome.output == "done"
    assert [node.status for node in outcome.nodes("message")] == ["error", "error"]
    assert len(fake_server.requests) == 2
    enums = {
        tool.name: tool.schema["properties"]["recipient_agent"]["enum"]
        for tool in fake_server.requests[0].tools
    }
    assert enums == {"send_message": ["other"], "send_review_request": ["worker"]}


def test_flows_that_say_the_same_share_one_tool(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss").says("done")
    text = team("boss > other", "{from: boss, to: worker, timeout_seconds: 5}")
    run(build(folder, fake_server, text))
    (tool,) = fake_server.requests[0].tools
    assert tool.schema["properties"]["recipient_agent"]["enum"] == ["other", "worker"]


def test_two_agencies_with_a_file_of_one_name_do_not_meet(tmp_path, fake_server):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "messages.py").write_text(
            "from agency_cli import SendMessage\n"
            f"class Note(SendMessage):\n    'Ask {name}.'\n    tool_name = 'note_{name}'\n"
        )
    fake_server.when(instructions="the boss").says("done")
    text = team("{from: boss, to: worker, send_message: 'messages.py:Note'}")
    for name in ("first", "second"):
        run(build(tmp_path / name, fake_server, text))
    assert [[*r.tool_names] for r in fake_server.requests] == [["note_first"], ["note_second"]]


def test_a_recipient_that_takes_too_long_is_stopped_for_real(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x"))
    when(instructions="the boss", tool_output="no answer within 0.2 seconds").says("Too slow.")
    when(instructions="the worker", turn=0).calls("send_message", **message("other", "y")).after(0)
    when(instructions="the other").says("late").after(30)
    text = team("{from: boss, to: worker, timeout_seconds: 0.2}", "worker > other")
    outcome = run(build(folder, fake_server, text))
    assert outcome.output == "Too slow."
    assert {node.agent: node.status for node in outcome.nodes("agent")} == {
        "boss": "ok",
        "worker": "cancelled",
        "other": "cancelled",
    }
    assert len(fake_server.requests) == 4


def test_a_flow_is_used_at_most_as_often_as_it_says(folder, fake_server):
    when = fake_server.when
    for turn in range(3):
        when(instructions="the boss", turn=turn).calls(
            "send_message", **message("worker", str(turn))
        )
    when(instructions="the boss", tool_output="2 messages were sent on this flow").says("Enough.")
    when(instructions="the worker").says("ok")
    text = team("{from: boss, to: worker, max_calls: 2}")
    outcome = run(build(folder, fake_server, text))
    assert outcome.output == "Enough."
    assert len(outcome.nodes("agent", "worker")) == 2


def test_a_flow_without_memory_starts_afresh_each_time(folder, fake_server):
    when = fake_server.when
    for turn in range(2):
        when(instructions="the boss", turn=turn).calls(
            "send_message", **message("worker", f"m{turn}")
        )
    when(instructions="the boss").says("done")
    when(instructions="the worker").says("ok")
    run(build(folder, fake_server, team("{from: boss, to: worker, memory: none}")))
    asked = [
        [m.text for m in r.messages] for r in fake_server.requests if "worker" in r.instructions
    ]
    assert asked == [["m0"], ["m1"]]


def test_a_flow_can_say_that_a_failure_ends_the_run(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x"))
    when(instructions="the worker", turn=0).calls("send_message", **message("other", "x"))
    when(instructions="the other").fails(Fault.status(400))
    text = team("boss > worker", "{from: worker, to: other, on_error: fail}")
    outcome = run(build(folder, fake_server, text))
    assert outcome.error.exit_code == ExitCode.PROVIDER
    assert "HTTP 400" in str(outcome.error)
    assert outcome.error.agent == "other"


def test_a_reply_that_is_no_object_is_refused(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls_raw(ToolCall("send_message", '"hello"'))
    when(instructions="the boss", tool_output="not a JSON object").says("ok")
    assert run(build(folder, fake_server, team("boss > worker"))).output == "ok"
