"""Limits hold over the whole tree of a run, whatever its branches do."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from agency_cli.errors import ExitCode, LimitReached
from agency_cli.events import Notice
from agency_runs import HEAD, build, message, run
from fake_server import ModelRequest, Reply, TokenUsage, ToolCall

TEAM = """
entry: boss
tools: {look: {python: "tools.py:look"}}
agents:
  boss: {instructions: You are the boss., tools: [look]}
  one: {instructions: You are one.}
  two: {instructions: You are two.}
flows: ["boss > one, two"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(
        "import itertools\n"
        "numbers = itertools.count()\n"
        "def look(what: str) -> str:\n"
        "    'Look.'\n"
        "    return 'nothing' if what == 'same' else f'sight {next(numbers)}'\n"
    )
    return tmp_path


def test_model_calls_are_counted_over_all_agents(folder, fake_server):
    numbers = itertools.count()
    fake_server.when(instructions="the boss").replies(
        lambda _: Reply(
            tool_calls=(ToolCall("send_message", message("one", f"message {next(numbers)}")),)
        )
    )
    fake_server.when(instructions="You are one.").says("ok")
    outcome = run(build(folder, fake_server, TEAM), max_turns=7)
    assert isinstance(outcome.error, LimitReached)
    assert outcome.error.exit_code == ExitCode.LIMIT
    assert len(fake_server.requests) == 7
    text = str(outcome.error)
    for part in ("7 model calls", "limits.max_turns", "--max-turns", "spent 7 model calls"):
        assert part in text
    assert outcome.tree.root.status == "limit"
    assert not [node for node in outcome.tree.nodes.values() if node.status == "running"]


def test_a_call_that_learns_nothing_is_not_repeated_for_ever(folder, fake_server):
    fake_server.when(instructions="the boss").calls("look", what="same")
    outcome = run(build(folder, fake_server, TEAM))
    assert "3 calls of look with the same arguments and results" in str(outcome.error)
    assert outcome.error.exit_code == ExitCode.LIMIT
    assert len(fake_server.requests) == 4


def test_a_call_whose_result_changes_may_be_repeated(folder, fake_server):
    for turn in range(6):
        fake_server.when(instructions="the boss", turn=turn).calls("look", what="new")
    fake_server.when(instructions="the boss").says("seen")
    assert run(build(folder, fake_server, TEAM)).output == "seen"


def test_tokens_are_bounded_to_one_call_beyond_also_with_parallel_branches(folder, fake_server):
    fake_server.script(_busy)
    outcome = run(build(folder, fake_server, TEAM), max_tokens=1000)
    assert "1,000 tokens" in str(outcome.error)
    assert 1000 <= fake_server.counted.total.total < 1000 + 200


def test_money_is_bounded_to_one_call_beyond(folder, fake_server):
    fake_server.script(_busy)
    outcome = run(build(folder, fake_server, TEAM), max_cost_usd=0.0005)
    assert "limits.max_cost_usd" in str(outcome.error)
    one_call = 100 * 0.25e-6 + 100 * 2e-6
    assert 0.0005 <= float(outcome.tree.totals.cost_usd) <= 0.0005 + one_call


@pytest.mark.parametrize("limit", [{"max_cost_usd": 0.1}, {"max_tokens": 50_000}])
def test_long_answers_of_branches_side_by_side_pass_a_limit_by_one_call(folder, fake_server, limit):
    """Each answer is 40,000 tokens long, which nobody could know before."""
    names = "abcdef"
    workers = "\n".join(f"  {name}: {{instructions: You are {name}.}}" for name in names)
    team = f"entry: boss\nagents:\n  boss: {{instructions: You are the boss.}}\n{workers}\n"
    when = fake_server.when
    boss = when(instructions="the boss", turn=0)
    for name in names:
        boss.calls("send_message", **message(name, "go"))
    when(instructions="You are").says("ok").costs(input=100, output=40_000).after(0.05)
    flows = f"flows: ['boss > {', '.join(names)}']\n"
    outcome = run(build(folder, fake_server, team + flows), **limit)
    name, most = next(iter(limit.items()))
    assert f"limits.{name}" in str(outcome.error)
    one_call = 40_100 if name == "max_tokens" else 0.081
    spent = outcome.tree.totals
    of_limit = spent.usage.total_tokens if name == "max_tokens" else float(spent.cost_usd)
    assert most <= of_limit < most + one_call
    notices = [event.text for event in outcome.events if isinstance(event, Notice)]
    assert sum("with settings.max_tokens on the model of" in text for text in notices) <= 1


def test_answers_that_are_bounded_go_side_by_side_under_a_limit(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("one", "go")).calls(
        "send_message", **message("two", "go")
    )
    when(instructions="the boss").says("done")
    when(instructions="You are").says("ok").costs(input=100, output=100).after(0.3)
    head = HEAD.replace("settings: {{", "settings: {{max_tokens: 500, ")
    assert run(build(folder, fake_server, TEAM, head=head), max_tokens=9_000).output == "done"
    assert fake_server.max_in_flight == 2


def test_time_is_bounded(folder, fake_server):
    fake_server.when(instructions="the boss").says("late").after(60)
    outcome = run(build(folder, fake_server, TEAM), max_seconds=0.2)
    assert "limits.max_seconds" in str(outcome.error)
    assert outcome.error.exit_code == ExitCode.LIMIT


def test_a_delegation_that_would_go_too_deep_is_told_to_its_sender(tmp_path, fake_server):
    chain = """
    entry: a
    agents:
      a: {instructions: You are a.}
      b: {instructions: You are b.}
      c: {instructions: You are c.}
    flows: ["a > b > c"]
    """
    when = fake_server.when
    when(instructions="You are a.", turn=0).calls("send_message", **message("b", "go"))
    when(instructions="You are a.").says("done")
    when(instructions="You are b.", turn=0).calls("send_message", **message("c", "go"))
    when(instructions="You are b.", tool_output="limits.max_depth").says("too deep")
    assert run(build(tmp_path, fake_server, chain + "limits: {max_depth: 1}")).output == "done"


def test_an_agents_own_limit_is_told_to_who_asked_it(tmp_path, fake_server):
    text = """
    entry: boss
    agents:
      boss: {instructions: You are the boss.}
      one: {instructions: You are one., max_turns: 2}
      two: {instructions: You are two.}
    flows: ["boss > one > two"]
    """
    when, numbers = fake_server.when, itertools.count()
    when(instructions="the boss", turn=0).calls("send_message", **message("one", "go"))
    when(instructions="the boss", tool_output="agents.one.max_turns").says("He never ends.")
    when(instructions="You are one.").replies(
        lambda _: Reply(tool_calls=(ToolCall("send_message", message("two", str(next(numbers)))),))
    )
    when(instructions="You are two.").says("ok")
    assert run(build(tmp_path, fake_server, text)).output == "He never ends."


def test_calls_of_one_response_run_at_most_so_many_at_once(folder, fake_server):
    text = """
    entry: boss
    agents:
      boss: {instructions: You are the boss.}
      a: {instructions: You are a worker.}
      b: {instructions: You are a worker.}
      c: {instructions: You are a worker.}
      d: {instructions: You are a worker.}
    flows: ["boss > a, b, c, d"]
    limits: {max_parallel: 2}
    """
    rule = fake_server.when(instructions="the boss", turn=0)
    for name in "abcd":
        rule.calls("send_message", **message(name, "go"))
    fake_server.when(instructions="a worker").says("ok").after(0.1)
    fake_server.when(instructions="the boss").says("done")
    assert run(build(folder, fake_server, text)).output == "done"
    assert fake_server.max_in_flight == 2


BRANCHES = TEAM.replace("You are one.}", "You are one., tools: [look]}")


def _statuses(outcome):
    nodes = outcome.tree.nodes.values()
    assert {node.kind for node in nodes} >= {"agent", "model"}
    return {(node.kind, node.detail if node.kind == "message" else node.agent, node.status)
            for node in nodes if node.status != "ok"}  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "what"), [({"max_turns": 3}, "new"), ({"max_repeats": 1}, "same")]
)
def test_the_agents_that_a_limit_stopped_say_so_and_the_other_branches_were_cancelled(
    folder, fake_server, limit, what
):
    when = fake_server.when
    when(instructions="the boss").calls("send_message", **message("one", "to one")).calls(
        "send_message", **message("two", "to two")
    )
    # Late enough for the other branch to be under way.
    when(instructions="You are one.").calls("look", what=what).after(0.3)
    when(instructions="You are two.").says("late").after(60)
    outcome = run(build(folder, fake_server, BRANCHES), **limit)
    assert f"limits.{next(iter(limit))}" in str(outcome.error)
    assert _statuses(outcome) == {
        ("agent", "boss", "limit"),
        ("message", "to one", "limit"),
        ("agent", "one", "limit"),
        ("message", "to two", "cancelled"),
        ("agent", "two", "cancelled"),
        ("model", "two", "cancelled"),
    }


