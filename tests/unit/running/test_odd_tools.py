"""Tools are foreign code: whatever they do comes back as a text, and the run goes on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agency_cli.errors import ManifestError
from agency_cli.tools.builtin.root import NotAllowed, Root
from agency_runs import build, run
from fake_server import Reply, ToolCall

TOOLS = """
import asyncio, os, sys
from agents import FunctionTool, function_tool

def exits() -> str:
    "x"
    sys.exit(3)

def stops() -> str:
    "x"
    return next(iter([]))

def generator_exits() -> str:
    "x"
    raise GeneratorExit

def interrupts() -> str:
    "x"
    raise KeyboardInterrupt

async def cancels() -> str:
    "x"
    raise asyncio.CancelledError

async def exits_async() -> str:
    "x"
    sys.exit(3)

class Mute(Exception):
    def __str__(self):
        raise ValueError("no text")

def mute() -> str:
    "x"
    raise Mute

def needs(x: int) -> str:
    "x"
    return str(x)

def half() -> str:
    "x"
    return "half \\ud800"

def raw() -> bytes:
    "x"
    return b"\\xff"

def endless() -> float:
    "x"
    return float("nan")

def cycle() -> list:
    "x"
    c = []
    c.append(c)
    return c

def huge() -> str:
    "x"
    return "y" * 10_000_000

def lazy():
    "x"
    return (line for line in "ab")

async def lazy_async():
    "x"
    return map(str, [1, 2])

def yields():
    "x"
    yield "line"

async def yields_async():
    "x"
    yield "line"

@function_tool
def ready_yields():
    "x"
    yield "line"

@function_tool
def ready() -> str:
    "x"
    raise ValueError("the real reason")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    return tmp_path


def agency(folder, server, name, extra=""):
    return build(
        folder,
        server,
        f"""
        tools: {{t: {{python: "tools.py:{name}"{extra}}}}}
        agents: {{a: {{instructions: You work., tools: [t]}}}}
        """,
    )


@pytest.mark.parametrize("name", ["yields", "yields_async"])
def test_a_function_that_yields_is_a_located_problem(folder, fake_server, name):
    with pytest.raises(ManifestError) as caught:
        agency(folder, fake_server, name)
    problem = caught.value.problems[0]
    assert (problem.code, problem.dotted_path) == ("broken-tool", "tools.t.python")
    assert f"tools.py:{name} yields; let it return its whole result" in problem.message
    assert problem.line


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("exits", "exits failed: SystemExit: 3"),
        ("exits_async", "exits_async failed: SystemExit"),
        ("stops", "stops failed: StopIteration"),
        ("generator_exits", "generator_exits failed: GeneratorExit"),
        ("interrupts", "interrupts failed: KeyboardInterrupt"),
        ("cancels", "cancels failed: CancelledError"),
        ("mute", "mute failed: Mute: (its text cannot be had: ValueError)"),
        ("ready", "ready failed: ValueError: the real reason"),
        ("lazy", "lazy failed: NoText: it gave an iterator (generator)"),
        ("lazy_async", "lazy_async failed: NoText: it gave an iterator (map)"),
        ("ready_yields", "ready_yields failed: NoText: it gave an iterator (generator)"),
    ],
)
def test_whatever_a_tool_raises_is_told_to_the_model(folder, fake_server, name, told):
    when = fake_server.when
    when(instructions="You work.", turn=0).calls(name)
    when(instructions="You work.", tool_output=told).says("I see.")
    assert run(agency(folder, fake_server, name)).output == "I see."


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("half", "half "),
        ("raw", "[1 bytes that are not text]"),
        ("endless", "NaN"),
        ("cycle", "[[...]]"),
        ("huge", "[cut here: 10,000,000 characters in all]"),
    ],
)
def test_whatever_a_tool_returns_reaches_the_model_as_text(folder, fake_server, name, given):
    when = fake_server.when
    when(instructions="You work.", turn=0).calls(name)
    when(instructions="You work.", tool_output=given).says("I see.")
    assert run(agency(folder, fake_server, name)).output == "I see."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "'x' is a required property"),
        ({"x": "five"}, "x: 'five' is not of type 'integer'"),
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
    ],
)
def test_wrong_arguments_are_told_by_name(folder, fake_server, arguments, told):
    when = fake_server.when
    when(instructions="You work.", turn=0).calls_raw(ToolCall("needs", arguments))
    when(instructions="You work.", tool_output=told).says("I see.")
    outcome = run(agency(folder, fake_server, "needs"))
    assert outcome.output == "I see."
    assert outcome.nodes("tool", "needs")[0].status == "error"


def test_name_and_description_of_the_manifest_hold_for_a_ready_tool_too(folder, fake_server):
    fake_server.when(instructions="You work.").says("ok")
    run(agency(folder, fake_server, "ready", ", name: renamed, description: Replaced."))
    (tool,) = fake_server.requests[0].tools
    assert (tool.name, tool.description) == ("renamed", "Replaced.")


def test_the_description_of_a_files_tool_is_read_by_the_model(tmp_path, fake_server):
    fake_server.when(instructions="You work.").says("ok")
    text = """
    tools: {f: {builtin: files, root: r, description: The client's papers.}}
    agents: {a: {instructions: You work., tools: [f]}}
    """
    run(build(tmp_path, fake_server, text))
    tools = fake_server.requests[0].tools
    assert all(tool.description.startswith("The client's papers.\n\n") for tool in tools)


def test_calls_of_a_tool_that_there_is_not_are_nodes_and_are_not_repeated_for_ever(
    folder, fake_server
):
    fake_server.when(instructions="You work.").calls("fly")
    outcome = run(agency(folder, fake_server, "needs"))
    assert [node.status for node in outcome.nodes("tool", "fly")] == ["error"] * 3
    assert "3 calls of fly" in str(outcome.error)


def test_a_server_that_repeats_its_call_ids_does_not_break_a_run(folder, fake_server):
    when = fake_server.when
    for turn in range(3):
        call = ToolCall("needs", {"x": turn}, id="call_0")
        when(instructions="You work.", turn=turn).calls_raw(call)
    when(instructions="You work.").says("done")
    outcome = run(agency(folder, fake_server, "needs"))
    assert outcome.output == "done"
    assert [node.output for node in outcome.nodes("tool")] == ["0", "1", "2"]


def test_files_of_odd_kinds_are_neither_written_nor_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    root = Root(tmp_path)
    with pytest.raises(NotAllowed, match="no plain file"):
        root.write("pipe", "x")
    with pytest.raises(NotAllowed, match="no file"):
        root.read("pipe")


def test_an_answer_that_was_cut_short_is_no_success(folder, fake_server):
    half = Reply(text="half of", finish_reason="length")
    fake_server.when(instructions="You work.").replies(half)
    outcome = run(agency(folder, fake_server, "needs"))
    assert "cut short (length); raise settings.max_tokens" in str(outcome.error)
    assert outcome.error.exit_code == 1
