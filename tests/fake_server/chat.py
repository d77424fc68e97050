"""Replies in the shapes of the Chat Completions API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from fake_server.model_request import ModelRequest
from fake_server.replies import Reply, TokenUsage

PIECES = re.compile(r"\S+\s*|\s+")
CREATED = 1_750_000_000


class Chunk(NamedTuple):
    """Bytes of a stream, and the usage that they tell, if they do."""

    data: bytes
    usage: TokenUsage | None = None


def chat_body(request: ModelRequest, reply: Reply, usage: TokenUsage, number: int) -> Any:
    """Return the body of a reply that is not streamed."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": reply.text or None,
        "refusal": reply.refusal or None,
    }
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = _tool_calls(reply, number)
    return {
        **_head(request, number, "chat.completion"),
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
        ],
        "usage": _usage(usage),
    }


def chat_chunks(
    request: ModelRequest, reply: Reply, usage: TokenUsage, number: int
) -> Iterator[Chunk]:
    """Yield the chunks of a stream; usage only where the request asks for it."""
    head = _head(request, number, "chat.completion.chunk")
    if request.include_usage:
        head["usage"] = None

    for delta in _deltas(reply, number):
        yield Chunk(event({**head, "choices": [_choice(delta)]}))
    yield Chunk(event({**head, "choices": [_choice({}, reply.finish)]}))
    if request.include_usage:
        yield Chunk(event({**head, "choices": [], "usage": _usage(usage)}), usage)
    yield Chunk(b"data: [DONE]\n\n")


def chat_error_event(message: str) -> bytes:
    """Return the event by which a stream that began well reports an error."""
    error = {"message": message, "type": "server_error", "param": None, "code": "server_error"}
    return event({"error": error})


def pieces(text: str) -> list[str]:
    """Cut a text into the pieces in which it is streamed."""
    return PIECES.findall(text)


def event(data: Any) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def call_id(reply: Reply, index: int, number: int) -> str:
    return reply.tool_calls[index].id or f"call_{number}_{index}"


def _head(request: ModelRequest, number: int, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number}",
        "object": kind,
        "created": CREATED + number,
        "model": request.model,
        "service_tier": "default",
        "system_fingerprint": "fp_fake",
    }


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _deltas(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "" if reply.text else None, "refusal": None}
    texts = {
        "reasoning_content": reply.reasoning,
        "content": reply.text,
        "refusal": reply.refusal,
    }
    for key, text in texts.items():
        yield from ({key: piece} for piece in pieces(text))
    for index, call in enumerate(_tool_calls(reply, number)):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]}
        for piece in pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _tool_calls(reply: Reply, number: int) -> list[dict[str, Any]]:
    return [
        {
            "id": call_id(reply, index, number),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments_text},
        }
        for index, call in enumerate(reply.tool_calls)
    ]


def _usage(usage: TokenUsage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {
            "cached_tokens": usage.cached,
            "cache_write_tokens": usage.cache_write,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
