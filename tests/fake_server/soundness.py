"""What the real servers refuse with HTTP 400: a request is checked before any rule sees it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def faults_of(path: str, body: Any) -> list[str]:
    """Return what is wrong with a request, each as one sentence; nothing if it is sound."""
    if not isinstance(body, dict):
        return ["the body is not a JSON object"]
    of_api = _chat_faults if path.endswith("/chat/completions") else _responses_faults
    hosted = _hosted_faults(body, is_chat=of_api is _chat_faults)
    return [*_model_faults(body), *of_api(body), *_tool_faults(body), *hosted]


def _model_faults(body: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "you must provide a model parameter"


def _chat_faults(body: Mapping[str, Any]) -> Iterator[str]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages must be a list with at least one message"
        return
    if not body.get("stream") and body.get("stream_options"):
        yield "stream_options is only allowed when stream is true"
    waiting: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in waiting:
                yield "a message with role 'tool' must follow the message with its tool_calls"
            else:
                waiting.remove(message["tool_call_id"])
            continue
        yield from _unanswered(waiting)
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
    yield from _unanswered(waiting)


def _unanswered(calls: Iterable[str]) -> Iterator[str]:
    for call in calls:
        yield f"tool_call_id {call} has no response message"


def _responses_faults(body: Mapping[str, Any]) -> Iterator[str]:
    if "messages" in body:
        yield "unknown parameter 'messages'; did you mean 'input'?"
    given = body.get("input")
    if isinstance(given, str):
        return
    if not isinstance(given, list):
        yield "input must be a string or a list of items"
        return
    yield from _pairing_faults(given, is_continued=bool(body.get("previous_response_id")))
    ids = Counter(item["id"] for item in given if item.get("id"))
    yield from (f"duplicate item found with id {key}" for key, times in ids.items() if times > 1)


def _pairing_faults(items: list[Mapping[str, Any]], *, is_continued: bool) -> Iterator[str]:
    called = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    for call in called:
        if call not in answered:
            yield f"no tool output found for function call {call}"
    for call in answered:
        if call not in called and not is_continued:
            yield f"no tool call found for function call output with call_id {call}"


def _tool_faults(body: Mapping[str, Any]) -> Iterator[str]:
    seen = set()
    for tool in body.get("tools") or ():
        function = tool.get("function", tool)
        if tool.get("type") != "function":
            continue
        name = function.get("name") or ""
        if not TOOL_NAME.fullmatch(name):
            yield f"tool name {name!r} does not match '^[a-zA-Z0-9_-]+$' in 1 to 64 characters"
        if name in seen:
            yield f"tool names must be unique; {name!r} is there twice"
        seen.add(name)
        if function.get("strict"):
            for fault in _schema_faults(function.get("parameters") or {}, "parameters"):
                yield f"invalid schema for function {name!r}: {fault}"


HOSTED = {
    "web_search": (),
    "file_search": ("vector_store_ids",),
    "code_interpreter": ("container",),
    "image_generation": (),
    "mcp": ("server_label",),
}
"""Tools that the provider runs, and what must be said of each."""


def _hosted_faults(body: Mapping[str, Any], *, is_chat: bool) -> Iterator[str]:
    for at, tool in enumerate(body.get("tools") or ()):
        kind = tool.get("type")
        if kind in {"function", "custom"}:
            continue
        if is_chat or kind not in HOSTED:
            yield f"invalid value for tools[{at}].type: {kind!r}"
            continue
        missing = [name for name in HOSTED[kind] if name not in tool]
        yield from (f"missing required parameter: tools[{at}].{name}" for name in missing)
        if kind == "mcp" and not {"server_url", "connector_id"} & tool.keys():
            yield f"tools[{at}] needs one of server_url and connector_id"


def _schema_faults(schema: Any, place: str) -> Iterator[str]:
    """What a strict schema may not be; every object in it is looked at."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{place}: 'additionalProperties' is required to be supplied and to be false"
    missing = sorted(set(schema.get("properties") or ()) - set(schema.get("required") or ()))
    if missing:
        yield f"{place}: 'required' must list every property; missing {', '.join(missing)}"
    for name, part in _parts(schema):
        yield from _schema_faults(part, f"{place}.{name}")


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from (schema.get("properties") or {}).items()
    yield from (schema.get("$defs") or {}).items()
    yield from ((f"anyOf[{at}]", part) for at, part in enumerate(schema.get("anyOf") or ()))
    yield "items", schema.get("items")
