"""What holds in every run, whatever its topology: prompts, conversations, and sums."""

from __future__ import annotations

import itertools
import json
import re
from decimal import Decimal

from agency_cli.store import Threads, open_database
from agency_runs import build, message, run, runs
from fake_server import ModelRequest, Reply, ToolCall

LEVELS = (("top",), ("left", "right"), ("inner_left", "inner_right"), ("bottom",))
DIAMOND = """
shared_instructions: Be brief.
entry: top
agents:
  top: {instructions: You are top.}
  left: {instructions: You are left.}
  right: {instructions: You are right.}
  inner_left: {instructions: You are inner_left.}
  inner_right: {instructions: You are inner_right.}
  bottom: {instructions: You are bottom.}
flows: ["top > left, right > inner_left, inner_right > bottom"]
"""
BELOW = {agent: lower for upper, lower in itertools.pairwise([*LEVELS, ()]) for agent in upper}
CALLS_OF_A_RUN = 2 + 2 * 2 + 4 * 2 + 4
MARK = re.compile(r"run-\d+")


def everybody_asks_all_below(request: ModelRequest) -> Reply:
    """Each agent asks its whole next level, with instructions that are new each time."""
    agent = request.instructions.rsplit(maxsplit=1)[-1].rstrip(".")
    mark = MARK.search(request.last_user_text).group()
    if request.tool_outputs or not BELOW[agent]:
        return Reply(text=f"{agent} of {mark}")
    extra = {"additional_instructions": f"Hurry, {agent} says in {mark}."}
    calls = (
        ToolCall("send_message", {**message(below, f"From {agent} in {mark}"), **extra})
        for below in BELOW[agent]
    )
    return Reply(tool_calls=tuple(calls))


def test_prompts_are_the_same_to_the_byte_in_a_diamond_of_four_levels(tmp_path, fake_server):
    fake_server.script(everybody_asks_all_below)
    agency = build(tmp_path, fake_server, DIAMOND)
    one_by_one = runs(agency, [{"message": f"run-{number}"} for number in range(20)])
    together = runs(
        build(tmp_path, fake_server, DIAMOND),
        [{"message": f"run-{number}"} for number in range(20, 28)],
        together=True,
    )
    outputs = [outcome.output for outcome in (*one_by_one, *together)]
    assert outputs == [f"top of run-{number}" for number in range(28)]
    requests = fake_server.requests
    assert len(requests) == 28 * CALLS_OF_A_RUN
    prompts = {request.instructions for request in requests}
    assert prompts == {f"Be brief.\n\nYou are {agent}." for agent in BELOW}
    for request in requests:
        assert len(set(MARK.findall(json.dumps(request.body)))) == 1


def test_instructions_of_a_message_reach_nothing_but_its_own_input(tmp_path, fake_server):
    fake_server.script(everybody_asks_all_below)
    run(build(tmp_path, fake_server, DIAMOND), "run-1")
    for request in fake_server.requests:
        heard = re.findall(r"Hurry, (\w+) says", request.last_user_text)
        level = next(
            at
            for at, agents in enumerate(LEVELS)
            if request.instructions.endswith(tuple(f"You are {agent}." for agent in agents))
        )
        assert len(heard) == min(level, 1)
        assert set(heard) <= set(LEVELS[level - 1])


def test_no_item_of_a_pair_is_seen_by_another_pair_in_any_run_of_a_thread(tmp_path, fake_server):
    fake_server.script(everybody_asks_all_below)
    threads = Threads(open_database(f"sqlite:///{tmp_path / 'agency.db'}"))
    agency = build(tmp_path, fake_server, DIAMOND)
    kept = {}
    for name in ("one", "two"):
        thread = threads.begin(name, "test")

        def memory(conversation, thread=thread):
            return threads.conversation(thread, conversation)

        kept[name] = [{"message": f"run-{n}", "memory": memory} for n in range(3)]
    runs(agency, [*kept["one"], *kept["two"]])
    for name in kept:
        pairs = {item.conversation for item in threads.history(name)}
        asked = {f"{sender}>{below}" for sender, lower in BELOW.items() for below in lower}
        assert pairs == {"", *asked}
        for item in threads.history(name):
            sender, _, recipient = item.conversation.partition(">")
            text = item.item.get("content") if item.item.get("role") == "user" else None
            if sender and text:
                assert text.startswith(f"From {sender} in ")
            assert item.author in {"", recipient or "top"}


def test_what_agents_and_models_cost_is_what_the_server_counted_through_everything(
    tmp_path, fake_server
):
    """Parallel branches on different models, a handoff, a chain, a failure and a time-out."""
    text = """
    entry: boss
    agents:
      boss: {instructions: You are boss.}
      a: {instructions: You are a., model: big}
      b: {instructions: You are b., model: own}
      c: {instructions: You are c., model: big}
      slow: {instructions: You are slow., model: own}
      ill: {instructions: You are ill.}
      last: {instructions: You are last., model: big}
    flows:
      - boss > a, b, ill
      - a > c
      - {from: boss, to: slow, timeout_seconds: 0.3}
      - {from: b, to: c, kind: handoff}
      - {from: boss, to: last, kind: handoff}
      - slow > b
    """
    when = fake_server.when
    asks_four = when(instructions="You are boss.", turn=0)
    for name in ("a", "b", "slow", "ill"):
        asks_four.calls("send_message", **message(name, "go"))
    when(instructions="You are boss.").calls("transfer_to_last")
    when(instructions="You are a.", turn=0).calls("send_message", **message("c", "go"))
    when(instructions="You are b.").calls("transfer_to_c").costs(input=1001, output=17)
    when(instructions="You are slow.", turn=0).calls("send_message", **message("b", "go"))
    when(instructions="You are slow.").says("late").after(30)
    when(instructions="You are ill.").replies(Reply(text="cut", finish_reason="length"))
    fake_server.script(lambda _: Reply(text="fine"))
    outcome = run(build(tmp_path, fake_server, text))
    assert outcome.output == "fine"
    used, counted_there = outcome.tree.totals.usage, fake_server.counted
    assert used.requests == len(fake_server.requests)
    assert (used.input_tokens, used.output_tokens) == (
        counted_there.total.input,
        counted_there.total.output,
    )
    for groups in (outcome.tree.by_model(), outcome.tree.by_agent()):
        assert sum(group.usage.total_tokens for group in groups.values()) == used.total_tokens
        costs = (group.cost_usd for group in groups.values())
        assert sum(costs, Decimal(0)) == outcome.tree.totals.cost_usd
    by_model = outcome.tree.by_model()
    assert set(by_model) == {"fake/gpt-5-mini", "fake/gpt-5", "fake/home"}
    home = counted_there.by_model["home"]
    assert by_model["fake/home"].cost_usd == Decimal(home.input * 3 + home.output * 7) / 1_000_000
