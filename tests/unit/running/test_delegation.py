"""Delegation through the real SDK: nested, parallel, refused, counted."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agency_runs import build, message, run, runs
from fake_server import Fault, ToolCall

TEAM = """
agents:
  ceo: {instructions: You are the CEO.}
  developer: {instructions: You are the developer., description: Writes code.}
  assistant: {instructions: You are the assistant.}
flows: [ceo > developer, developer > assistant]
"""
FAN = """
agents:
  manager: {instructions: You are the manager.}
  one: {instructions: You are one.}
  two: {instructions: You are two.}
  three: {instructions: You are three.}
flows: ["manager > one, two, three"]
"""


@pytest.mark.parametrize("api", ["chat_completions", "responses"])
def test_three_levels_answer_and_cost_what_the_server_counted(tmp_path, fake_server, api):
    when = fake_server.when
    when(instructions="the CEO", turn=0).calls("send_message", **message("developer", "Build"))
    when(instructions="the CEO").says("Built.").costs(input=900, cached=512, output=40)
    when(instructions="the developer", turn=0).calls(
        "send_message", **message("assistant", "Document")
    )
    when(instructions="the developer").says("Coded.")
    when(instructions="the assistant").says("Written.").costs(input=70, output=31, reasoning=12)
    outcome = run(build(tmp_path, fake_server, TEAM, api=api), "Build a REST API")

    assert outcome.output == "Built."
    counted = fake_server.counted.total
    used = outcome.tree.totals.usage
    assert used.requests == fake_server.counted.requests == 5
    assert (used.input_tokens, used.cached_input_tokens) == (counted.input, counted.cached)
    assert (used.output_tokens, used.reasoning_tokens) == (counted.output, counted.reasoning)
    by_model, by_agent = outcome.tree.by_model(), outcome.tree.by_agent()
    assert list(by_agent) == ["ceo", "developer", "assistant"]
    for groups in (by_model, by_agent):
        assert sum((t.usage.total_tokens for t in groups.values()), 0) == used.total_tokens
        assert (
            sum((t.cost_usd for t in groups.values()), Decimal(0)) == outcome.tree.totals.cost_usd
        )
    assert outcome.tree.totals.cost_usd > 0
    assert outcome.tree.root.totals == outcome.tree.totals


def test_the_tree_shows_each_delegation_inside_its_sender(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the CEO", turn=0).calls("send_message", **message("developer", "Build"))
    when(instructions="the CEO").says("Built.")
    when(instructions="the developer").says("Coded.")
    root = run(build(tmp_path, fake_server, TEAM)).tree.root

    assert [child.kind for child in root.children] == ["model", "message", "model"]
    delegation = root.children[1]
    assert (delegation.name, delegation.detail, delegation.output) == (
        "send_message",
        "Build",
        "Coded.",
    )
    assert [(n.kind, n.agent) for n in delegation.children] == [("agent", "developer")]


def test_calls_to_different_recipients_run_at_the_same_time(tmp_path, fake_server):
    when = fake_server.when
    rule = when(instructions="the manager", turn=0)
    for name in ("one", "two", "three"):
        rule.calls("send_message", **message(name, "work"))
        when(instructions=f"You are {name}.").says(name).after(0.2)
    when(instructions="the manager").says("done")
    assert run(build(tmp_path, fake_server, FAN)).output == "done"
    assert fake_server.max_in_flight == 3


def test_calls_to_one_recipient_wait_for_each_other_and_remember_each_other(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the manager", turn=0).calls("send_message", **message("one", "first")).calls(
        "send_message", **message("one", "second")
    )
    when(instructions="You are one.", user="first").says("first answer").after(0.1)
    when(instructions="You are one.", user="second").says("second answer")
    when(instructions="the manager").says("done")
    assert run(build(tmp_path, fake_server, FAN)).output == "done"
    assert fake_server.max_in_flight == 1
    second = next(r for r in fake_server.requests if r.last_user_text == "second")
    assert [m.text for m in second.messages] == ["first", "first answer", "second"]


def test_an_agent_sees_no_word_of_a_pair_that_it_is_not_in(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the CEO", turn=0).calls("send_message", **message("developer", "For dev"))
    when(instructions="the CEO").says("Built.")
    when(instructions="the developer", turn=0).calls(
        "send_message", **message("assistant", "For the assistant")
    )
    when(instructions="the developer").says("Coded.")
    when(instructions="the assistant").says("Written.")
    run(build(tmp_path, fake_server, TEAM), "Only for the CEO")
    seen = {
        request.instructions: [m.text for m in request.messages] for request in fake_server.requests
    }
    assert seen["You are the assistant."] == ["For the assistant"]
    assert not any("Only for the CEO" in t for t in seen["You are the developer."])


def test_recipients_match_without_regard_to_case(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the CEO", turn=0).calls("send_message", **message(" DEVELOPER", "Build"))
    when(instructions="the CEO").says("Built.")
    when(instructions="the developer").says("Coded.")
    assert run(build(tmp_path, fake_server, TEAM)).nodes("agent", "developer")


NOBODY = message("assistant", "Over the developer's head")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (NOBODY, "cannot reach 'assistant'; it reaches: developer"),
        (message("nobody", "x"), "cannot reach 'nobody'"),
        (message("developer", "  "), "message is empty"),
        ({"recipient_agent": "developer"}, "message must be a text"),
        ({"message": "x"}, "recipient_agent must be a text"),
        (message("developer", "x", priority="high"), "no parameter 'priority'"),
        ("{not json", "not JSON"),
        ("[]", "not a JSON object"),
    ],
)
def test_a_message_that_cannot_be_is_told_to_its_sender_and_the_run_goes_on(
    tmp_path, fake_server, arguments, told
):
    when = fake_server.when
    when(instructions="the CEO", turn=0).calls_raw(ToolCall("send_message", arguments))
    when(instructions="the CEO", tool_output=told).says("Understood.")
    outcome = run(build(tmp_path, fake_server, TEAM))
    assert outcome.output == "Understood."
    (node,) = outcome.nodes("message")
    assert node.status == "error"
    assert told in node.error
    assert not outcome.nodes("agent", "developer")


def test_a_tool_that_a_model_invents_is_told_and_the_run_goes_on(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the CEO", turn=0).calls("fly_to_the_moon")
    when(instructions="the CEO", tool_output="no tool 'fly_to_the_moon'").says("Sorry.")
    assert run(build(tmp_path, fake_server, TEAM)).output == "Sorry."


def test_arguments_nested_too_deep_to_read_end_the_agent_and_are_told(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the CEO", turn=0).calls("send_message", **message("developer", "Build"))
    when(instructions="the CEO", tool_output="nested too deep").says("He babbles.")
    when(instructions="the developer").calls_raw(ToolCall("send_message", "[" * 5000))
    assert run(build(tmp_path, fake_server, TEAM)).output == "He babbles."


def test_a_recipient_that_fails_is_told_to_its_sender_with_the_reason(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="the CEO", turn=0).calls("send_message", **message("developer", "Build"))
    when(instructions="the CEO", tool_output="developer failed: fake").says("He is ill.")
    when(instructions="the developer").fails(Fault.status(400))
    outcome = run(build(tmp_path, fake_server, TEAM))
    assert outcome.output == "He is ill."
    (node,) = outcome.nodes("message")
    assert "HTTP 400" in node.error
    assert outcome.tree.totals.usage.requests == 3


def test_instructions_are_the_same_to_the_byte_in_every_call(tmp_path, fake_server):
    diamond = """
    shared_instructions: Be brief.
    agents:
      top: {instructions: You are top.}
      left: {instructions: You are left.}
      right: {instructions: You are right.}
      bottom: {instructions: You are bottom.}
    flows: ["top > left, right", "left, right > bottom"]
    """
    when = fake_server.when
    both = when(instructions="You are top.", turn=0)
    for side in ("left", "right"):
        both.calls("send_message", **message(side, "go"))
        when(instructions=f"You are {side}.", turn=0).calls(
            "send_message", **message("bottom", f"from {side}", additional_instructions="Hurry.")
        )
        when(instructions=f"You are {side}.").says(side)
    when(instructions="You are top.").says("done")
    when(instructions="You are bottom.").says("bottom")
    agency = build(tmp_path, fake_server, diamond)
    assert [each.output for each in runs(agency, [{}] * 20)] == ["done"] * 20
    again = build(tmp_path, fake_server, diamond)
    assert [each.output for each in runs(again, [{}] * 8, together=True)] == ["done"] * 8
    assert {request.instructions for request in fake_server.requests} == {
        f"Be brief.\n\nYou are {name}." for name in ("top", "left", "right", "bottom")
    }
    hurried = [r.last_user_text for r in fake_server.requests if "bottom" in r.instructions]
    assert all(text.endswith("\n\nAdditional instructions: Hurry.") for text in hurried)
