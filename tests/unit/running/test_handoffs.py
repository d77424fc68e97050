"""Handoffs: the conversation moves, whoever has it answers, and a thread remembers who."""

from __future__ import annotations

import pytest

from agency_cli.run_context import RunMemory
from agency_runs import build, message, run, runs

DESK = """
entry: triage
agents:
  triage: {instructions: You are triage., description: Sorts.}
  billing: {instructions: You are billing., description: Knows invoices.}
  tech: {instructions: You are tech., description: Mends things.}
flows:
"""


def desk(*flows: str) -> str:
    return DESK + "\n".join(f"  - {flow}" for flow in flows)


TO_BILLING = "{from: triage, to: billing, kind: handoff}"
TO_TECH = "{from: triage, to: tech, kind: handoff}"


def test_the_new_agent_sees_the_whole_conversation_and_answers_the_user(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="You are triage.").calls("transfer_to_billing")
    when(instructions="You are billing.").says("It is paid.")
    outcome = run(build(tmp_path, fake_server, desk(TO_BILLING)), "Is my invoice paid?")
    assert outcome.output == "It is paid."
    assert outcome.tree.ended.final_agent == "billing"
    last = fake_server.requests[-1]
    assert last.last_user_text == "Is my invoice paid?"
    assert outcome.tree.by_agent().keys() == {"triage", "billing"}
    (handoff,) = outcome.nodes("handoff")
    assert (handoff.name, handoff.agent, handoff.status) == ("billing", "triage", "ok")
    (tool,) = fake_server.requests[0].tools
    assert tool.name == "transfer_to_billing"
    assert "Knows invoices." in tool.description


@pytest.mark.parametrize(
    ("extra", "reminder"),
    [
        ("", "You are billing now. triage gave you this conversation"),
        (", reminder: Be kind.", "Be kind."),
        (", reminder: false", '{"assistant": "billing"}'),
    ],
)
def test_a_reminder_tells_the_new_agent_unless_it_is_switched_off(
    tmp_path, fake_server, extra, reminder
):
    fake_server.when(instructions="You are triage.").calls("transfer_to_billing")
    fake_server.when(instructions="You are billing.").says("ok")
    run(build(tmp_path, fake_server, desk(f"{{from: triage, to: billing, kind: handoff{extra}}}")))
    assert fake_server.requests[-1].tool_outputs[-1].startswith(reminder)


def test_of_several_handoffs_in_one_response_the_first_counts(tmp_path, fake_server):
    fake_server.when(instructions="You are triage.").calls("transfer_to_tech").calls(
        "transfer_to_billing"
    )
    fake_server.when(instructions="You are tech.").says("Mended.")
    outcome = run(build(tmp_path, fake_server, desk(TO_BILLING, TO_TECH)))
    assert outcome.output == "Mended."
    assert len(outcome.nodes("handoff")) == 1


def test_a_chain_of_three_handoffs_and_back_reaches_the_last_agent(tmp_path, fake_server):
    flows = (
        TO_BILLING,
        "{from: billing, to: tech, kind: handoff}",
        "{from: tech, to: triage, kind: handoff}",
    )
    when = fake_server.when
    when(instructions="You are triage.", turn=0).calls("transfer_to_billing")
    when(instructions="You are billing.").calls("transfer_to_tech")
    when(instructions="You are tech.").calls("transfer_to_triage")
    when(instructions="You are triage.").says("Back again.")
    outcome = run(build(tmp_path, fake_server, desk(*flows)))
    assert outcome.output == "Back again."
    assert outcome.tree.ended.final_agent == "triage"
    assert [node.name for node in outcome.nodes("handoff")] == ["billing", "tech", "triage"]


def test_a_handoff_inside_a_delegation_ends_it_with_the_new_agents_output(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="You are triage.", turn=0).calls("send_message", **message("billing", "?"))
    when(instructions="You are triage.", tool_output="Mended.").says("All well.")
    when(instructions="You are billing.").calls("transfer_to_tech")
    when(instructions="You are tech.").says("Mended.")
    flows = desk("triage > billing", "{from: billing, to: tech, kind: handoff}")
    outcome = run(build(tmp_path, fake_server, flows))
    assert outcome.output == "All well."
    assert outcome.tree.ended.final_agent == "triage"


def test_a_pair_may_have_a_message_and_a_handoff(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="You are triage.", turn=0).calls(
        "send_message", **message("billing", "Paid?")
    )
    when(instructions="You are triage.").calls("transfer_to_billing")
    when(instructions="You are billing.", user="Paid?").says("Yes.")
    when(instructions="You are billing.").says("As I said: yes.")
    outcome = run(build(tmp_path, fake_server, desk("triage > billing", TO_BILLING)), "Hello")
    assert outcome.output == "As I said: yes."
    assert [node.kind for node in outcome.tree.root.children].count("handoff") == 1


def test_the_next_message_of_a_thread_is_seen_with_all_that_was_said(tmp_path, fake_server):
    memory = RunMemory()
    when = fake_server.when
    when(instructions="You are triage.").calls("transfer_to_billing")
    when(instructions="You are billing.", user="first").says("one")
    when(instructions="You are billing.", user="second").says("two")
    agency = build(tmp_path, fake_server, desk(TO_BILLING))
    first, second = runs(
        agency,
        [
            {"message": "first", "memory": memory},
            {"message": "second", "memory": memory, "entry": "billing"},
        ],
    )
    assert (first.output, second.output) == ("one", "two")
    texts = [m.text for m in fake_server.requests[-1].messages if m.text]
    assert texts[0] == "first"
    assert texts[-2:] == ["one", "second"]


def test_agents_that_hand_over_in_circles_are_stopped_by_a_limit(tmp_path, fake_server):
    when = fake_server.when
    when(instructions="You are triage.").calls("transfer_to_billing")
    when(instructions="You are billing.").calls("transfer_to_triage")
    flows = desk(TO_BILLING, "{from: billing, to: triage, kind: handoff}")
    outcome = run(build(tmp_path, fake_server, flows), max_turns=12)
    assert outcome.error.exit_code == 3
    assert len(fake_server.requests) == 12
