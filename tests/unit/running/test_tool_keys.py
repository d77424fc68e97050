"""What a manifest says of calls of a tool: how long they take, and whether they go side by side."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agency_runs import build, message, run
from command_line import agency as agency_command
from journalled import send_to, write

TOOLS = """
import asyncio, time
from pathlib import Path

HERE = Path(__file__).parent
inside = 0
most = 0


async def waits(seconds: float) -> str:
    try:
        await asyncio.sleep(seconds)
    finally:
        (HERE / "cancelled").touch()
    return "late"


def hangs(seconds: float) -> str:
    time.sleep(seconds)
    return "late"


async def raises_timeout() -> str:
    raise TimeoutError("my own")


async def note(what: str) -> str:
    global inside, most
    inside += 1
    most = max(most, inside)
    await asyncio.sleep(0.02)
    inside -= 1
    return f"{what}, at most {most} at once"


def fails() -> str:
    secret = 5
    raise ValueError("broken pipe of sk-very-secret-1")
"""
ALONE = """
    tools: {{t: {{python: "tools.py:{name}", {keys}}}}}
    agents: {{a: {{instructions: You work., tools: [t]}}}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    return tmp_path


@pytest.mark.parametrize("name", ["waits", "hangs"])
def test_a_call_that_takes_too_long_is_given_up_and_the_run_goes_on(folder, fake_server, name):
    agency = build(folder, fake_server, ALONE.format(name=name, keys="timeout_seconds: 0.2"))
    told = f"{name} failed: it took longer than 0.2 s (tools.t.timeout_seconds) and was given up"
    fake_server.when(turn=0).calls(name, seconds=2)
    fake_server.when(tool_output=told).says("I see.")
    done = run(agency)
    assert done.output == "I see."
    assert done.nodes("tool")[0].status == "error"
    assert name == "hangs" or (folder / "cancelled").exists()


def test_a_program_does_not_wait_for_a_thread_that_was_given_up(folder, fake_server):
    path = write(folder, fake_server, ALONE.format(name="hangs", keys="timeout_seconds: 0.2"))
    fake_server.when(turn=0).calls("hangs", seconds=60)
    fake_server.when(tool_output="given up").says("I see.")
    began = time.monotonic()
    done = agency_command("run", path, "go", folder=folder)
    assert (done.code, done.out.strip()) == (0, "I see.")
    assert time.monotonic() - began < 50


def test_a_timeout_of_the_tools_own_is_told_as_its_own(folder, fake_server):
    alone = ALONE.format(name="raises_timeout", keys="timeout_seconds: 9")
    agency = build(folder, fake_server, alone)
    fake_server.when(turn=0).calls("raises_timeout")
    fake_server.when(tool_output="raises_timeout failed: TimeoutError: my own").says("I see.")
    assert run(agency).output == "I see."


@pytest.mark.parametrize(("keys", "most"), [("one_at_a_time: true", 1), ("on_resume: rerun", 4)])
def test_calls_of_one_tool_wait_for_each_other_where_the_manifest_says_so(
    folder, fake_server, keys, most
):
    agency = build(
        folder,
        fake_server,
        f"""
        entry: boss
        tools: {{t: {{python: "tools.py:note", {keys}}}}}
        agents:
          boss: {{instructions: You lead.}}
          one: {{instructions: You are one., tools: [t]}}
          two: {{instructions: You are two., tools: [t]}}
        flows: ["boss > one, two"]
        """,
    )
    when = fake_server.when
    when(instructions="You lead.", turn=0).calls("send_message", **message("one", "go")).calls(
        "send_message", **message("two", "go")
    )
    when(instructions="You lead.").says("Done.")
    for name in ("one", "two"):
        when(instructions=f"You are {name}.", turn=0).calls("note", what="first").calls(
            "note", what="second"
        )
        when(instructions=f"You are {name}.").says("Noted.")
    done = run(agency)
    assert done.output == "Done."
    found = {node.output.rpartition(", ")[2] for node in done.nodes("tool")}
    assert f"at most {most} at once" in found
    assert len(done.nodes("tool")) == 4


def test_where_a_tool_raised_is_kept_in_the_journal_and_shown_on_request_alone(
    folder, fake_server, capsys
):
    path = write(folder, fake_server, ALONE.format(name="fails", keys=""), key="sk-very-secret-1")
    fake_server.when(turn=0).calls("fails")
    fake_server.when(tool_output="fails failed: ValueError: broken pipe").says("I see.")
    done = send_to(path)
    rows = [row.kept or {} for row in done.runs.rows(done.run.id)]
    (kept,) = [row["traceback"] for row in rows if "traceback" in row]
    assert 'raise ValueError("broken pipe of [secret]")' in kept
    assert "sk-very" not in kept
    line = ("runs", "show", done.run.id, "--store", str(done.runs.database.url))
    shown = agency_command(*line, "--verbose", folder=folder)
    assert "fails, called by a:" in shown.out
    assert "ValueError: broken pipe of [secret]" in shown.out
    assert "Traceback" in shown.out
    brief = agency_command(*line, folder=folder)
    assert "Traceback" not in brief.out + brief.err
