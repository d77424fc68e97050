"""Calls that a person must agree to: asked at the terminal, answered by options, left for later."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agency_runs import message
from command_line import LONGEST, Finished, agency, command, environment
from person import Person

TEAM = """
version: 1
name: office
models: {mini: {model: gpt-5-mini}}
defaults: {model: mini}
entry: boss
agents:
  boss: {instructions: You are the boss.}
  clerk: {instructions: You are the clerk., description: Pays., tools: [pay]}
  guard: {instructions: You are the guard., description: Looks.}
tools:
  pay:
    python: tools.py:pay
    approval:
      - {when: {to: "thief*"}, then: deny}
      - {when: {to: "baker"}, then: never}
      - {then: ask}
flows:
  - boss > clerk, guard
"""
TOOLS = """
from pathlib import Path


def pay(to: str, cents: int = 5) -> str:
    with Path(__file__).with_name("paid.txt").open("a") as paid:
        paid.write(f"{to}\\n")
    return f"paid {to}"
"""


@pytest.fixture
def team(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    path = tmp_path / "agency.yaml"
    path.write_text(TEAM)
    return path


def paid(team: Path) -> list[str]:
    path = team.with_name("paid.txt")
    return path.read_text().split() if path.exists() else []


def asks_clerk(server: Any, *payees: str) -> None:
    """Let the boss ask the clerk, who pays everybody at once, and tell what came of it."""
    when = server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("clerk", "Pay them"))
    when(instructions="the boss").says("All is settled.")
    paying = when(instructions="the clerk", tool_results=0)
    for payee in payees:
        paying.calls("pay", to=payee, cents=7)
    when(instructions="the clerk").says("That is done.")


def told_to_clerk(server: Any) -> str:
    """Return what the clerk's model was told of its calls."""
    last = [r for r in server.requests if "the clerk" in (r.instructions or "")][-1]
    return " | ".join(last.tool_outputs)


def run(team: Path, server: Any, *options: str) -> Finished:
    return agency("run", team, "Go", *options, folder=team.parent, environ=server.env)


def resume(team: Path, server: Any, run_id: str, *options: str) -> Finished:
    line = ("runs", "resume", run_id, "--json", *options)
    return agency(*line, folder=team.parent, environ=server.env)


def test_a_paused_run_can_be_answered_on_another_machine(team, fake_server, tmp_path_factory):
    asks_clerk(fake_server, "smith")
    run_id = json.loads(run(team, fake_server, "--json").out)["run_id"]
    there = tmp_path_factory.mktemp("there")
    exported = agency("runs", "export", run_id, folder=team.parent)
    assert exported.code == 0, exported.err
    assert agency("runs", "import", "-", folder=there, stdin=exported.out).code == 0
    line = ("runs", "resume", run_id, "-m", team, "--approve", "all")
    done = agency(*line, folder=there, environ=fake_server.env)
    assert (done.code, done.out.strip()) == (0, "All is settled."), done.err
    assert paid(team) == ["smith"]
    page = agency("runs", "show", run_id, "--html", "-", folder=there)
    assert "approved by an option" in page.out


def test_what_python_has_a_default_for_may_be_left_out(team, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("clerk", "Pay them"))
    when(instructions="the boss").says("All is settled.")
    when(instructions="the clerk", tool_results=0).calls("pay", to="smith")
    when(instructions="the clerk").says("That is done.")
    done = run(team, fake_server, "--yes")
    assert done.code == 0, done.err
    assert paid(team) == ["smith"]
    assert told_to_clerk(fake_server) == "paid smith"


def test_without_a_terminal_a_run_pauses_and_says_which_command_answers(team, fake_server):
    asks_clerk(fake_server, "smith", "carter")
    done = run(team, fake_server)
    assert done.code == 4, done.err
    assert "error: paused: 2 calls wait for approval" in done.err
    assert "pay to=smith cents=7" in done.err
    (first, second) = re.findall(r"--approve (\w+)$", done.err, re.MULTILINE)
    assert second == "all"
    assert f"--deny {first} --reason" in done.err
    assert paid(team) == []
    assert done.out == ""


def test_a_quiet_run_that_pauses_says_how_to_answer_too(team, fake_server):
    asks_clerk(fake_server, "smith")
    done = run(team, fake_server, "--quiet")
    assert done.code == 4
    assert re.search(r"^  agency runs resume .* --approve \w+$", done.err, re.MULTILINE)


