"""The real SDK runs through the fake server unpatched, in both APIs, whole and streamed."""

from __future__ import annotations

import asyncio

import pytest
from agents import function_tool, handoff
from agents.exceptions import ModelBehaviorError

from fake_server import Reply, TokenUsage, ToolCall

USAGE = TokenUsage(input=100, cached=40, cache_write=10, output=30, reasoning=20)


@function_tool
def add(a: int, b: int) -> int:
    return a + b


@function_tool
def shout(text: str) -> str:
    return text.upper()


def test_a_text_arrives_as_it_was_said(fake_server, ask):
    text = "It is built.\n\n  Zwei Wörter: 日本語 🎉"
    fake_server.when(instructions="You are the CEO", user="Build").says(text)
    outcome = ask()
    assert outcome.output == text
    assert "".join(outcome.deltas) == (text if ask.stream else "")


def test_a_tool_is_called_and_its_output_comes_back(fake_server, ask):
    fake_server.when(turn=0).calls("add", a=1, b=2)
    fake_server.when(turn=1, tool_output="3").says("three")
    assert ask(tools=[add]).output == "three"
    assert [request.tool_outputs for request in fake_server.requests] == [(), ("3",)]


def test_parallel_calls_are_one_turn(fake_server, ask):
    fake_server.when(turn=0).calls("add", a=1, b=2).calls("shout", text="done").says("Both:")
    fake_server.when(turn=1, tool_results=2).says("all there")
    assert ask(tools=[add, shout]).output == "all there"
    assert fake_server.requests[1].tool_outputs == ("3", "DONE")


def test_every_part_of_the_usage_reaches_the_sdk(fake_server, ask):
    fake_server.when().replies(Reply(text="ok", usage=USAGE))
    usage = ask().usage
    assert (usage.requests, usage.input_tokens, usage.output_tokens) == (1, 100, 30)
    assert usage.total_tokens == 130
    assert usage.input_tokens_details.cached_tokens == 40
    assert usage.input_tokens_details.cache_write_tokens == 10
    assert usage.output_tokens_details.reasoning_tokens == 20


def test_the_sdk_and_the_server_count_the_same_over_several_turns(fake_server, ask):
    fake_server.when(turn=0).calls("add", a=1, b=2)
    fake_server.when(turn=1).calls("shout", text="a longer text than before")
    fake_server.when(turn=2).says("ready")
    usage = ask(tools=[add, shout], model="gpt-5-mini").usage
    counted = fake_server.counted
    assert counted.requests == usage.requests == 3
    assert counted.total.input == usage.input_tokens
    assert counted.total.output == usage.output_tokens
    assert counted.total.cached == usage.input_tokens_details.cached_tokens
    assert counted.by_model == {"gpt-5-mini": counted.total}
    sizes = [entry.input_tokens for entry in usage.request_usage_entries]
    assert len(set(sizes)) == 3


def test_a_chat_stream_tells_usage_only_where_it_is_asked_for(fake_server, ask_chat):
    fake_server.when().says("ok").costs(input=5, output=1)
    assert ask_chat(include_usage=False).usage.total_tokens == 0
    assert fake_server.counted.total.total == 0
    assert ask_chat(include_usage=True).usage.total_tokens == 6
    assert fake_server.counted.total.total == 6


def test_thoughts_go_before_the_text_and_come_back_with_the_next_turn(fake_server, ask):
    fake_server.when(turn=0).replies(
        Reply(reasoning="I should add.", tool_calls=(ToolCall("add", {"a": 2, "b": 2}),))
    )
    fake_server.when(turn=1).says("four")
    outcome = ask(tools=[add])
    assert outcome.output == "four"
    assert ("response.reasoning_summary_text.delta" in outcome.events) == ask.stream
    if ask.api == "responses":
        given = fake_server.requests[1].body["input"]
        assert [item.get("type") for item in given[1:3]] == ["reasoning", "function_call"]


def test_arguments_that_are_not_json_are_sent_as_they_are(fake_server, ask):
    fake_server.when(turn=0).calls_raw(ToolCall("add", '{"a": 1,'))
    fake_server.when(turn=1).says("sorry")
    assert ask(tools=[add]).output == "sorry"
    calls = [m.calls for m in fake_server.requests[1].messages if m.calls]
    assert calls[0][0][2] == '{"a": 1,'


def test_a_call_of_an_unknown_tool_reaches_the_sdk(fake_server, ask):
    fake_server.when().calls("fly")
    with pytest.raises(ModelBehaviorError, match="fly"):
        ask(tools=[add])


def test_after_a_handoff_each_agent_counts_its_own_turns(fake_server, ask):
    fake_server.when(instructions="You are the CEO", turn=0).calls("add", a=1, b=1)
    fake_server.when(instructions="You are the CEO", turn=1).calls("transfer_to_writer")
    fake_server.when(instructions="You write", turn=0).calls("shout", text="hi")
    fake_server.when(instructions="You write", turn=1).says("HI, dear client")

    async def run():
        async with ask.client() as client:
            writer = ask.agent(client, name="writer", instructions="You write", tools=[shout])
            ceo = ask.agent(client, tools=[add], handoffs=[handoff(writer)])
            return await ask.run(ceo, "Write to the client")

    assert asyncio.run(run()).output == "HI, dear client"
    assert [request.turn for request in fake_server.requests] == [0, 1, 2, 3]


def test_a_hundred_requests_at_once_all_get_their_own_answer(fake_server, ask_chat):
    fake_server.when().replies(lambda request: Reply(text=request.last_user_text, delay=0.2))

    async def run():
        async with ask_chat.client() as client:
            agent = ask_chat.agent(client)
            return await asyncio.gather(*(ask_chat.run(agent, f"part {n}") for n in range(100)))

    outcomes = asyncio.run(run())
    assert [outcome.output for outcome in outcomes] == [f"part {n}" for n in range(100)]
    assert fake_server.max_in_flight > 50
    assert fake_server.counted.requests == 100


def test_requests_one_after_the_other_are_never_in_flight_together(fake_server, ask):
    fake_server.when(turn=0).calls("add", a=1, b=1)
    fake_server.when().says("two")
    for _ in range(5):
        ask(tools=[add])
    assert fake_server.max_in_flight == 1
    ends = [exchange.ended for exchange in fake_server.exchanges]
    assert all(end is not None for end in ends)
    assert ends == sorted(ends)
