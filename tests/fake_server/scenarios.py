"""Scenarios with a name, for the program and the benchmark."""

from __future__ import annotations

from typing import Any

from fake_server.model_request import ModelRequest
from fake_server.replies import Answer, Reply, ToolCall
from fake_server.rules import Script


def one_answer(_request: ModelRequest) -> Answer:
    """Everybody answers at once."""
    return Reply(text="Done.")


def three_workers(request: ModelRequest) -> Answer:
    """Who can delegate asks everyone at the same time, once, then answers; the others answer.

    It fits any team of two levels, whatever its tools are called: a tool with an enum of recipients
    is called once for each of them, every other tool once.
    """
    if request.tools and not request.tool_outputs:
        return Reply(tool_calls=tuple(_calls(request)))
    if request.tools:
        return Reply(text=f"All {len(request.tool_outputs)} parts are done.")
    return Reply(text=f"My part is done: {request.last_user_text}")


def ten_turns(request: ModelRequest) -> Answer:
    """Who is asked calls its first tool nine times, with a text that is never the same."""
    made = len(request.tool_outputs)
    if made == 9:
        return Reply(text="Done.")
    return Reply(tool_calls=(ToolCall(request.tools[0].name, {"text": f"part {made}"}),))


def _calls(request: ModelRequest) -> list[ToolCall]:
    calls = []
    for tool in request.tools:
        properties = tool.schema.get("properties", {})
        choices = [name for name, schema in properties.items() if schema.get("enum")]
        for value in properties[choices[0]]["enum"] if choices else [None]:
            chosen = {choices[0]: value} if choices else {}
            arguments = {name: _value(schema) for name, schema in properties.items()}
            calls.append(ToolCall(tool.name, {**arguments, **chosen}))
    return calls


def _value(schema: dict[str, Any]) -> Any:
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        return None if "null" in kind else _value({**schema, "type": kind[0]})
    plain = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
    return plain.get(kind, "Do your part.")


SCENARIOS: dict[str, Script] = {
    "one_answer": one_answer,
    "ten_turns": ten_turns,
    "three_workers": three_workers,
}