def test_the_lines_after_a_pause_are_not_sent_to_a_chat(team, fake_server):
    asks_clerk(fake_server, "smith")
    talk = agency("chat", team, folder=team.parent, environ=fake_server.env, stdin="Pay\nThanks\n")
    assert talk.code == 4, talk.err
    assert "the lines after it were not sent" in talk.err
    asked = [str(request.messages) for request in fake_server.requests]
    assert not any("Thanks" in text for text in asked)
    (line,) = re.findall(r"^  agency (runs resume .* --approve \w+)$", talk.err, re.MULTILINE)
    again = agency(*line.split(), folder=team.parent, environ=fake_server.env)
    assert (again.code, again.out.strip()) == (0, "All is settled.")


def test_the_printed_command_goes_on_with_the_run(team, fake_server):
    asks_clerk(fake_server, "smith")
    done = run(team, fake_server)
    (line,) = re.findall(r"^  agency (runs resume .* --approve \w+)$", done.err, re.MULTILINE)
    served = len(fake_server.requests)
    again = agency(*line.split(), folder=team.parent, environ=fake_server.env)
    assert (again.code, again.out.strip()) == (0, "All is settled.")
    assert paid(team) == ["smith"]
    assert len(fake_server.requests) == served + 2, "nothing that was answered is asked again"


def test_a_paused_run_tells_in_json_what_waits(team, fake_server):
    asks_clerk(fake_server, "smith")
    result = json.loads(run(team, fake_server, "--json").out)
    assert (result["status"], result["error"]["kind"]) == ("paused", "paused")
    (waiting,) = result["approvals"]
    assert waiting["agent"] == "clerk"
    assert waiting["tool"] == "pay"
    assert json.loads(waiting["arguments"]) == {"to": "smith", "cents": 7}
    assert [node["status"] for node in walk(result["tree"]) if node["kind"] != "model"] == [
        "paused"
    ] * 4


def test_a_denied_call_is_not_made_and_its_model_hears_why(team, fake_server):
    asks_clerk(fake_server, "smith", "carter")
    first = json.loads(run(team, fake_server, "--json").out)
    smith, carter = (each["call"] for each in first["approvals"])
    options = ("--approve", smith, "--deny", carter, "--reason", "He was paid yesterday")
    done = resume(team, fake_server, first["run_id"], *options)
    assert (done.code, json.loads(done.out)["status"]) == (0, "ok")
    assert paid(team) == ["smith"]
    assert "a person did not agree to this call: He was paid yesterday" in told_to_clerk(
        fake_server
    )


def test_calls_are_answered_one_by_one_over_several_resumes(team, fake_server):
    asks_clerk(fake_server, "smith", "carter")
    first = json.loads(run(team, fake_server, "--json").out)
    smith, carter = (each["call"] for each in first["approvals"])
    second = resume(team, fake_server, first["run_id"], "--approve", smith)
    assert second.code == 4
    assert [each["call"] for each in json.loads(second.out)["approvals"]] == [carter]
    # A call that was agreed to is made, and made once, whatever the other one waits for.
    assert paid(team) == ["smith"]
    third = resume(team, fake_server, first["run_id"], "--approve", carter)
    assert third.code == 0
    assert paid(team) == ["smith", "carter"]


def test_the_manifest_decides_by_the_arguments_and_its_deny_is_stronger_than_yes(team, fake_server):
    asks_clerk(fake_server, "baker", "thief of bread", "smith")
    done = run(team, fake_server, "--yes", "--json")
    assert done.code == 0, done.err
    assert sorted(paid(team)) == ["baker", "smith"]
    assert "the manifest allows no such call of pay" in told_to_clerk(fake_server)


def test_the_option_deny_refuses_what_would_be_asked_and_nothing_else(team, fake_server):
    asks_clerk(fake_server, "baker", "smith")
    done = run(team, fake_server, "--deny", "--json")
    assert done.code == 0, done.err
    assert paid(team) == ["baker"]
    assert "allows no such calls" in told_to_clerk(fake_server)


def test_other_branches_go_on_while_one_waits(team, fake_server):
    when = fake_server.when
    asked = when(instructions="the boss", turn=0)
    asked.calls("send_message", **message("clerk", "Pay")).calls(
        "send_message", **message("guard", "Look")
    )
    when(instructions="the clerk", tool_results=0).calls("pay", to="smith", cents=1)
    when(instructions="the guard").says("All quiet.").after(0.5)
    result = json.loads(run(team, fake_server, "--json").out)
    assert result["status"] == "paused"
    agents = {n["name"]: n["status"] for n in walk(result["tree"]) if n["kind"] == "agent"}
    assert agents == {"boss": "paused", "clerk": "paused", "guard": "ok"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--approve", "nobody"), "no call 'nobody'"),
        (("--reason", "x"), "--reason says why a call is denied"),
        (("--approve", "all", "--deny", "all"), "both approved and denied"),
    ],
)
def test_answers_to_nothing_are_refused_and_change_nothing(team, fake_server, options, said):
    asks_clerk(fake_server, "smith")
    first = json.loads(run(team, fake_server, "--json").out)
    done = resume(team, fake_server, first["run_id"], *options)
    assert done.code == 2
    assert said in done.err
    shown = agency("runs", "show", first["run_id"], folder=team.parent)
    assert "--approve" in shown.out
    listed = agency("runs", "list", "--status", "paused", "--json", folder=team.parent)
    assert first["run_id"] in listed.out
    assert paid(team) == []


