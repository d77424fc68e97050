"""A model that does its job: it uses every tool once, asks every colleague once, then answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fake_server import ModelRequest, Reply, ToolCall


def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a node of a run's tree, and all below it."""
    yield node
    for child in node["children"]:
        yield from walk(child)


def diligent(request: ModelRequest) -> Reply:
    """Use every tool once, ask every colleague once, and then answer."""
    asked_for = request.body.get("response_format") or request.body.get("text", {}).get("format")
    if asked_for and asked_for.get("type") == "json_schema":
        schema = asked_for.get("json_schema", asked_for)["schema"]
        return Reply(text=json.dumps({k: example(v) for k, v in schema["properties"].items()}))
    if request.turn > 0 or request.tool_outputs:
        return Reply(text="Here is what came of it.")
    calls = [call for tool in request.tools for call in calls_of(tool.name, tool.schema)]
    handoffs = [call for call in calls if call.name.startswith("transfer_to_")]
    return Reply(text="" if calls else "Nothing to do.", tool_calls=tuple(handoffs[:1] or calls))


def calls_of(name: str, schema: dict[str, Any]) -> list[ToolCall]:
    properties = {
        key: schema.get("$defs", {}).get(value.get("$ref", "").rpartition("/")[2], value)
        for key, value in schema.get("properties", {}).items()
    }
    recipients = properties.get("recipient_agent", {}).get("enum")
    arguments = {key: example(value) for key, value in properties.items()}
    if recipients:
        return [ToolCall(name, {**arguments, "recipient_agent": each}) for each in recipients]
    if name == "read_file":
        return []
    if name == "list_files":
        arguments = {"path": "."}
    return [ToolCall(name, arguments)]


def example(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "string":
            return "2026-12-31" if schema.get("format") == "date" else "notes.md"
        case "integer" | "number":
            return 1
        case "array":
            return [] if "$ref" in schema.get("items", {}) else [1, 2]
        case _:
            return None
