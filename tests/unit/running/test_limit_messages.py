"""What is told of a limit: which, where it was set, what was spent, and how to raise it."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from agency_cli.building import Agency
from agency_cli.manifest import AgentSpec, Defaults, FlowSpec, Limits
from agency_runs import HEAD, build, message, run, runs
from fake_server import FakeServer, Reply, TokenUsage, ToolCall

FILES = """
import itertools, time
from agency_cli import SendMessage

numbers = itertools.count()

def look(what: str) -> str:
    "Look."
    return "nothing" if what == "same" else f"sight {next(numbers)}"

class Slow(SendMessage):
    def compose(self, message, params, sender, recipient):
        time.sleep(1)
        return message
"""
TEAM = """
tools: {look: {python: "files.py:look"}}
entry: boss
limits:
  LIMIT
agents:
  boss:
    instructions: You are the boss.
    tools: [look]
  one:
    instructions: You are one.
    tools: [look]
    AGENT
  two:
    instructions: You are two.
flows:
  - from: boss
    to: one
    FLOW
  - one > two
"""
# Where TEAM is filled, what is set there, what is spent when it is reached, and who is told.
RUN, AGENT, FLOW, DEFAULTS = "LIMIT", "AGENT", "FLOW", "DEFAULTS"
LIMITS = {
    "limits.max_turns": (RUN, "3", "spent 3 model calls, 600 tokens, $0.", "user"),
    "limits.max_repeats": (RUN, "2", "2 calls of look with the same arguments", "user"),
    "limits.max_tokens": (RUN, "300", "spent 2 model calls, 400 tokens", "user"),
    "limits.max_cost_usd": (RUN, "0.0001", "spent 1 model calls, 200 tokens, $0.000", "user"),
    "limits.max_seconds": (RUN, "0.3", "spent 2 model calls", "user"),
    "limits.max_depth": (RUN, "1", "nest 1 deep", "one"),
    "agents.one.max_turns": (AGENT, "2", "one has made 2 model calls for one input", "boss"),
    "defaults.max_turns": (DEFAULTS, "2", "one has made 2 model calls for one input", "boss"),
    "flows[0].max_calls": (FLOW, "1", "1 messages were sent on this flow", "boss"),
    "flows[0].timeout_seconds": (FLOW, "0.3", "no answer within 0.3 seconds", "boss"),
    "flows[0].timeout_seconds of a class": (FLOW, "0.3", "longer than 0.3 seconds", "boss"),
}
NEVER_REACHED = {"limits.max_parallel"}
"""It makes calls wait, and stops none."""


def test_every_limit_of_the_file_format_is_held_here():
    keys = {f"limits.{name}" for name in Limits.model_fields}
    for where, model in (("agents.one", AgentSpec), ("defaults", Defaults), ("flows[0]", FlowSpec)):
        names = (n for n in model.model_fields if n.startswith("max_") or n.endswith("_seconds"))
        keys |= {f"{where}.{name}" for name in names}
    assert {key.split(" ")[0] for key in LIMITS} == keys - NEVER_REACHED


@pytest.mark.parametrize("case", LIMITS)
def test_a_limit_tells_which_where_it_was_set_what_was_spent_and_how_to_raise_it(
    tmp_path, fake_server, case
):
    key = case.split(" ")[0]
    place, most, spent, told = LIMITS[case]
    script(fake_server, case)
    of_class = "\n    send_message: files.py:Slow" if case.endswith("class") else ""
    agency = build_with(tmp_path, fake_server, place, f"{name_of(case)}: {most}{of_class}")
    outcome = run(agency)
    path = tmp_path / "agency.yaml"
    line = next(
        number
        for number, text in enumerate(path.read_text().splitlines(), start=1)
        if f"{name_of(case)}: {most}" in text
    )
    if told == "user":
        texts = [str(outcome.error)]
    else:
        assert outcome.output == "Done."
        sender = "the boss" if told == "boss" else "You are one."
        asked = [r for r in fake_server.requests if sender in r.instructions]
        texts = [output for request in asked for output in request.tool_outputs]
        nodes = [n for n in outcome.nodes("message") if n.error]
        assert nodes
        assert all(node.error in text for node in nodes for text in texts if key in text)
    (text,) = {text for text in texts if key in text}
    assert f"({key}, set by {path}:{line})" in text
    assert spent in text
    assert f"raise {key} in the manifest" in text
    assert "\n" not in text


def test_a_limit_of_the_command_line_and_a_default_are_told_as_such(tmp_path, fake_server):
    script(fake_server, "limits.max_turns")
    agency = build_with(tmp_path, fake_server, "", "")
    given, usual = runs(agency, [{"max_turns": 2}, {}])
    text = str(given.error)
    assert "(limits.max_turns, set by --max-turns)" in text
    assert "or give --max-turns to go further" in text
    assert "(limits.max_turns, set by its default)" in str(usual.error)


def test_an_agent_that_has_its_limit_from_the_defaults_may_get_one_of_its_own(
    tmp_path, fake_server
):
    script(fake_server, "defaults.max_turns")
    outcome = run(build_with(tmp_path, fake_server, DEFAULTS, "max_turns: 2"))
    (node,) = [node for node in outcome.nodes("message") if node.error]
    assert "raise defaults.max_turns in the manifest or set agents.one.max_turns" in node.error


def build_with(folder: Path, server: FakeServer, place: str, line: str) -> Agency:
    """Build the team with `line` in one place, and nothing in the others."""
    (folder / "files.py").write_text(FILES)
    text = TEAM
    for each in (RUN, AGENT, FLOW):
        text = text.replace(each, line if place == each else "{}" if each == RUN else "")
    defaults = f"defaults:\n  model: mini\n  {line if place == DEFAULTS else ''}\n"
    return build(folder, server, text, head=HEAD.replace("defaults: {{model: mini}}\n", defaults))


def name_of(case: str) -> str:
    """Return the key of the limit alone."""
    return case.partition(" ")[0].rpartition(".")[2]


def script(server, case: str) -> None:
    """Let `one` go on for ever, and the boss end when a limit is told to it."""
    numbers = itertools.count()
    usage = TokenUsage(input=100, output=100)
    limit = name_of(case)

    def one(_request) -> Reply:
        if case == "limits.max_depth":
            call = ToolCall("send_message", message("two", "deeper"))
        else:
            call = ToolCall("look", {"what": "same" if limit == "max_repeats" else "new"})
        slow = 30 if limit in {"max_seconds", "timeout_seconds"} else 0
        return Reply(tool_calls=(call,), usage=usage, delay=slow)

    when = server.when
    when(instructions="You are one.", tool_output=f".{limit}").says("Done.")
    if limit == "max_calls":
        when(instructions="You are one.").says("ok")
    when(instructions="You are one.").replies(one)
    if told_to_boss(case):
        when(instructions="the boss", tool_output=f".{limit}").says("Done.")
    if case == "limits.max_depth":
        when(instructions="the boss", tool_output="Done.").says("Done.")
    when(instructions="the boss").replies(
        lambda _: Reply(
            tool_calls=(ToolCall("send_message", message("one", str(next(numbers)))),), usage=usage
        )
    )


def told_to_boss(case: str) -> bool:
    return LIMITS[case][3] == "boss"
