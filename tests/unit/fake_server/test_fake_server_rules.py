"""Rules: which requests they fit, and what they answer in which order."""

from __future__ import annotations

import re

import pytest

from fake_server import Fault, Reply, TokenUsage, ToolCall
from fake_server.counting import usage_of
from fake_server.model_request import view
from fake_server.rules import Conditions, Rule

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
ADD = {"name": "add", "description": "Adds.", "parameters": {"type": "object"}, "strict": False}

CHAT_BODY = {
    "model": "gpt-5",
    "messages": [
        {"role": "system", "content": "You are the CEO"},
        {"role": "user", "content": "An earlier question"},
        {"role": "assistant", "content": "An earlier answer"},
        {"role": "user", "content": [{"type": "text", "text": "Build "}, {"text": "it"}]},
        {"role": "assistant", "content": "First I add.", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
    ],
    "tools": [{"type": "function", "function": ADD}],
    "stream": True,
    "stream_options": {"include_usage": True},
}
RESPONSES_BODY = {
    "model": "gpt-5",
    "instructions": "You are the CEO",
    "input": [
        {"role": "user", "content": "An earlier question"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "An earlier answer"}]},
        {"role": "user", "content": [{"type": "input_text", "text": "Build it"}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "First I add."}],
        },
        {"type": "function_call", "call_id": "c1", "name": "add", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "1"},
    ],
    "tools": [{"type": "function", **ADD}],
    "stream": True,
}


def request_of(path=RESPONSES, maker=None, **changes):
    body = CHAT_BODY if path == CHAT else RESPONSES_BODY
    return view(path, {}, {**body, **changes}, lambda _: maker)


def answers_of(rule, count, **changes):
    return [rule.answer(request_of(**changes)) for _ in range(count)]


def test_both_apis_give_the_same_view():
    chat, responses = request_of(CHAT), request_of(RESPONSES)
    for name in ("model", "stream", "instructions", "messages", "tools", "include_usage", "turn"):
        assert getattr(chat, name) == getattr(responses, name), name
    assert chat.last_user_text == "Build it"
    assert chat.tool_outputs == ("1",)
    assert chat.turn == 1
    assert chat.messages[3].calls == (("c1", "add", '{"a": 1}'),)


def test_an_input_that_is_a_text_is_what_the_user_says():
    request = request_of(input="Hello", instructions=None)
    assert (request.last_user_text, request.instructions, request.turn) == ("Hello", "", 0)


@pytest.mark.parametrize(
    ("conditions", "fits"),
    [
        ({}, True),
        ({"instructions": "the CEO"}, True),
        ({"instructions": "the developer"}, False),
        ({"instructions": re.compile(r"the [A-Z]+$")}, True),
        ({"user": "Build"}, True),
        ({"user": "earlier"}, False),
        ({"tool_output": "1"}, True),
        ({"tool_output": "2"}, False),
        ({"model": "gpt-5"}, True),
        ({"model": "gpt"}, False),
        ({"turn": 1, "tool_results": 1}, True),
        ({"turn": 0}, False),
        ({"tool_results": 0}, False),
        ({"tool": "add"}, True),
        ({"tool": "fly"}, False),
        ({"api": "chat"}, False),
        ({"stream": False}, False),
        ({"where": lambda request: len(request.messages) == 5}, True),
        ({"instructions": "the CEO", "user": "Sell"}, False),
    ],
)
def test_a_rule_fits_where_all_its_conditions_hold(conditions, fits):
    assert Conditions(**conditions).hold(request_of()) is fits


def test_a_misspelt_condition_is_refused(fake_server):
    with pytest.raises(TypeError, match="instruction"):
        fake_server.when(instruction="You are the CEO")


def test_turns_of_others_do_not_count_where_instructions_are_a_condition():
    others = request_of(maker="You write letters")
    assert Conditions(instructions="the CEO", turn=0).hold(others)
    assert Conditions(turn=1).hold(others)
    assert Conditions(instructions="the CEO", turn=1).hold(request_of(maker="You are the CEO"))


def test_text_and_calls_make_one_reply():
    rule = Rule(Conditions()).calls("add", a=1).calls("add", a=2).says("both").costs(input=3)
    assert answers_of(rule.after(0.5, per_chunk=0.1), 1) == [
        Reply(
            text="both",
            tool_calls=(ToolCall("add", {"a": 1}), ToolCall("add", {"a": 2})),
            usage=TokenUsage(input=3),
            delay=0.5,
            chunk_delay=0.1,
        )
    ]


def test_answers_come_in_turn_and_the_last_one_stays():
    first, second = Reply(text="first"), Reply(text="second")
    assert answers_of(Rule(Conditions()).replies(first, second), 3) == [first, second, second]


def test_a_fault_that_goes_away_is_given_as_often_as_it_says():
    fault, ok = Fault.status(429, times=2), Reply(text="ok")
    assert answers_of(Rule(Conditions()).replies(fault, ok), 3) == [fault, fault, ok]


def test_a_rule_whose_answers_are_used_up_fits_no_more():
    fault = Fault.status(500, times=1)
    assert answers_of(Rule(Conditions()).fails(fault), 2) == [fault, None]


def test_a_function_answers_with_what_it_reads():
    rule = Rule(Conditions()).replies(lambda request: Reply(text=request.last_user_text))
    assert answers_of(rule, 1) == [Reply(text="Build it")]


def test_a_rule_cannot_mix_one_reply_and_a_list():
    with pytest.raises(ValueError, match="not both"):
        Rule(Conditions()).replies(Reply()).says("no")
    with pytest.raises(ValueError, match="not both"):
        Rule(Conditions()).says("no").replies(Reply())


def test_a_rule_needs_an_answer():
    with pytest.raises(ValueError, match="at least one"):
        Rule(Conditions()).replies()


def test_derived_usage_is_the_same_for_equal_requests_and_grows_with_them():
    reply = Reply(text="A short answer")
    once, again = usage_of(request_of(), reply), usage_of(request_of(), reply)
    longer = usage_of(request_of(instructions="You are the CEO. " * 10), reply)
    assert once == again
    assert longer.input > once.input
    assert 0 < once.cached < once.input
    assert once.total == once.input + once.output
