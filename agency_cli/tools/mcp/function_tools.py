"""The SDK's tools, made from what a server lists."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agents import FunctionTool, UserError
from agents.mcp import MCPServer, MCPUtil
from jsonschema import Draft202012Validator, SchemaError
from mcp.types import Tool

from agency_cli.errors import one_line
from agency_cli.strictness import strict_form
from agency_cli.tools.mcp.naming import public_name

_ABOUT_ITSELF = ("$schema", "$id")


def function_tool(key: str, tool: Tool, client: MCPServer, description: str | None) -> FunctionTool:
    """Return a tool that calls the server; what goes wrong is raised.

    Args:
        key: The server's name under `tools`.
        tool: The tool as the server lists it.
        client: Calls the server.
        description: What stands before the tool's own description.
    """
    made = MCPUtil.to_function_tool(
        tool,
        client,
        # The SDK makes strict what is not by asking for every argument, and a model would have
        # to make up those that the server can do without.
        convert_schemas_to_strict=False,
        failure_error_function=None,
        tool_name_override=public_name(key, tool.name),
    )
    strict = _strict(tool.input_schema)
    if strict is not None:
        made.params_json_schema, made.strict_json_schema = strict, True
    if description is not None:
        made.description = f"{description}\n\n{made.description}".strip()
    return made


def fault_of_schema(tool: Tool) -> str:
    """Say what is wrong with the schema of a tool; nothing where it is one."""
    try:
        Draft202012Validator.check_schema(tool.input_schema)
    except SchemaError as error:
        return one_line(error).partition(" Failed validating")[0]
    return ""


def missing_arguments(tool: Tool, arguments: str) -> list[str]:
    """Return the arguments that the server needs and a call does not have."""
    try:
        given = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return []
    required = tool.input_schema.get("required", [])
    return [name for name in required if name not in given] if isinstance(given, dict) else []


def _strict(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the strict form of a server's schema; None where it has none, or is unsound."""
    known = {key: value for key, value in schema.items() if key not in _ABOUT_ITSELF}
    try:
        return strict_form({**known, "properties": schema.get("properties", {})})
    except (AttributeError, TypeError, UserError):
        return None
