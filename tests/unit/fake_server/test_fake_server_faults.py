"""Which fault leads to what in the SDK: the table that our mapping of failures is built on.

fault                    chat, whole          chat, streamed     responses, whole     ... streamed
-----------------------  -------------------  -----------------  -------------------  ------------
status 401               AuthenticationError in all four
status 429               RateLimitError in all four
status 500, 502, 503     InternalServerError in all four
cut, dropped             APIConnectionError from RemoteProtocolError in all four
cut, reset               APIConnectionError from ReadError in all four
cut, ended               JSONDecodeError      SUCCESS, half      JSONDecodeError      Behavior
a login page             AttributeError       SUCCESS, empty     AttributeError       Behavior
garbage                  JSONDecodeError in all four
empty                    Behavior             SUCCESS, empty     ValidationError      Behavior
error event              InternalServerError  APIError           InternalServerError  Behavior
hang, client times out   APITimeoutError in all four
hang, server closes      APIConnectionError from RemoteProtocolError in all four
too long                 SUCCESS, half        SUCCESS, half      Behavior             Behavior
too long, no text        Behavior in all four
filtered, no text        ModelRefusalError    ModelRefusalError  Behavior             Behavior
refusal                  ModelRefusalError in all four

Behavior is ModelBehaviorError. Where it says SUCCESS the SDK notices nothing: it gives a completed
response with half of the text or none, and a usage of 0 tokens if the stream did not say.
"""

from __future__ import annotations

import json

import httpx2
import openai
import pydantic
import pytest
from agents.exceptions import ModelBehaviorError, ModelRefusalError

from fake_server import Fault, Reply
from fake_server.replies import CUT_REPLY


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (503, openai.InternalServerError),
    ],
)
def test_a_status_is_an_error_with_the_servers_message(fake_server, ask, status, error):
    fake_server.when().fails(Fault.status(status))
    with pytest.raises(error, match=f"The server says {status}") as raised:
        ask()
    assert raised.value.status_code == status
    assert raised.value.response.headers["x-request-id"] == "req_1"
    assert fake_server.exchanges[0].status == status


def test_a_body_that_is_text_is_sent_as_it_is(fake_server, ask):
    fake_server.when().fails(Fault.status(502, body="<h1>Bad Gateway</h1>"))
    with pytest.raises(openai.InternalServerError) as raised:
        ask()
    assert raised.value.response.text == "<h1>Bad Gateway</h1>"


def test_a_429_that_goes_away_is_retried_after_the_time_that_it_names(fake_server, ask):
    fake_server.when().replies(Fault.status(429, retry_after=0.01, times=2), Reply(text="ok"))
    assert ask(client={"max_retries": 2}).output == "ok"
    assert [exchange.status for exchange in fake_server.exchanges] == [429, 429, 200]


def test_a_500_that_stays_is_answered_as_often_as_it_is_asked(fake_server, ask):
    fake_server.when().fails(Fault.status(500, headers={"retry-after-ms": "1"}))
    with pytest.raises(openai.InternalServerError):
        ask(client={"max_retries": 2})
    assert [exchange.status for exchange in fake_server.exchanges] == [500, 500, 500]


@pytest.mark.parametrize(
    ("how", "cause"), [("dropped", httpx2.RemoteProtocolError), ("reset", httpx2.ReadError)]
)
def test_a_connection_that_breaks_is_a_connection_error(fake_server, ask, how, cause):
    fake_server.when().fails(Fault.cut(after_chunks=4, how=how))
    with pytest.raises(openai.APIConnectionError) as raised:
        ask()
    assert isinstance(raised.value.__cause__, cause)
    assert fake_server.exchanges[0].completed is False


def test_a_chat_stream_that_just_stops_is_taken_for_the_whole_answer(fake_server, ask_chat):
    fake_server.when().fails(Fault.cut(after_chunks=4, how="ended"))
    outcome = ask_chat()
    assert outcome.output == "This answer is "
    assert outcome.events[-1] == "response.completed"
    assert outcome.usage.total_tokens == 0


def test_a_responses_stream_that_just_stops_is_noticed(fake_server, ask_chat):
    ask_chat.api = "responses"
    fake_server.when().fails(Fault.cut(after_chunks=6, how="ended"))
    with pytest.raises(ModelBehaviorError, match="did not produce a final response"):
        ask_chat()