def test_when_the_time_is_up_the_entry_agent_says_so_and_the_rest_was_cancelled(
    folder, fake_server
):
    when = fake_server.when
    when(instructions="the boss").calls("send_message", **message("one", "to one"))
    when(instructions="You are one.").says("late").after(60)
    outcome = run(build(folder, fake_server, TEAM), max_seconds=0.5)
    assert outcome.tree.root.error == str(outcome.error)
    assert outcome.error.agent == "boss"
    assert _statuses(outcome) == {
        ("agent", "boss", "limit"),
        ("message", "to one", "cancelled"),
        ("agent", "one", "cancelled"),
        ("model", "one", "cancelled"),
    }


def test_when_the_time_is_up_whoever_has_the_conversation_says_so_too(folder, fake_server):
    text = TEAM.replace('"boss > one, two"', "{from: boss, to: one, kind: handoff}")
    fake_server.when(instructions="the boss").calls("transfer_to_one")
    fake_server.when(instructions="You are one.").says("late").after(60)
    outcome = run(build(folder, fake_server, text), max_seconds=0.5)
    assert outcome.error.agent == "one"
    assert _statuses(outcome) == {
        ("agent", "boss", "limit"),
        ("handoff", "boss", "limit"),
        ("agent", "one", "limit"),
        ("model", "one", "cancelled"),
    }


def test_no_limit_of_a_run_leaves_its_entry_agent_as_if_someone_had_cancelled_it(
    folder, fake_server
):
    enough = {"max_turns": 3, "max_tokens": 500, "max_cost_usd": 0.0005, "max_seconds": 0.1}
    fake_server.script(_busy)
    for limit, most in enough.items():
        outcome = run(build(folder, fake_server, TEAM), **{limit: most})
        assert f"limits.{limit}" in str(outcome.error)
        assert outcome.tree.root.status == "limit"


def _busy(request: ModelRequest) -> Reply:
    """The boss asks both others again and again; each call uses 200 tokens."""
    usage = TokenUsage(input=100, output=100)
    if "the boss" not in request.instructions:
        return Reply(text="ok", usage=usage, delay=0.02)
    seen = len(json.dumps(request.body))
    calls = tuple(ToolCall("send_message", message(n, f"{n} {seen}")) for n in ("one", "two"))
    return Reply(tool_calls=calls, usage=usage)
