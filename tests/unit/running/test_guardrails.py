"""Guardrails: what they look at, what they do, what they cost, and that nothing passes them by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agency_cli.errors import ExitCode, ManifestError, Refused
from agency_cli.events import Notice
from agency_runs import build, message, run
from command_line import agency as agency_command
from fake_server import Fault, Reply
from journalled import send_to, write

CHECKS = """
import asyncio
from pathlib import Path

SEEN = Path(__file__).with_name("seen.txt")


def polite(text):
    with SEEN.open("a") as seen:
        seen.write("looked;")
    return (True, "") if "please" in text else (False, "say\\nplease")


async def small(arguments, run):
    assert run.params == {}
    return None if arguments["count"] < 10 else f"{arguments['count']} are too many"


def breaks(text):
    raise ValueError("no ink")


def odd(text):
    return 5


def exits(text):
    raise SystemExit(3)


def fine(text):
    return True
"""
TOOLS = """
def buy(what: str, count: int = 1) -> str:
    return f"bought {count} {what}; the code is 4711"
"""
ONE = """
guardrails:
  g: {guard}
agents:
  clerk: {{instructions: You are the clerk., guardrails: [g], tools: [buy]}}
tools: {{buy: {{python: "tools.py:buy"}}}}
"""
TEAM = """
entry: boss
guardrails:
  g: {guard}
agents:
  boss: {{instructions: You are the boss.}}
  clerk: {{instructions: You are the clerk., guardrails: [g]}}
