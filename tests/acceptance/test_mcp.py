"""MCP servers from the command line: doctor, runs that stop or are resumed, chat, exit codes."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from command_line import LONGEST, agency, command, environment
from fake_server import Fault
from mcp_agencies import is_running, started, stdio

DESK = """\
version: 1
name: desk
defaults: {{model: gpt-5-mini}}
tools:
  desk:
    mcp: {{{server}, env: {{DESK_FOLDER: "{folder}", DESK_KEY: "${{env.DESK_KEY:-none}}"}}}}
{more}
agents:
  clerk: {{instructions: You are the clerk., tools: [desk]}}
"""


def manifest(folder: Path, more: str = "", server: str = "") -> Path:
    path = folder / "agency.yaml"
    server = server or stdio("desk.py", "stdio")
    path.write_text(DESK.format(server=server, folder=folder, more=more))
    return path


def begin(path: Path, fake_server, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("run", path, "Go", *arguments),
        env=environment(path.parent, fake_server.env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_until(condition) -> None:
    end = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def has_begun(folder: Path, tool: str) -> bool:
    """Look whether the journal tells that a tool was called."""
    try:
        with closing(sqlite3.connect(folder / "store" / "agency.db")) as store:
            wanted = "SELECT event FROM journal WHERE kind = 'node_started'"
            return any(json.loads(event)["name"] == tool for (event,) in store.execute(wanted))
    except sqlite3.Error:
        # It is not there yet, or being made.
        return False


def notes(folder: Path) -> list[str]:
    file = folder / "notes.txt"
    return file.read_text().split() if file.exists() else []


def test_a_run_uses_a_server_and_leaves_nothing_on_the_terminal(tmp_path, fake_server):
    fake_server.when(tool_results=0).calls("mcp_desk__add", a=1, b=2)
    fake_server.when().says("Three.")
    done = agency("run", manifest(tmp_path), "Go", folder=tmp_path, environ=fake_server.env)
    assert (done.code, done.out) == (0, "Three.\n")
    assert "mcp_desk__add" in done.err
    assert "the desk is open" not in done.err + done.out
    log = tmp_path / "store" / "logs" / "mcp-desk.log"
    assert "the desk is open" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
    assert not any(map(is_running, started(tmp_path)))


def test_a_required_server_that_does_not_start_is_exit_6_before_any_model_call(
    tmp_path, fake_server
):
    path = manifest(tmp_path, server=stdio("raw.py", "ends"))
    done = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 6
    assert json.loads(done.out)["error"]["kind"] == "server"
    last = done.err.splitlines()[-1]
    assert "agency.yaml:6: tools.desk: the MCP server 'desk' ended before it answered" in last
    assert "no licence found" in last
    assert "Traceback" not in done.err
    assert not fake_server.requests


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_leaves_no_server_behind(tmp_path, fake_server, presses):
    fake_server.when().calls("mcp_desk__sleep", seconds=3 if presses == 1 else 60)
    process = begin(manifest(tmp_path), fake_server)
    wait_until(lambda: has_begun(tmp_path, "mcp_desk__sleep"))
    for _ in range(presses):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    process.communicate(timeout=LONGEST)
    assert process.returncode == 130
    assert not any(map(is_running, started(tmp_path)))


def test_ctrl_c_while_a_server_starts_ends_the_run(tmp_path, fake_server):
    path = manifest(tmp_path, server=stdio("raw.py", "hangs"))
    process = begin(path, fake_server)
    wait_until((tmp_path / "store" / "logs" / "mcp-desk.log").exists)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONGEST)
    assert process.returncode == 130
    assert not fake_server.requests


def test_a_server_ends_with_a_process_that_is_killed(tmp_path, fake_server):
    fake_server.when().calls("mcp_desk__sleep", seconds=60)
    process = begin(manifest(tmp_path), fake_server)
    wait_until(lambda: has_begun(tmp_path, "mcp_desk__sleep"))
    process.kill()
    process.communicate(timeout=LONGEST)
    wait_until(lambda: not any(map(is_running, started(tmp_path))))


def test_a_run_that_was_killed_goes_on_and_calls_no_tool_twice(tmp_path, fake_server):
    fake_server.when(tool_results=0).calls("mcp_desk__note", text="one")
    fake_server.when(tool_results=1).calls("mcp_desk__sleep", seconds=3)
    fake_server.when(tool_results=2).calls("mcp_desk__note", text="two")
    fake_server.when().says("Done.")
    path = manifest(tmp_path)
    process = begin(path, fake_server, "--jsonl")
    wait_until(lambda: has_begun(tmp_path, "mcp_desk__sleep"))
    process.kill()
    process.communicate(timeout=LONGEST)
    (run,) = json.loads(agency("runs", "list", "--json", folder=tmp_path).out)
    done = agency("runs", "resume", run["run_id"], "--json", "--manifest", path, folder=tmp_path,
                  environ=fake_server.env)  # fmt: skip
    assert done.code == 0, done.err
    assert notes(tmp_path) == ["one", "two"]
    assert len(fake_server.requests) == 4
    assert json.loads(done.out)["final_output"] == "Done."


def test_a_call_that_waits_for_approval_is_made_after_it_in_another_process(tmp_path, fake_server):
    fake_server.when(tool_results=0).calls("mcp_desk__note", text="one")
    fake_server.when().says("Done.")
    path = manifest(tmp_path, "    approval: [{tool: note, then: ask}, {then: never}]")
    done = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 4, done.err
    assert notes(tmp_path) == []
    (waiting,) = json.loads(done.out)["approvals"]
    resumed = agency("runs", "resume", json.loads(done.out)["run_id"], "--approve",
                     waiting["call"], "--manifest", path, folder=tmp_path,
                     environ=fake_server.env)  # fmt: skip
    assert resumed.code == 0, resumed.err
    assert notes(tmp_path) == ["one"]


def test_a_call_that_was_cut_off_is_reported_where_that_is_said(tmp_path, fake_server):
    fake_server.when(tool_results=0).calls("mcp_desk__sleep", seconds=60)
    fake_server.when().says("Done.")
    path = manifest(tmp_path, "    on_resume: report")
    process = begin(path, fake_server)
    wait_until(lambda: has_begun(tmp_path, "mcp_desk__sleep"))
    process.kill()
    process.communicate(timeout=LONGEST)
    (run,) = json.loads(agency("runs", "list", "--json", folder=tmp_path).out)
    done = agency("runs", "resume", run["run_id"], "--manifest", path, folder=tmp_path,
                  environ=fake_server.env)  # fmt: skip
    assert done.code == 0, done.err
    assert "whether it took effect is unknown" in fake_server.requests[-1].tool_outputs[-1]


def test_a_chat_starts_a_server_once(tmp_path, fake_server):
    fake_server.when(user="one", tool_results=0).calls("mcp_desk__note", text="one")
    fake_server.when(user="two", tool_results=0).calls("mcp_desk__note", text="two")
    fake_server.when().says("Done.")
    done = agency("chat", manifest(tmp_path), folder=tmp_path, environ=fake_server.env,
                  stdin="one\ntwo\n")  # fmt: skip
    assert done.code == 0, done.err
    assert notes(tmp_path) == ["one", "two"]
    assert len(started(tmp_path)) == 1
    assert not any(map(is_running, started(tmp_path)))


def test_a_variable_that_a_server_needs_is_asked_for_before_the_run(tmp_path, fake_server):
    path = manifest(tmp_path)
    path.write_text(path.read_text().replace(":-none", ""))
    done = agency("run", path, "Go", folder=tmp_path, environ=fake_server.env)
    assert done.code == 6
    assert "DESK_KEY is not set (needed by tools.desk)" in done.err
    assert "--model local" not in done.err
    assert started(tmp_path) == []


def test_secrets_of_servers_are_in_no_journal(tmp_path, fake_server):
    fake_server.when(tool_results=0).calls("mcp_desk__env", name="DESK_KEY")
    fake_server.when().says("It is seven-dwarfs.")
    environ = {**fake_server.env, "DESK_KEY": "seven-dwarfs"}
    done = agency("run", manifest(tmp_path), "Go", folder=tmp_path, environ=environ)
    assert done.code == 0, done.err
    assert fake_server.requests[-1].tool_outputs == ("seven-dwarfs",)
    for file in (tmp_path / "store").rglob("*"):
        assert not file.is_file() or b"seven-dwarfs" not in file.read_bytes(), file


def findings(path: Path, fake_server, *arguments: str):
    done = agency("doctor", path, "--json", *arguments, folder=path.parent,
                  environ=fake_server.env)  # fmt: skip
    document = json.loads(done.out)
    return done.code, {(each["kind"], each["name"]): each for each in document["findings"]}


def test_the_doctor_starts_servers_and_counts_their_tools(tmp_path, fake_server):
    code, found = findings(manifest(tmp_path, '    allow: ["a*"]'), fake_server)
    assert code == 0
    assert found["program", "python"]["status"] == "ok"
    assert found["mcp server", "desk"]["detail"] == "answers, 12 tools, 1 of them offered"
    assert len(started(tmp_path)) == 1
    assert not any(map(is_running, started(tmp_path)))
    assert not (tmp_path / "store").exists(), "nothing is made for it"


def test_the_doctor_starts_nothing_offline(tmp_path, fake_server):
    code, found = findings(manifest(tmp_path), fake_server, "--offline")
    assert code == 0
    assert found["mcp server", "desk"]["detail"] == "was not tried"
    assert started(tmp_path) == []


@pytest.mark.parametrize(("required", "code"), [("true", 6), ("false", 0)])
def test_the_doctor_exits_with_6_where_a_required_server_is_broken(
    tmp_path, fake_server, required, code
):
    path = manifest(tmp_path, f"    required: {required}", "command: no_such_program")
    got, found = findings(path, fake_server)
    assert got == code
    status = "missing" if code else "note"
    assert found["program", "no_such_program"]["status"] == status
    assert found["mcp server", "desk"]["status"] == status


def test_a_server_that_will_not_end_is_ended(tmp_path, fake_server):
    fake_server.when().says("Done.")
    script = tmp_path / "stubborn.sh"
    raw = stdio("raw.py", "stubborn").split('"')[1]
    script.write_text(
        f'#!/bin/sh\necho $$ >> "{tmp_path}/starts.txt"\nexec python3 "{raw}" stubborn\n'
    )
    script.chmod(0o755)
    path = manifest(tmp_path, server="command: ./stubborn.sh")
    done = agency("run", path, "Go", folder=tmp_path, environ=fake_server.env)
    assert (done.code, done.out) == (0, "Done.\n")
    assert len(started(tmp_path)) == 1
    assert not any(map(is_running, started(tmp_path)))


def test_a_variable_of_a_server_that_is_not_required_is_no_lack(tmp_path, fake_server):
    path = manifest(tmp_path, "    required: false")
    path.write_text(path.read_text().replace(":-none", ""))
    code, found = findings(path, fake_server)
    assert code == 0
    assert found["variable", "DESK_KEY"]["status"] == "note"
    assert "DESK_KEY is not set" in found["mcp server", "desk"]["detail"]
    fake_server.when().says("Done.")
    done = agency("run", path, "Go", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0
    assert "DESK_KEY is not set; the run goes on without it" in done.err


def test_a_run_that_has_used_a_server_is_resumed_only_with_it(tmp_path, fake_server):
    fake_server.when(tool_results=0).calls("mcp_desk__note", text="one")
    fake_server.when().fails(Fault.status(401, times=1))
    fake_server.when().says("Done.")
    path = manifest(tmp_path, "    required: false")
    done = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 6
    line = ["runs", "resume", json.loads(done.out)["run_id"], "--manifest", path]
    # Where it cannot write that it was started, it does not start.
    (tmp_path / "starts.txt").unlink()
    (tmp_path / "starts.txt").mkdir()
    broken = agency(*line, folder=tmp_path, environ=fake_server.env)
    assert broken.code == 6
    assert "the run has used it, and goes on only with it" in broken.err
    (tmp_path / "starts.txt").rmdir()
    resumed = agency(*line, folder=tmp_path, environ=fake_server.env)
    assert resumed.code == 0, resumed.err
    assert notes(tmp_path) == ["one"]