def test_yes_and_deny_together_are_wrong_usage(team, fake_server):
    done = run(team, fake_server, "--yes", "--deny")
    assert done.code == 2
    assert "opposite" in done.err
    assert fake_server.requests == []


def test_a_flow_asks_before_its_message_is_sent(team, fake_server):
    team.write_text(
        TEAM.replace(
            "  - boss > clerk, guard",
            "  - {from: boss, to: [clerk, guard], approval: "
            "[{when: {recipient_agent: guard}, then: never}, {then: ask}]}",
        )
    )
    when = fake_server.when
    asked = when(instructions="the boss", turn=0)
    asked.calls("send_message", **message("CLERK", "Pay")).calls(
        "send_message", **message("guard", "Look")
    )
    when(instructions="the boss").says("Over.")
    when(instructions="the guard").says("All quiet.")
    first = json.loads(run(team, fake_server, "--json").out)
    assert first["status"] == "paused"
    (waiting,) = first["approvals"]
    assert json.loads(waiting["arguments"])["recipient_agent"] == "clerk"
    assert not any("the clerk" in (r.instructions or "") for r in fake_server.requests)
    done = resume(team, fake_server, first["run_id"], "--deny", "all", "--reason", "Not today")
    assert done.code == 0, done.err
    (boss,) = [r for r in fake_server.requests if len(r.tool_outputs) == 2]
    assert any("Not today" in output for output in boss.tool_outputs)


def test_a_handoff_that_is_denied_leaves_the_conversation_where_it_is(team, fake_server):
    team.write_text(
        TEAM.replace(
            "  - boss > clerk, guard",
            "  - boss > guard\n  - {from: boss, to: clerk, kind: handoff, approval: ask}",
        )
    )
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("transfer_to_clerk")
    when(instructions="the boss").says("Then I answer myself.")
    when(instructions="the clerk").says("I am the clerk.")
    first = json.loads(run(team, fake_server, "--json").out)
    assert first["status"] == "paused"
    denied = resume(team, fake_server, first["run_id"], "--deny", "all", "--reason", "No")
    result = json.loads(denied.out)
    assert (denied.code, result["final_agent"]) == (0, "boss")
    assert result["final_output"] == "Then I answer myself."
    assert any("did not agree" in text for text in fake_server.requests[-1].tool_outputs)


def test_a_handoff_that_is_approved_moves_the_conversation(team, fake_server):
    team.write_text(
        TEAM.replace(
            "  - boss > clerk, guard",
            "  - boss > guard\n  - {from: boss, to: clerk, kind: handoff, approval: ask}",
        )
    )
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("transfer_to_clerk")
    when(instructions="the clerk").says("I am the clerk.")
    done = run(team, fake_server, "--yes", "--json")
    assert json.loads(done.out)["final_agent"] == "clerk", done.err


@pytest.mark.parametrize(
    ("typed", "made", "told"),
    [
        ("y\r", ["smith"], "paid smith"),
        ("yes\r", ["smith"], "paid smith"),
        ("n too dear\r", [], "a person did not agree to this call: too dear"),
        ("n\rtoo late\r", [], "a person did not agree to this call: too late"),
        ("what?\ry\r", ["smith"], "paid smith"),
    ],
)
def test_a_person_at_the_terminal_is_asked(team, fake_server, typed, made, told):
    asks_clerk(fake_server, "smith")
    with person(team, fake_server) as someone:
        someone.sees("clerk wants to call pay", "to: smith", "cents: 7", "y/n/a/l?")
        assert paid(team) == []
        for line in typed.split("\r")[:-1]:
            someone.type(f"{line}\r")
            time.sleep(0.3)
        someone.sees("All is settled.")
        assert someone.leaves() == 0
    assert paid(team) == made
    assert told in told_to_clerk(fake_server)


def test_always_answers_for_all_calls_of_the_tool_in_the_run(team, fake_server):
    asks_clerk(fake_server, "smith", "carter", "weaver")
    with person(team, fake_server) as someone:
        someone.sees("wants to call pay", "y/n/a/l?")
        someone.type("a\r")
        someone.sees("All is settled.")
        assert someone.leaves() == 0
        assert someone.shown.count("wants to call") == 1
    assert sorted(paid(team)) == ["carter", "smith", "weaver"]


