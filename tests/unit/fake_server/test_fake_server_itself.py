"""The server without the SDK: what it refuses, what it tells, and the program."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from fake_server import FakeServer, Fault, Reply

TESTS = Path(__file__).parents[2]
USER = {"role": "user", "content": "Hello"}
STRICT = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}


def chat(server, **changes):
    body = {"model": "gpt-5", "messages": [USER], **changes}
    return httpx2.post(f"{server.base_url}/chat/completions", json=body)


def responses(server, **changes):
    body = {"model": "gpt-5", "input": [USER], **changes}
    return httpx2.post(f"{server.base_url}/responses", json=body)


def function(name, *, strict=False, **parameters):
    return {
        "type": "function",
        "function": {"name": name, "strict": strict, "parameters": parameters},
    }


@pytest.fixture
def server():
    with FakeServer() as running:
        running.when().says("ok")
        yield running


def test_a_request_that_no_rule_fits_fails_at_once_and_is_described():
    with FakeServer() as server:
        server.when(instructions="You are the CEO").says("ok")
        messages = [{"role": "system", "content": "You are nobody"}, USER]
        response = chat(server, messages=messages)
    assert response.status_code == 500
    assert response.headers["x-should-retry"] == "false"
    assert "instructions='You are nobody' user='Hello'" in response.json()["error"]["message"]
    assert server.unexpected == [response.json()["error"]["message"]]


def test_a_script_answers_what_no_rule_does(server):
    with FakeServer() as scripted:
        scripted.script(lambda request: Reply(text=f"You said {request.last_user_text}"))
        scripted.when(model="gpt-5-mini").says("small")
        texts = [
            chat(scripted, model=model).json()["choices"][0]["message"]["content"]
            for model in ("gpt-5", "gpt-5-mini")
        ]
    assert texts == ["You said Hello", "small"]


def test_a_mistake_in_a_script_reaches_the_test():
    with FakeServer() as server:
        server.when().replies(lambda request: request.messages[7])
        assert chat(server).status_code == 500
    assert server.unexpected == ["answering failed: IndexError: tuple index out of range"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"model": ""}, "you must provide a model parameter"),
        ({"messages": []}, "at least one message"),
        ({"stream_options": {"include_usage": True}}, "only allowed when stream is true"),
        (
            {"messages": [USER, {"role": "tool", "tool_call_id": "c1", "content": "1"}]},
            "must follow the message with its tool_calls",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"id": "c1"}]}, USER]},
            "tool_call_id c1 has no response message",
        ),
        ({"tools": [function("a b")]}, "tool name 'a b' does not match"),
        ({"tools": [function("a" * 65)]}, "1 to 64 characters"),
        ({"tools": [function("add"), function("add")]}, "'add' is there twice"),
        (
            {"tools": [function("add", strict=True, type="object")]},
            "invalid schema for function 'add': parameters: 'additionalProperties'",
        ),
        (
            {"tools": [function("add", strict=True, **STRICT)]},
            "parameters: 'required' must list every property; missing a",
        ),
        (
            {
                "tools": [
                    function("add", strict=True, anyOf=[{"items": {**STRICT, "required": []}}])
                ]
            },
            "parameters.anyOf[0].items: 'required'",
        ),
    ],
)
def test_chat_requests_that_real_servers_refuse_are_refused(server, body, reason):
    response = chat(server, **body)
    assert response.status_code == 400
    assert reason in response.json()["error"]["message"]
    assert server.unexpected == [response.json()["error"]["message"]]
    assert server.requests == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"messages": [USER]}, "did you mean 'input'?"),
        ({"input": None}, "input must be a string or a list"),
        (
            {"input": [{"type": "function_call", "call_id": "c1"}]},
            "no tool output found for function call c1",
        ),
        (
            {"input": [{"type": "function_call_output", "call_id": "c1"}]},
            "no tool call found for function call output with call_id c1",
        ),
        ({"input": [{**USER, "id": "m1"}, {**USER, "id": "m1"}]}, "duplicate item found with id"),
    ],
)
def test_responses_requests_that_real_servers_refuse_are_refused(server, body, reason):
    response = responses(server, **body)
    assert response.status_code == 400
    assert reason in response.json()["error"]["message"]


def test_a_sound_strict_tool_is_taken(server):
    schema = {**STRICT, "required": ["a"]}
    assert chat(server, tools=[function("add", strict=True, **schema)]).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/chat/completions", 404), ("POST", "/v1/embeddings", 404), ("GET", "/", 404)],
)
def test_other_addresses_are_not_found_and_are_told_of(server, method, path, status):
    url = server.base_url.removesuffix("/v1") + path
    assert httpx2.request(method, url, content=b"").status_code == status
    assert server.unexpected == [f"unknown address: {method} {path}"]


def test_a_body_that_is_not_json_is_refused(server):
    response = httpx2.post(f"{server.base_url}/responses", content=b"{")
    assert (response.status_code, server.unexpected) == (400, ["the body is not JSON"])


@pytest.mark.parametrize(
    "sent", [b"SSH-2.0-OpenSSH\r\n\r\n", b"POST /v1/responses HTTP/1.1\r\n\r\n", b"x" * 70_000]
)
def test_what_is_no_http_is_refused(server, sent):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as raw:
        raw.sendall(sent)
        assert raw.recv(100).startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert len(server.unexpected) == 1


@pytest.mark.parametrize(
    "sent", [b"POST /v1/resp", b'POST /v1/responses HTTP/1.1\r\nContent-Length: 90\r\n\r\n{"mo']
)
def test_a_client_that_leaves_in_mid_request_is_no_mistake_of_a_test(server, sent):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as raw:
        raw.sendall(sent)
        raw.shutdown(socket.SHUT_WR)
        assert raw.recv(100) == b""
    assert server.unexpected == []


def test_a_key_can_be_asked_for():
    with FakeServer(api_key="sk-right") as server:
        server.when().says("ok")
        assert chat(server).status_code == 401
        headers = {"Authorization": f"Bearer {server.env['OPENAI_API_KEY']}"}
        body = {"model": "gpt-5", "input": "Hello"}
        url = f"{server.env['OPENAI_BASE_URL']}/responses"
        assert httpx2.post(url, json=body, headers=headers).status_code == 200


def test_a_request_is_kept_with_what_was_sent(server):
    chat(server, temperature=0.5)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body["temperature"] == 0.5
    assert request.headers["content-type"] == "application/json"


def test_everything_can_be_read_after_the_end():
    with FakeServer() as server:
        server.when().says("ok").costs(input=2, output=1)
        chat(server)
    assert server.usage_by_model["gpt-5"].total == 3
    assert server.max_in_flight == 1
    assert len(server.exchanges) == 1


def test_a_client_that_leaves_is_noticed(server):
    with FakeServer() as silent:
        silent.when().fails(Fault.hang(60))
        url = f"{silent.base_url}/responses"
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(url, json={"model": "gpt-5", "input": "Hello"}, timeout=0.1)
        deadline = time.monotonic() + 10
        while not silent.exchanges[0].client_left and time.monotonic() < deadline:
            time.sleep(0.01)
        assert silent.exchanges[0].client_left


def test_stopping_does_not_wait_for_who_hangs():
    server = FakeServer()
    server.when().fails(Fault.hang(600))
    server.start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        body = json.dumps({"model": "gpt-5", "input": "Hello"}).encode()
        head = f"POST /v1/responses HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
        raw.sendall(head.encode() + body)
        while not server.exchanges:
            time.sleep(0.01)
        server.stop()
        assert raw.recv(100) == b""


def test_a_port_that_is_taken_is_an_error(server):
    with pytest.raises(OSError, match=str(server.port)):
        FakeServer(port=server.port).start()


def test_the_program_prints_its_address_and_at_the_end_what_it_counted():
    command = [sys.executable, "-m", "fake_server", "--scenario", "three_workers"]
    with subprocess.Popen(
        command, cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            url = program.stdout.readline().strip()
            tools = [
                function("ask", properties={"to": {"type": "string", "enum": ["one", "two"]}}),
                function("look", properties={"at": {"type": "integer"}}),
            ]
            body = {"model": "gpt-5", "messages": [USER], "tools": tools}
            answer = httpx2.post(f"{url}/chat/completions", json=body).json()
        finally:
            program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=30)
    calls = answer["choices"][0]["message"]["tool_calls"]
    assert [json.loads(call["function"]["arguments"]) for call in calls] == [
        {"to": "one"},
        {"to": "two"},
        {"at": 1},
    ]
    assert program.returncode == 0
    assert errors.startswith("1 requests, at most 1 at the same time\ngpt-5: TokenUsage(")


def test_no_test_can_reach_another_machine():
    with pytest.raises(PermissionError, match=r"tried to reach 192\.0\.2\.1"):
        socket.create_connection(("192.0.2.1", 443), timeout=1)