flows: [{flow}]
"""
NO_KEYS = '{applies_to: output, regex: "sk-[a-z0-9]{3,}", message: Never show a key.'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "checks.py").write_text(CHECKS)
    (tmp_path / "tools.py").write_text(TOOLS)
    return tmp_path


def one(folder, server, guard, **options):
    return run(build(folder, server, ONE.format(guard=guard)), **options)


def notices(done) -> list[str]:
    return [event.text for event in done.events if isinstance(event, Notice)]


def test_an_output_that_is_blocked_ends_the_run_with_5_and_is_given_to_nobody(folder, fake_server):
    fake_server.when().says("It is sk-abc.")
    done = one(folder, fake_server, NO_KEYS + "}")
    assert isinstance(done.error, Refused)
    assert done.error.exit_code == ExitCode.REFUSED
    assert str(done.error) == "guardrail g refused the final output of clerk: Never show a key."
    assert done.output is None
    (node,) = done.nodes("tool", "guardrail g")
    assert (node.status, node.error) == ("error", "it holds what it must not")


def test_what_passes_leaves_no_trace(folder, fake_server):
    fake_server.when().says("It is fine.")
    done = one(folder, fake_server, NO_KEYS + "}")
    assert done.output == "It is fine."
    assert done.nodes("tool") == []


def test_an_output_is_sent_back_with_the_message_so_many_times(folder, fake_server):
    answers = iter(["sk-aaa", "sk-bbb", "Here you are."])
    fake_server.when().replies(lambda _: Reply(text=next(answers)))
    done = one(folder, fake_server, NO_KEYS + ", action: retry, retries: 2}")
    assert done.output == "Here you are."
    said = [item.text for item in fake_server.requests[-1].messages]
    assert said[1] == "sk-aaa"
    assert "cannot be taken: Never show a key." in said[2]
    assert done.tree.totals.usage.requests == 3
    assert len(done.nodes("tool", "guardrail g")) == 2


def test_what_is_never_right_is_blocked_after_its_retries(folder, fake_server):
    fake_server.when().says("sk-aaa")
    done = one(folder, fake_server, NO_KEYS + ", action: retry, retries: 2}")
    assert isinstance(done.error, Refused)
    assert len(fake_server.requests) == 3


def test_a_warning_lets_it_pass_and_says_so(folder, fake_server):
    fake_server.when().says("sk-aaa")
    done = one(folder, fake_server, NO_KEYS + ", action: warn}")
    assert done.output == "sk-aaa"
    assert notices(done) == ["guardrail g: the final output of clerk: Never show a key."]


def test_an_input_that_is_blocked_costs_nothing(folder, fake_server):
    guard = '{applies_to: input, python: "checks.py:polite"}'
    done = one(folder, fake_server, guard, message="Do it")
    assert str(done.error) == "guardrail g refused what was asked of clerk: say please"
    assert fake_server.requests == []
    fake_server.when().says("Done.")
    assert one(folder, fake_server, guard, message="Do it, please").output == "Done."


@pytest.mark.parametrize("flow", ["boss > clerk", "{from: boss, to: clerk, kind: handoff}"])
def test_an_agent_that_is_asked_or_handed_over_to_has_its_own_guardrails(folder, fake_server, flow):
    team = TEAM.format(guard='{applies_to: input, regex: "secret"}', flow=flow)
    when = fake_server.when
    if "handoff" in flow:
        when(instructions="the boss", turn=0).calls("transfer_to_clerk")
    else:
        when(instructions="the boss", turn=0).calls("send_message", **message("clerk", "a secret"))
        when(instructions="the boss", tool_output="guardrail g refused what was asked").says("No.")
    done = run(build(folder, fake_server, team), message="tell a secret")
    if "handoff" in flow:
        assert isinstance(done.error, Refused)
    else:
        assert done.output == "No."
    assert not [r for r in fake_server.requests if "the clerk" in r.instructions]


def test_defaults_hold_for_agents_that_say_nothing_else(folder, fake_server):
    text = """
    guardrails: {g: {applies_to: output, regex: bad}}
    defaults: {model: mini, guardrails: [g]}
    entry: a
    agents: {a: {instructions: A.}, b: {instructions: B., description: B., guardrails: []}}
    flows: [a > b]
    """
    agency = build(folder, fake_server, text, head=HEAD_ALONE)
    assert set(agency.guards) == {"a"}


HEAD_ALONE = """\
version: 1
name: test
providers: {{fake: {{base_url: "{url}", api: {api}, api_key: k}}}}
models: {{mini: {{model: gpt-5-mini, provider: fake}}}}
"""


def test_a_tools_input_is_told_to_the_model_in_place_of_the_call(folder, fake_server):
    guard = '{applies_to: tool_input, python: "checks.py:small", action: retry}'
    fake_server.when(turn=0).calls("buy", what="milk", count=50)
    fake_server.when(tool_output="buy was not called: 50 are too many").calls(
        "buy", what="milk", count=5
    )
    fake_server.when(tool_output="bought 5 milk").says("Bought.")
    done = one(folder, fake_server, guard)
    assert done.output == "Bought."
    fake_server.when().calls("buy", what="milk", count=50)


def test_a_tools_input_that_stays_wrong_ends_the_run(folder, fake_server):
    guard = '{applies_to: tool_input, python: "checks.py:small", action: retry}'
    fake_server.when().calls("buy", what="milk", count=50)
    done = one(folder, fake_server, guard)
    assert str(done.error) == "guardrail g refused what clerk gave a tool: 50 are too many"
    assert len(fake_server.requests) == 2


def test_a_tools_output_is_withheld(folder, fake_server):
    guard = '{applies_to: tool_output, regex: "code is \\\\d+", action: retry, message: No codes.}'
    fake_server.when(turn=0).calls("buy", what="milk")
    fake_server.when(tool_output="what buy gave back is withheld: No codes.").says("I see.")
    done = one(folder, fake_server, guard)
    assert done.output == "I see."
    assert "4711" not in json.dumps([r.body for r in fake_server.requests])


def test_a_schema_is_held_against_json(folder, fake_server):
    guard = "{applies_to: output, json_schema: {type: object, required: [name]}, action: retry}"
    fake_server.when(user="'name' is a required property").says('{"name": 1}')
    fake_server.when(user="it is not JSON").says("{}")
    fake_server.when().says("{}")
    assert one(folder, fake_server, guard).output == '{"name": 1}'


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("breaks", "it could not be checked: ValueError: no ink"),
        ("odd", "it could not be checked: TypeError: it returned int"),
        ("exits", "it could not be checked: SystemExit: 3"),
    ],
)
def test_what_cannot_be_checked_does_not_pass(folder, fake_server, name, reason):
    fake_server.when().says("Done.")
    done = one(folder, fake_server, f'{{applies_to: output, python: "checks.py:{name}"}}')
    assert isinstance(done.error, Refused)
    assert reason in str(done.error)


def test_a_pattern_without_end_does_not_hang_a_run(folder, fake_server):
    fake_server.when().says("a" * 60 + "!")
    done = one(folder, fake_server, '{applies_to: output, regex: "^(a|a)*$|^(a|aa)+$"}')
    assert done.output or "was not done after" in str(done.error)


def test_python_that_is_no_function_is_a_located_problem(folder, fake_server):
    for name in ("SEEN", "gone"):
        with pytest.raises(ManifestError) as caught:
            one(folder, fake_server, f'{{applies_to: output, python: "checks.py:{name}"}}')
        problem = caught.value.problems[0]
        assert (problem.code, problem.dotted_path) == ("broken-guardrail", "guardrails.g.python")


def resumed(failed, folder) -> str:
    line = ("runs", "resume", failed.run.id, "--store", str(failed.runs.database.url), "--quiet")
    return agency_command(*line, folder=folder).out.strip()


JUDGE = """
    {applies_to: output, judge: {instructions: "Is it polite?", model: big},
     action: retry, retries: 1}