def test_a_question_can_be_left_for_later(team, fake_server):
    asks_clerk(fake_server, "smith")
    with person(team, fake_server) as someone:
        someone.sees("wants to call pay", "y/n/a/l?")
        someone.type("l\r")
        someone.sees("waiting for approval", "--approve")
        assert someone.leaves() == 4


def test_ctrl_c_at_a_question_stops_the_run_and_its_call_still_waits(team, fake_server):
    asks_clerk(fake_server, "smith")
    with person(team, fake_server) as someone:
        someone.sees("wants to call pay", "y/n/a/l?")
        someone.type("\x03")
        someone.sees("error: interrupted")
        assert someone.leaves() == 130
    assert paid(team) == []
    (listed,) = json.loads(agency("runs", "list", "--json", folder=team.parent).out)
    assert listed["status"] == "cancelled"
    done = resume(team, fake_server, listed["run_id"], "--approve", "all")
    assert done.code == 0, done.err
    assert paid(team) == ["smith"]


def test_the_time_of_a_person_is_not_that_of_a_flow_or_a_run(team, fake_server):
    team.write_text(
        TEAM.replace("  - boss > clerk, guard", "  - {from: boss, to: clerk, timeout_seconds: 1.5}")
    )
    asks_clerk(fake_server, "smith")
    with person(team, fake_server, "--max-seconds", "3") as someone:
        someone.sees("wants to call pay", "y/n/a/l?")
        time.sleep(4)
        someone.type("y\r")
        someone.sees("All is settled.")
        assert someone.leaves() == 0


def test_a_tool_made_ready_in_python_asks_as_it_says_itself(team, fake_server):
    team.with_name("tools.py").write_text(
        TOOLS.replace("def pay(", "@function_tool(needs_approval=True)\ndef pay(").replace(
            "from pathlib", "from agents import function_tool\nfrom pathlib"
        )
    )
    text = TEAM[: TEAM.index("    approval:")] + TEAM[TEAM.index("flows:") :]
    team.write_text(text)
    asks_clerk(fake_server, "smith")
    assert run(team, fake_server).code == 4
    assert paid(team) == []


def test_a_rule_about_an_argument_that_no_tool_has_is_a_problem_at_its_place(team, fake_server):
    team.write_text(TEAM.replace('{to: "thief*"}', '{too: "thief*"}'))
    done = run(team, fake_server)
    assert done.code == 2
    assert "agency.yaml:15:17" in done.err
    assert "no argument is named 'too' (did you mean 'to'?)" in done.err
    team.write_text(
        TEAM.replace(
            "  - boss > clerk, guard",
            "  - {from: boss, to: clerk, approval: [{when: {mesage: '*'}, then: deny}]}",
        )
    )
    checked = agency("validate", team, folder=team.parent)
    assert checked.code == 2
    assert "no argument is named 'mesage' (did you mean 'message'?)" in checked.err + checked.out


def test_a_call_with_wrong_arguments_is_told_to_its_model_and_asked_of_nobody(team, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("clerk", "Pay"))
    when(instructions="the boss").says("Over.")
    when(instructions="the clerk", tool_results=0).calls("pay", to="smith", cents="many")
    when(instructions="the clerk").says("I could not.")
    done = run(team, fake_server)
    assert done.code == 0, done.err
    assert "wrong arguments" in told_to_clerk(fake_server)


def test_the_first_ctrl_c_lets_what_is_under_way_end_and_the_run_goes_on_later(team, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("guard", "Look"))
    when(instructions="the boss").says("Over.")
    when(instructions="the guard").says("All quiet.").after(2)
    process = subprocess.Popen(
        command("run", team, "Go", "--json"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(team.parent, fake_server.env),
        cwd=team.parent,
        text=True,
    )
    deadline = time.monotonic() + LONGEST
    while len(fake_server.requests) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LONGEST)
    assert process.returncode == 130
    assert "Ctrl-C again stops at once" in err
    first = json.loads(out)
    agents = {n["name"]: n["status"] for n in walk(first["tree"]) if n["kind"] == "agent"}
    assert agents == {"boss": "cancelled", "guard": "ok"}
    assert len(fake_server.requests) == 2, "nothing new was begun"
    done = resume(team, fake_server, first["run_id"])
    assert json.loads(done.out)["final_output"] == "Over."
    assert len(fake_server.requests) == 3, "nothing that was finished is asked again"


def person(team: Path, server: Any, *options: str) -> Person:
    return Person("run", team, "Go", *options, folder=team.parent, environ=server.env)


def walk(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(below for child in node["children"] for below in walk(child))]
