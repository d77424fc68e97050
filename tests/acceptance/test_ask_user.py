"""Questions to the person: asked at the terminal, left for later, answered by an option."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agency_runs import message
from command_line import agency
from person import Person

TEAM = """
version: 1
name: office
models: {mini: {model: gpt-5-mini}}
defaults: {model: mini}
entry: boss
agents:
  boss: {instructions: You are the boss.}
  painter: {instructions: You are the painter., description: Paints., tools: [ask]}
tools: {ask: {builtin: ask_user}}
flows: [boss > painter]
"""


@pytest.fixture
def team(tmp_path: Path) -> Path:
    path = tmp_path / "agency.yaml"
    path.write_text(TEAM)
    return path


def plays(server, *questions, choices=None):
    when = server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("painter", "Paint"))
    when(instructions="the boss").says("It is painted.")
    asking = when(instructions="the painter", tool_results=0)
    for question in questions:
        asking.calls("ask_user", question=question, choices=choices)
    when(instructions="the painter").says("Done.")


def told(server) -> list[str]:
    last = [r for r in server.requests if "the painter" in (r.instructions or "")][-1]
    return list(last.tool_outputs)


def test_without_a_terminal_a_run_waits_and_the_printed_command_answers(team, fake_server):
    plays(fake_server, "Which colour?", choices=["red", "blue"])
    done = agency("run", team, "Go", folder=team.parent, environ=fake_server.env)
    assert done.code == 4, done.err
    assert "paused: a question of painter waits for an answer" in done.err
    assert "painter: Which colour? (red, blue)" in done.err
    (line,) = re.findall(r"^  agency (runs resume .*) --answer (\w+)='", done.err, re.MULTILINE)
    resume, call = line
    said = ("--answer", f"{call}=dark = blue")
    going_on = agency(*resume.split(), *said, folder=team.parent, environ=fake_server.env)
    assert (going_on.code, going_on.out.strip()) == (0, "It is painted."), going_on.err
    assert told(fake_server) == ["dark = blue"]
    requests = len(fake_server.requests)
    run_id = json.loads(agency("runs", "list", "--json", folder=team.parent).out)[0]["run_id"]
    shown = agency("runs", "show", run_id, folder=team.parent)
    assert "answered by an option: dark = blue" in shown.out
    assert len(fake_server.requests) == requests == 4


def test_answers_that_fit_no_question_are_refused_and_nothing_is_sent(team, fake_server):
    plays(fake_server, "Which colour?", "Which brush?")
    done = agency("run", team, "Go", "--json", folder=team.parent, environ=fake_server.env)
    assert done.code == 4
    run_id, sent = json.loads(done.out)["run_id"], len(fake_server.requests)
    for options, reason in (
        (["--answer", "blue"], "write CALL=TEXT"),
        (["--answer", "ffffffff=blue"], "no question 'ffffffff'"),
    ):
        line = ("runs", "resume", run_id, *options)
        refused = agency(*line, folder=team.parent, environ=fake_server.env)
        assert refused.code == 2
        assert reason in refused.err
    assert len(fake_server.requests) == sent


def test_agreeing_to_everything_answers_no_question(team, fake_server):
    plays(fake_server, "Which colour?")
    done = agency("run", team, "Go", "--yes", folder=team.parent, environ=fake_server.env)
    assert done.code == 4
    (call,) = re.findall(r"--answer (\w+)=", done.err)
    (run_id,) = re.findall(r"runs resume (\w+)", done.err)
    for option in (["--approve", "all"], ["--approve", call], ["--yes"]):
        line = ("runs", "resume", run_id, *option)
        assert agency(*line, folder=team.parent, environ=fake_server.env).code in {2, 4}
    assert len(fake_server.requests) == 2


def test_a_question_can_be_refused(team, fake_server):
    plays(fake_server, "Which colour?")
    done = agency("run", team, "Go", "--deny", folder=team.parent, environ=fake_server.env)
    assert done.code == 0
    assert told(fake_server)[0].startswith("ask_user failed: the person did not answer: ")


def test_a_person_answers_each_question_at_the_terminal(team, fake_server):
    plays(fake_server, "Which colour?", "Which \x1b[31mbrush?", choices=["red", "blue"])
    with Person("run", team, "Go", folder=team.parent, environ=fake_server.env) as person:
        person.sees("Which colour?", "1) red", "type the answer, or its number", "answer?")
        person.type("2\r")
        person.sees("brush?", "answer?")
        person.type("\r")
        person.sees("answer?")
        person.type("a thick one\r")
        person.sees("It is painted.")
        assert person.leaves() == 0
    assert told(fake_server) == ["blue", "a thick one"]


def test_a_question_that_is_left_for_later_pauses_the_run(team, fake_server):
    plays(fake_server, "Which colour?")
    with Person("run", team, "Go", folder=team.parent, environ=fake_server.env) as person:
        person.sees("Which colour?", "answer?")
        person.type("\x04")
        assert person.leaves() == 4