def test_a_whole_body_that_is_cut_is_no_json(fake_server, ask):
    ask.stream = False
    fake_server.when().fails(Fault.cut(how="ended"))
    with pytest.raises(json.JSONDecodeError):
        ask()


def test_a_login_page_in_place_of_a_chat_stream_is_taken_for_an_empty_success(
    fake_server, ask_chat
):
    fake_server.when().fails(Fault.not_json())
    outcome = ask_chat()
    assert outcome.output == ""
    assert outcome.events == ["response.completed"]
    assert (outcome.usage.requests, outcome.usage.total_tokens) == (1, 0)


def test_a_login_page_is_some_error_everywhere_else(fake_server, ask):
    if ask.api == "chat" and ask.stream:
        ask.api = "responses"
    fake_server.when().fails(Fault.not_json())
    with pytest.raises(ModelBehaviorError if ask.stream else AttributeError):
        ask()


def test_data_that_is_not_json_is_a_decoding_error(fake_server, ask):
    fake_server.when().fails(Fault.garbage())
    with pytest.raises(json.JSONDecodeError):
        ask()


def test_an_empty_chat_stream_is_taken_for_an_empty_success(fake_server, ask_chat):
    fake_server.when().fails(Fault.empty())
    outcome = ask_chat()
    assert (outcome.output, outcome.events) == ("", ["response.completed"])


@pytest.mark.parametrize(
    ("api", "stream", "error"),
    [
        ("chat", False, ModelBehaviorError),
        ("responses", False, pydantic.ValidationError),
        ("responses", True, ModelBehaviorError),
    ],
)
def test_an_empty_answer_is_an_error_everywhere_else(fake_server, ask_chat, api, stream, error):
    ask_chat.api, ask_chat.stream = api, stream
    fake_server.when().fails(Fault.empty())
    with pytest.raises(error):
        ask_chat()


def test_an_error_within_a_stream_carries_the_servers_words(fake_server, ask):
    fake_server.when().fails(Fault.error_event("Overloaded, alas.", after_chunks=3))
    streamed = openai.APIError if ask.api == "chat" else ModelBehaviorError
    with pytest.raises(streamed if ask.stream else openai.InternalServerError, match="alas"):
        ask()


def test_silence_ends_in_the_clients_timeout(fake_server, ask):
    fake_server.when().fails(Fault.hang(60))
    with pytest.raises(openai.APITimeoutError):
        ask(client={"timeout": 0.2})
    assert fake_server.exchanges[0].completed is False


def test_silence_that_the_server_ends_is_a_connection_error(fake_server, ask):
    fake_server.when().fails(Fault.hang(0.01))
    with pytest.raises(openai.APIConnectionError) as raised:
        ask()
    assert isinstance(raised.value.__cause__, httpx2.RemoteProtocolError)


def test_an_answer_that_was_too_long_is_an_error_in_responses_only(fake_server, ask):
    fake_server.when().replies(Reply(text="half a", finish_reason="length"))
    if ask.api == "chat":
        assert ask().output == "half a"
    else:
        with pytest.raises(ModelBehaviorError, match="max_output_tokens"):
            ask()
    assert fake_server.counted.failed == fake_server.counted.total
    assert fake_server.counted.failed.output > 0


def test_an_answer_that_ran_out_of_tokens_while_thinking_is_an_error(fake_server, ask):
    fake_server.when().replies(Reply(finish_reason="length"))
    with pytest.raises(ModelBehaviorError):
        ask()


def test_a_filtered_answer_is_a_refusal_in_chat_and_a_failure_in_responses(fake_server, ask):
    fake_server.when().replies(Reply(finish_reason="content_filter"))
    with pytest.raises(ModelRefusalError if ask.api == "chat" else ModelBehaviorError):
        ask()


def test_a_refusal_is_the_models_word(fake_server, ask):
    fake_server.when().refuses("I will not do that.")
    with pytest.raises(ModelRefusalError, match="I will not do that"):
        ask()


def test_what_was_cut_told_no_usage(fake_server, ask):
    fake_server.when().fails(Fault.cut(reply=CUT_REPLY, times=1))
    fake_server.when().says("ok").costs(input=7, output=2)
    with pytest.raises(openai.APIConnectionError):
        ask()
    ask()
    assert fake_server.counted.requests == 2
    assert fake_server.counted.total.total == 9
    assert fake_server.counted.failed.total == 0
