"""Threads on the command line: who has the conversation, several runs at once, a full disk."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from command_line import LONGEST, agency, command, environment
from fake_server import FakeServer

DESK = Path(__file__).parents[2] / "agencies" / "support_desk" / "agency.yaml"
ONE = """\
version: 1
name: one
defaults: {model: gpt-5-mini}
agents:
  boss: {instructions: You are the boss.}
"""


@pytest.fixture
def desk(fake_server) -> FakeServer:
    when = fake_server.when
    when(instructions="You are triage", user="Bob").calls("transfer_to_bob")
    when(instructions="You are Bob", user="5 + 7").calls("transfer_to_alice")
    when(instructions="You are Bob").says("Arr!")
    when(instructions="You are Alice", user="5 + 7", tool_output="12").says("It is 12.")
    when(instructions="You are Alice", user="5 + 7").calls("add", a=5, b=7)
    when(instructions="You are Alice").says("Alice here.")
    when(instructions="You are billing").says("Billing here.")
    return fake_server


def test_the_next_message_goes_to_whoever_has_the_conversation(desk, tmp_path):
    def say(text: str, *options: str) -> str:
        line = ("run", DESK, text, "--thread", "mine", "--quiet", *options)
        done = agency(*line, folder=tmp_path, environ=desk.env)
        assert (done.code, done.err) == (0, "")
        return done.out.strip()

    assert say("I want to speak with Bob") == "Arr!"
    assert say("What is 5 + 7?") == "It is 12."
    assert say("Who are you?") == "Alice here."
    assert say("And you?", "--agent", "Billing") == "Billing here."
    assert say("Still you?") == "Billing here."
    shown = json.loads(agency("threads", "show", "mine", "--json", folder=tmp_path).out)
    assert shown["active_agent"] == "billing"
    authors = [item["author"] for item in shown["history"]]
    first, second = ["triage"] * 2 + ["bob"], ["bob"] * 2 + ["alice"] * 3
    assert authors == [None, *first, None, *second, None, "alice", *[None, "billing"] * 2]


def test_what_an_agent_is_told_of_itself_is_not_shown_as_what_was_said(desk, tmp_path):
    line = ("run", DESK, "I want to speak with Bob", "--thread", "mine")
    agency(*line, folder=tmp_path, environ=desk.env)
    line = ("run", DESK, "And you?", "--thread", "mine", "--agent", "billing")
    done = agency(*line, folder=tmp_path, environ=desk.env)
    assert "billing starts: And you?" in done.err
    listed = agency("runs", "list", folder=tmp_path)
    assert "And you?" in listed.out
    shown = agency("threads", "show", "mine", folder=tmp_path)
    assert "> And you?" in shown.out
    assert "until now" not in done.err + listed.out + shown.out


def test_runs_that_begin_one_new_thread_at_once_are_kept_apart(fake_server, tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(ONE)
    fake_server.when(instructions="the boss").says("answered").after(0.3)
    processes = [
        subprocess.Popen(
            command("run", path, f"message {number}", "--thread", "new"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(tmp_path, fake_server.env),
            cwd=tmp_path,
            text=True,
        )
        for number in range(3)
    ]
    ended = [(*process.communicate(timeout=LONGEST), process.returncode) for process in processes]
    assert [(out, code) for out, _, code in ended] == [("answered\n", 0)] * 3
    assert fake_server.max_in_flight == 1
    assert [len(request.messages) for request in fake_server.requests] == [1, 3, 5]
    shown = json.loads(agency("threads", "show", "new", "--json", folder=tmp_path).out)
    assert [item["author"] for item in shown["history"]] == [None, "boss"] * 3


def test_a_thread_whose_agent_is_gone_starts_again_at_the_entry(desk, tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(DESK.read_text().replace("tools.py", str(DESK.parent / "tools.py")))
    line = ("run", path, "I want to speak with Bob", "--thread", "mine", "--quiet")
    assert agency(*line, folder=tmp_path, environ=desk.env).out == "Arr!\n"
    path.write_text(ONE.replace("name: one", "name: support_desk"))
    desk.when(instructions="the boss").says("I am new.")
    line = ("run", path, "hello", "--thread", "mine", "--quiet")
    assert agency(*line, folder=tmp_path, environ=desk.env).out == "I am new.\n"


@pytest.mark.skipif(os.name == "nt", reason="sizes are limited by the shell")
def test_a_full_disk_ends_the_run_with_one_line_and_what_was_written_stays(fake_server, tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(ONE)
    fake_server.when(instructions="the boss", user="short").says("kept")
    fake_server.when(instructions="the boss").says("word " * 100_000)
    environ = environment(tmp_path, fake_server.env)
    short = agency("run", path, "short", "--thread", "mine", folder=tmp_path, environ=environ)
    assert short.code == 0
    line = shlex.join(command("run", path, "long", "--thread", "mine", "--quiet"))
    # No file may grow over 200 blocks: what the system says then is what a full disk says.
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 200; exec {line}"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env=environ,
        cwd=tmp_path,
        timeout=LONGEST,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: the store ")
    assert "nothing that was written is lost" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    shown = json.loads(agency("threads", "show", "mine", "--json", folder=tmp_path).out)
    texts = [item["item"]["content"] for item in shown["history"]]
    assert texts[0] == "short"
    assert texts[1][0]["text"] == "kept"
    again = agency("run", path, "short", "--thread", "mine", folder=tmp_path, environ=environ)
    assert (again.code, again.out) == (0, "kept\n")
