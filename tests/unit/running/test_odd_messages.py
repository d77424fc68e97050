"""Messages and their classes that are odd: told to the sender, in time, and never a bug."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agency_cli.errors import ExitCode, ManifestError
from agency_runs import build, message, run, run_async
from fake_server import ToolCall

CLASSES = """
import asyncio, time
from agency_cli import SendMessage

class Mute(Exception):
    def __str__(self):
        raise ValueError("no text")

class Slow(SendMessage):
    def compose(self, message, params, sender, recipient):
        time.sleep(5)
        return message

class SlowAsync(SendMessage):
    async def compose(self, message, params, sender, recipient):
        await asyncio.sleep(60)
        return message

class SlowReply(SendMessage):
    async def reply(self, output, params, sender, recipient):
        await asyncio.sleep(60)
        return output

class Mutes(SendMessage):
    def compose(self, message, params, sender, recipient):
        raise Mute

class Exits(SendMessage):
    def compose(self, message, params, sender, recipient):
        raise SystemExit(3)

class Stops(SendMessage):
    def compose(self, message, params, sender, recipient):
        return next(iter([]))

class Cancels(SendMessage):
    async def compose(self, message, params, sender, recipient):
        raise asyncio.CancelledError

class Base(SendMessage):
    def reply(self, output, params, sender, recipient):
        raise BaseException("base")

class TimesOut(SendMessage):
    def compose(self, message, params, sender, recipient):
        raise TimeoutError("the address book is slow")

class Lazy(SendMessage):
    def compose(self, message, params, sender, recipient):
        return (line for line in [message])

class LazyAsync(SendMessage):
    def reply(self, output, params, sender, recipient):
        async def lines():
            yield output
        return lines()

class Nothing(SendMessage):
    def compose(self, message, params, sender, recipient):
        message.strip()

class NoReply(SendMessage):
    async def reply(self, output, params, sender, recipient):
        output.strip()

class Blank(SendMessage):
    def compose(self, message, params, sender, recipient):
        return " "

class Fragile(SendMessage):
    def __init__(self):
        raise KeyError("no desk")
"""
ODD = [
    ("Slow", "Slow.compose took longer than 0.2 seconds"),
    ("SlowAsync", "SlowAsync.compose took longer than 0.2 seconds"),
    ("SlowReply", "SlowReply.reply took longer than 0.2 seconds"),
    ("Mutes", "Mutes.compose failed: Mute: (its text cannot be had: ValueError)"),
    ("Exits", "Exits.compose failed: SystemExit: 3"),
    ("Stops", "Stops.compose failed: StopIteration"),
    ("Cancels", "Cancels.compose failed: CancelledError"),
    ("Base", "Base.reply failed: BaseException: base"),
    ("TimesOut", "TimesOut.compose failed: TimeoutError: the address book is slow"),
    ("Lazy", "Lazy.compose failed: NoText: it gave an iterator (generator)"),
    ("LazyAsync", "LazyAsync.reply failed: NoText: it gave an iterator (async_generator)"),
    ("Nothing", "Nothing.compose failed: NoText: it returned nothing"),
    ("NoReply", "NoReply.reply failed: NoText: it returned nothing"),
    ("Blank", "Blank.compose gave no text"),
    ("Fragile", "Fragile.compose failed: KeyError: 'no desk'"),
]
"""Classes, each with what is told of it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "messages.py").write_text(CLASSES)
    return tmp_path


def team(extra: str = "") -> str:
    return f"""
    entry: boss
    agents:
      boss: {{instructions: You are the boss.}}
      worker: {{instructions: You are the worker., description: Works.}}
    flows:
      - {{from: boss, to: worker{extra}}}
    """


@pytest.mark.parametrize(("name", "told"), ODD)
def test_a_class_that_is_slow_or_odd_is_told_to_the_sender(folder, fake_server, name, told):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x"))
    when(instructions="the boss", tool_output=told).says("I see.")
    when(instructions="the worker").says("ok")
    extra = f", send_message: 'messages.py:{name}', timeout_seconds: 0.2"
    assert run(build(folder, fake_server, team(extra))).output == "I see."


@pytest.mark.parametrize(("name", "told"), ODD)
def test_a_class_that_is_slow_or_odd_ends_the_run_where_its_flow_says_so(
    folder, fake_server, name, told
):
    when = fake_server.when
    when(instructions="the boss").calls("send_message", **message("worker", "x"))
    when(instructions="the worker").says("ok")
    extra = f", send_message: 'messages.py:{name}', timeout_seconds: 0.2, on_error: fail"
    outcome = run(build(folder, fake_server, team(extra)))
    assert told in str(outcome.error)
    assert (outcome.error.exit_code, outcome.error.agent) == (ExitCode.FAILED, "boss")
    (node,) = outcome.nodes("message")
    assert (node.status, outcome.tree.root.status) == ("error", "error")
    assert told in node.error
    assert sum("the boss" in request.instructions for request in fake_server.requests) == 1