"""


def test_a_judge_is_an_agent_whose_calls_are_counted_and_priced_as_its_own(folder, fake_server):
    when = fake_server.when
    when(instructions="Is it polite?", user="Go away").says(
        '{"ok": false, "reason": "It is rude."}'
    )
    when(instructions="Is it polite?", user="Welcome").says('{"ok": true, "reason": "Fine."}')
    when(instructions="the clerk", user="It is rude.").says("Welcome.")
    when(instructions="the clerk").says("Go away.")
    done = one(folder, fake_server, JUDGE)
    assert done.output == "Welcome."
    by_agent = done.tree.by_agent()
    assert {name: each.usage.requests for name, each in by_agent.items()} == {
        "clerk": 2,
        "g (judge)": 2,
    }
    assert {n.model for n in done.nodes("model") if n.agent == "g (judge)"} == {"fake/gpt-5"}
    assert done.tree.totals.usage.total_tokens == fake_server.counted.total.total
    assert [n.status for n in done.nodes("tool", "guardrail g")] == ["error", "ok"]
    judged = [r for r in fake_server.requests if "Is it polite?" in r.instructions]
    assert judged[0].messages[-1].text == "<text>\nGo away.\n</text>"


def test_a_judge_is_held_by_the_limits_of_the_run(folder, fake_server):
    fake_server.when(instructions="the clerk").says("Hi.")
    done = one(folder, fake_server, JUDGE, max_turns=1)
    assert done.error.exit_code == ExitCode.LIMIT
    assert len(fake_server.requests) == 1


@pytest.mark.parametrize("what", ["tool_input", "tool_output"])
def test_a_judge_of_a_tool_that_cannot_be_reached_is_no_failure_of_the_tool(
    folder, fake_server, what
):
    fake_server.when(instructions="the clerk").calls("buy", what="milk")
    fake_server.when(instructions="Is it polite?").fails(Fault.status(401))
    done = one(folder, fake_server, JUDGE.replace("applies_to: output", f"applies_to: {what}"))
    assert done.error.exit_code == ExitCode.PROVIDER
    assert len([r for r in fake_server.requests if "the clerk" in r.instructions]) == 1


def test_a_judge_that_cannot_be_reached_fails_the_run(folder, fake_server):
    fake_server.when(instructions="the clerk").says("Hi.")
    fake_server.when(instructions="Is it polite?").fails(Fault.status(401))
    done = one(folder, fake_server, JUDGE)
    assert done.error.exit_code == ExitCode.PROVIDER


def test_what_a_guardrail_found_is_not_looked_for_again_when_a_run_is_resumed(folder, fake_server):
    text = ONE.format(guard='{applies_to: input, python: "checks.py:polite"}')
    path = write(folder, fake_server, text)
    fake_server.when().fails(Fault.status(401, times=1))
    fake_server.when().says("Done.")
    failed = send_to(path, "please")
    assert (folder / "seen.txt").read_text() == "looked;"
    assert resumed(failed, folder) == "Done."
    assert (folder / "seen.txt").read_text() == "looked;"


def test_tokens_of_a_judge_are_in_the_sums(folder, fake_server):
    when = fake_server.when
    when(instructions="Is it polite?").says('{"ok": true, "reason": ""}').costs(input=70, output=5)
    when(instructions="the clerk").says("Hi.").costs(input=10, output=3)
    done = one(folder, fake_server, JUDGE)
    assert done.tree.totals.usage.total_tokens == 88
