"""A tool that was under way when its run was killed: called again, or told of to its model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import agency

TEAM = """
version: 1
name: post
models: {{mini: {{model: gpt-5-mini}}}}
defaults: {{model: mini}}
agents:
  clerk: {{instructions: You are the clerk., tools: [send]}}
tools:
  send: {{python: "tools.py:send"{says}}}
"""
# Killed in the middle of a call: its effect is there, its result is not.
TOOLS = """
import os
import signal
from pathlib import Path

SENT = Path(__file__).with_name("sent.txt")


def send(letter: str) -> str:
    before = SENT.read_text() if SENT.exists() else ""
    SENT.write_text(f"{before}{letter}\\n")
    if not before:
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{letter} sent"
"""


def killed_in_a_call(folder: Path, server: Any, says: str, *options: str) -> str:
    """Let a run be killed while its tool sends a letter; return the run's id."""
    (folder / "tools.py").write_text(TOOLS)
    (folder / "agency.yaml").write_text(TEAM.format(says=says))
    server.when(tool_results=0).calls("send", letter="a")
    server.when().says("Done.")
    done = agency("run", "agency.yaml", "Go", *options, folder=folder, environ=server.env)
    assert done.code == -9
    (run,) = json.loads(agency("runs", "list", "--json", folder=folder).out)
    assert run["status"] == "killed"
    run_id = run["run_id"]
    assert isinstance(run_id, str)
    return run_id


def sent(folder: Path) -> list[str]:
    return (folder / "sent.txt").read_text().split()


@pytest.mark.parametrize("says", ["", ", on_resume: rerun"])
def test_a_call_that_was_under_way_is_made_again(tmp_path, fake_server, says):
    run_id = killed_in_a_call(tmp_path, fake_server, says)
    done = agency("runs", "resume", run_id, folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert sent(tmp_path) == ["a", "a"]
    assert fake_server.requests[-1].tool_outputs == ("a sent",)


def test_with_report_its_model_hears_that_its_outcome_is_unknown(tmp_path, fake_server):
    run_id = killed_in_a_call(tmp_path, fake_server, ", on_resume: report")
    done = agency("runs", "resume", run_id, "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert sent(tmp_path) == ["a"]
    (output,) = fake_server.requests[-1].tool_outputs
    assert "whether it took effect is unknown" in output
    (call,) = [n for n in json.loads(done.out)["tree"]["children"] if n["kind"] == "tool"]
    assert call["status"] == "error"


def test_what_was_approved_before_is_not_asked_about_again(tmp_path, fake_server):
    run_id = killed_in_a_call(tmp_path, fake_server, ", approval: ask", "--yes")
    done = agency("runs", "resume", run_id, folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert sent(tmp_path) == ["a", "a"]


def test_with_report_a_call_that_only_waited_for_approval_is_made(tmp_path, fake_server):
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "sent.txt").write_text("earlier\n")
    says = ", approval: ask, on_resume: report"
    (tmp_path / "agency.yaml").write_text(TEAM.format(says=says))
    fake_server.when(tool_results=0).calls("send", letter="a")
    fake_server.when().says("Done.")
    line = ("run", "agency.yaml", "Go", "--json")
    paused = agency(*line, folder=tmp_path, environ=fake_server.env)
    assert paused.code == 4, paused.err
    run_id = json.loads(paused.out)["run_id"]
    line = ("runs", "resume", run_id, "--approve", "all")
    done = agency(*line, folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert sent(tmp_path) == ["earlier", "a"]


def test_with_report_a_call_that_was_approved_and_then_cut_off_is_reported(tmp_path, fake_server):
    says = ", approval: ask, on_resume: report"
    run_id = killed_in_a_call(tmp_path, fake_server, says, "--yes")
    done = agency("runs", "resume", run_id, folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert sent(tmp_path) == ["a"]
    assert "unknown" in fake_server.requests[-1].tool_outputs[0]
