"""What the embedded model calls next: never the same twice, and an answer at the end."""

from __future__ import annotations

import pytest

from agency_cli.models.local.conversation import Conversation, read_conversation
from agency_cli.models.local.deciding import Decider, Offer


def sends(*recipients, name="send_message"):
    schema = {
        "type": "object",
        "properties": {
            "recipient_agent": {"type": "string", "enum": list(recipients)},
            "message": {"type": "string"},
        },
        "required": ["recipient_agent", "message"],
    }
    return Offer(name, "Ask a colleague.", schema)


def handoff(name, description):
    return Offer(f"transfer_to_{name}", description, {"type": "object"}, "handoff")


def tool(name, description="", **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Offer(name, description, schema)


TEXT = {"type": "string"}


def decide(offers, *done, request="Do it", **settings):
    items = [{"role": "user", "content": request}]
    for number, (name, arguments) in enumerate(done):
        items += [
            {
                "type": "function_call",
                "name": name,
                "arguments": arguments,
                "call_id": str(number),
            },
            {"type": "function_call_output", "call_id": str(number), "output": "fine"},
        ]
    options = {"instructions": "", "speaker": None} | settings
    decider = Decider(conversation=read_conversation(items), **options)
    return [(call.offer.name, call.recipient) for call in decider.next_calls(offers)]


def asked(recipient):
    return ("send_message", f'{{"recipient_agent": "{recipient}"}}')


def test_all_recipients_are_asked_in_one_response():
    assert decide([sends("a", "b")]) == [("send_message", "a"), ("send_message", "b")]


def test_without_parallel_calls_recipients_are_asked_one_after_the_other():
    assert decide([sends("a", "b")], parallel=False) == [("send_message", "a")]
    assert decide([sends("a", "b")], asked("a"), parallel=False) == [("send_message", "b")]


def test_nobody_is_asked_twice_for_a_request():
    assert decide([sends("a", "b")], asked("a"), asked("b")) == []
    assert decide([sends("a"), sends("a", name="send_urgent")], asked("a")) == []


def test_a_new_request_may_ask_again():
    items = [
        {"role": "user", "content": "One"},
        {"type": "function_call", "name": "send_message", "arguments": "{}", "call_id": "1"},
        {"type": "function_call_output", "call_id": "1", "output": "fine"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Done"}],
        },
        {"role": "user", "content": "Two"},
    ]
    conversation = read_conversation(items)
    decider = Decider(conversation=conversation, instructions="", speaker=None)
    assert [call.recipient for call in decider.next_calls([sends("a")])] == ["a"]
    assert (conversation.request, conversation.earlier[0].answer) == ("Two", "Done")


def test_fewer_are_asked_the_deeper_an_agent_is():
    crowd = sends(*"abcdefgh")
    assert [len(decide([crowd], depth=depth)) for depth in range(5)] == [4, 2, 1, 1, 1]
    assert decide([crowd], *map(asked, "abcd")) == []


def test_an_agent_that_waits_for_this_one_is_not_asked():
    assert decide([sends("a", "b")], waiting=frozenset({"a"})) == [("send_message", "b")]


def test_an_only_tool_is_called_once():
    assert decide([tool("now")]) == [("now", None)]
    assert decide([tool("now")], ("now", "{}")) == []


def test_colleagues_are_asked_before_tools_are_used():
    offers = [tool("now"), sends("a")]
    assert decide(offers) == [("send_message", "a")]
    assert decide(offers, asked("a")) == [("now", None)]


def test_a_second_tool_is_called_when_it_takes_a_text_or_is_spoken_of():
    offers = [tool("find"), tool("write_file", "Write a file.", path=TEXT, content=TEXT)]
    assert decide(offers, ("find", "{}")) == [("write_file", None)]
    offers = [tool("find"), tool("count"), tool("weather", "Weather of a city.")]
    assert decide(offers, ("find", "{}")) == []
    assert decide(offers, ("find", "{}"), request="How is the weather?") == [("weather", None)]


def test_tools_are_not_called_without_end():
    offers = [tool(f"write_{number}", text=TEXT) for number in range(9)]
    done = [(f"write_{number}", "{}") for number in range(3)]
    assert decide(offers, *done) == []


@pytest.mark.parametrize(
    ("request_text", "calls"),
    [
        ("My invoice is wrong", [("transfer_to_billing", None)]),
        ("Tell me a joke", []),
    ],
)
def test_a_conversation_is_handed_over_only_where_the_request_speaks_for_it(request_text, calls):
    offers = [handoff("billing", "Invoices, refunds."), handoff("sales", "Offers and prices.")]
    assert decide(offers, request=request_text) == calls


def test_a_conversation_is_handed_over_once():
    back = handoff("triage", "Invoices of all kinds.")
    assert decide([back], ("transfer_to_billing", "{}"), request="My invoice is wrong") == []


def test_tool_choice_is_kept():
    offers = [sends("a"), tool("now")]
    assert decide(offers, tool_choice="none") == []
    assert decide(offers, tool_choice="now") == [("now", None)]
    assert decide([handoff("x", "")], tool_choice="transfer_to_x") == [("transfer_to_x", None)]


def test_files_are_found_where_they_are_spoken_of():
    conversation = Conversation(request="What is in docs/README.md, and in a.py? e.g. 3.5 percent.")
    assert conversation.files() == ["docs/README.md", "a.py"]


def test_numbers_are_found_as_they_are_written():
    conversation = Conversation(request="Add 17, -4 and 2.5; not v3, 1.2.3 or 2026-01-31.")
    assert conversation.numbers() == ["17", "-4", "2.5"]
