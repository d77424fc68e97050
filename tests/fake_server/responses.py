"""Replies in the shapes of the Responses API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fake_server.chat import CREATED, Chunk, call_id, pieces
from fake_server.model_request import ModelRequest
from fake_server.replies import Reply, TokenUsage

INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
ECHOED = ("instructions", "tools", "tool_choice", "temperature", "top_p", "metadata", "reasoning")
"""What a response repeats of its request."""
ECHO_DEFAULTS = {
    "tools": [], "tool_choice": "auto", "temperature": 1.0, "top_p": 1.0, "metadata": {}
}  # fmt: skip


def responses_body(request: ModelRequest, reply: Reply, usage: TokenUsage, number: int) -> Any:
    """Return the body of a reply that is not streamed."""
    reason = INCOMPLETE.get(reply.finish)
    return {
        **_in_progress(request, number),
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "output": _items(reply, number),
        "usage": _usage(usage),
    }


def responses_chunks(
    request: ModelRequest, reply: Reply, usage: TokenUsage, number: int
) -> Iterator[Chunk]:
    """Yield the events of a stream, numbered in sequence; the last one tells the usage."""
    body = responses_body(request, reply, usage, number)
    kind = f"response.{body['status']}"
    for at, data in enumerate(_events(request, body, number)):
        yield Chunk(_event(at, data), usage if data["type"] == kind else None)


def responses_error_event(message: str, at: int) -> bytes:
    """Return the event by which a stream that began well reports an error."""
    return _event(at, {"type": "error", "code": "server_error", "message": message, "param": None})


def _events(request: ModelRequest, body: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    started = _in_progress(request, number)
    yield {"type": "response.created", "response": started}
    yield {"type": "response.in_progress", "response": started}
    for index, item in enumerate(body["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        begun = {**item, **BEGUN.get(item["type"], {})}
        yield {"type": "response.output_item.added", "output_index": index, "item": begun}
        yield from STREAMED.get(item["type"], _hosted_events)(item, place)
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{body['status']}", "response": body}


def _message_events(item: dict[str, Any], place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    part, place = item["content"][0], {**place, "content_index": 0}
    key = "text" if part["type"] == "output_text" else "refusal"
    kind = "response.output_text" if key == "text" else "response.refusal"
    logprobs: dict[str, Any] = {"logprobs": []} if key == "text" else {}
    yield {"type": "response.content_part.added", **place, "part": {**part, key: ""}}
    for piece in pieces(part[key]):
        yield {"type": f"{kind}.delta", **place, "delta": piece, **logprobs}
    yield {"type": f"{kind}.done", **place, key: part[key], **logprobs}
    yield {"type": "response.content_part.done", **place, "part": part}


def _call_events(item: dict[str, Any], place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind = "response.function_call_arguments"
    for piece in pieces(item["arguments"]):
        yield {"type": f"{kind}.delta", **place, "delta": piece}
    yield {"type": f"{kind}.done", **place, "name": item["name"], "arguments": item["arguments"]}


def _reasoning_events(item: dict[str, Any], place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    part, place = item["summary"][0], {**place, "summary_index": 0}
    kind = "response.reasoning_summary"
    yield {"type": f"{kind}_part.added", **place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"]):
        yield {"type": f"{kind}_text.delta", **place, "delta": piece}
    yield {"type": f"{kind}_text.done", **place, "text": part["text"]}
    yield {"type": f"{kind}_part.done", **place, "part": part}


def _hosted_events(item: dict[str, Any], place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for stage in ("in_progress", *STAGES.get(item["type"], ()), "completed"):
        yield {"type": f"response.{item['type']}.{stage}", **place}


STAGES = {
    "web_search_call": ("searching",),
    "file_search_call": ("searching",),
    "code_interpreter_call": ("interpreting",),
    "image_generation_call": ("generating",),
}
"""What tools that the provider runs do between their begin and their end."""
BEGUN: dict[str, dict[str, Any]] = {
    "reasoning": {"summary": [], "status": "in_progress"},
    "message": {"content": [], "status": "in_progress"},
    "function_call": {"arguments": "", "status": "in_progress"},
}
"""How an item looks before its content is streamed."""
STREAMED = {
    "reasoning": _reasoning_events,
    "message": _message_events,
    "function_call": _call_events,
}


def _event(at: int, data: dict[str, Any]) -> bytes:
    text = json.dumps({**data, "sequence_number": at}, ensure_ascii=False)
    return f"event: {data['type']}\ndata: {text}\n\n".encode()


def _in_progress(request: ModelRequest, number: int) -> dict[str, Any]:
    echoed = {key: request.body.get(key, ECHO_DEFAULTS.get(key)) for key in ECHOED}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": CREATED + number,
        "status": "in_progress",
        "model": request.model,
        "error": None,
        "incomplete_details": None,
        "output": [],
        "parallel_tool_calls": request.body.get("parallel_tool_calls", True),
        "previous_response_id": request.body.get("previous_response_id"),
        "store": request.body.get("store", True),
        "text": request.body.get("text") or {"format": {"type": "text"}},
        "truncation": "disabled",
        "usage": None,
        **echoed,
    }


def _items(reply: Reply, number: int) -> list[dict[str, Any]]:
    status = "incomplete" if reply.finish in INCOMPLETE else "completed"
    items: list[dict[str, Any]] = []
    if reply.reasoning:
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})
    for index, hosted in enumerate(reply.hosted):
        items.append({"id": f"hosted_{number}_{index}", "status": "completed", **hosted})
    if reply.text or reply.refusal:
        text = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        refusal = {"type": "refusal", "refusal": reply.refusal}
        items.append(
            {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": status,
                "content": [refusal if reply.refusal else text],
            }
        )
    for index, call in enumerate(reply.tool_calls):
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{number}_{index}",
                "call_id": call_id(reply, index, number),
                "name": call.name,
                "arguments": call.arguments_text,
                "status": "completed",
            }
        )
    return items


def _usage(usage: TokenUsage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {
            "cached_tokens": usage.cached,
            "cache_write_tokens": usage.cache_write,
        },
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.total,
    }