def test_a_class_that_fails_below_another_agent_ends_the_run_too(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss").calls("send_message", **message("worker", "x"))
    when(instructions="the worker").calls("send_message", **message("other", "x"))
    text = team().replace("{from: boss, to: worker}", "boss > worker") + (
        "  - {from: worker, to: other, send_message: 'messages.py:Exits', on_error: fail}\n"
    )
    text = text.replace("    flows:", "      other: {instructions: You are the other.}\n    flows:")
    outcome = run(build(folder, fake_server, text))
    assert "Exits.compose failed" in str(outcome.error)
    assert outcome.error.agent == "worker"
    assert len(fake_server.requests) == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("{", "not JSON"),
        ('{"recipient_agent": "worker"}', "message must be a text"),
        ('{"recipient_agent": "nobody", "message": "x", "days": 1}', "cannot reach 'nobody'"),
        ('{"recipient_agent": "worker", "message": "x", "y": 1}', "no parameter 'y'"),
        ('{"recipient_agent": "worker", "message": "x"}', "'days' is a required property"),
    ],
)
def test_what_the_sender_could_write_better_never_ends_the_run(
    folder, fake_server, arguments, told
):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls_raw(ToolCall("send_message", arguments))
    when(instructions="the boss", tool_output=told).says("I see.")
    extra = ", extra_params: {days: {type: integer}}, on_error: fail"
    assert run(build(folder, fake_server, team(extra))).output == "I see."


def test_a_message_too_many_never_ends_the_run(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x"))
    when(instructions="the boss", turn=1).calls("send_message", **message("worker", "y"))
    when(instructions="the boss", tool_output="flows[0].max_calls").says("I see.")
    when(instructions="the worker").says("ok")
    outcome = run(build(folder, fake_server, team(", on_error: fail, max_calls: 1")))
    assert outcome.output == "I see."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"recipient_agent": "worker", "message": "\\\\ud800 hi"}', "ok"),
        ('{"recipient_agent": "worker", "message": "x", "n": ' + "9" * 5000 + "}", "not JSON"),
        ('{"recipient_agent": "worker", "message": "x", "n": 1e999}', "too large a number"),
    ],
)
def test_arguments_that_no_parser_likes_do_not_end_the_run(folder, fake_server, arguments, told):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls_raw(ToolCall("send_message", arguments))
    when(instructions="the boss", tool_output=told).says("I see.")
    when(instructions="the worker").says("ok")
    assert run(build(folder, fake_server, team())).output == "I see."


@pytest.mark.parametrize(
    "text",
    [
        "class X(BaseException): pass\nraise X('base')",
        "class M(Exception):\n    def __str__(self): raise ValueError('x')\nraise M",
        "import sys\nsys.path.clear()\nraise KeyError('real reason')",
    ],
)
def test_whatever_a_class_file_raises_is_a_located_problem(folder, fake_server, text):
    (folder / "odd.py").write_text(text)
    with pytest.raises(ManifestError) as caught:
        build(folder, fake_server, team(", send_message: 'odd.py:X'"))
    (problem,) = [p for p in caught.value.problems if p.severity == "error"]
    assert problem.code == "broken-message-class"
    assert "importing odd.py failed" in problem.message
    assert problem.line


def test_spaces_in_arguments_do_not_hide_that_a_call_is_repeated(folder, fake_server):
    for turn in range(9):
        call = f'{{"recipient_agent": "nobody", "message": "x"{" " * turn}}}'
        fake_server.when(instructions="the boss", turn=turn).calls_raw(
            ToolCall("send_message", call)
        )
    outcome = run(build(folder, fake_server, team()))
    assert "3 calls of send_message" in str(outcome.error)


def test_a_handoff_is_remembered_at_once_and_not_only_when_the_run_ends(folder, fake_server):
    text = team().replace("{from: boss, to: worker}", "{from: boss, to: worker, kind: handoff}")
    fake_server.when(instructions="the boss").calls("transfer_to_worker")
    fake_server.when(instructions="the worker").says("late").after(60)
    agency = build(folder, fake_server, text)
    told: list[str] = []

    async def main() -> None:
        moved = asyncio.Event()

        def remember(active: str) -> None:
            told.append(active)
            moved.set()

        task = asyncio.create_task(run_async(agency, remember=remember))
        await moved.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await agency.close()

    asyncio.run(asyncio.wait_for(main(), 30))
    assert told == ["worker"]
