"""A tool around a tool: each call is told of, and what goes wrong comes back as text."""

from __future__ import annotations

import copy
import json
from typing import Any

from agents import FunctionTool, ModelBehaviorError
from agents.tool_context import ToolContext

from agency_cli.errors import LimitReached
from agency_cli.outputs import MediaOutput, as_text
from agency_cli.run_context import RunContext, current_frame, open_node


def watched(tool: FunctionTool, agent: str) -> FunctionTool:
    """Return a copy of `tool` that reports its calls by `agent`; `tool` stays as it is."""
    inner = tool.on_invoke_tool

    async def invoke(context: ToolContext[RunContext], arguments: str) -> object:
        frame = current_frame.get()
        frame.require_progress(agent, tool.name, arguments)
        with open_node(
            frame.run,
            f"{frame.path}/{context.tool_call_id}",
            frame.node_id,
            "tool",
            tool.name,
            agent=agent,
            detail=arguments,
        ) as node:
            try:
                result = await inner(context, arguments)
                node.output = as_text(result)
            except LimitReached:
                raise
            except Exception as error:  # noqa: BLE001 - a tool is foreign code and may raise anything
                reason = _reason(error, arguments)
                node.fail(reason)
                result = node.output = f"{tool.name} failed: {reason}"
            frame.note_result(agent, tool.name, arguments, node.output)
            return result if isinstance(result, MediaOutput) else node.output

    outer = copy.copy(tool)
    outer.on_invoke_tool = invoke
    return outer


def _reason(error: Exception, arguments: str) -> str:
    if isinstance(error, ModelBehaviorError) and not _is_object(arguments):
        return "the arguments are not a JSON object; send them again"
    cause = error.__cause__ if isinstance(error, ModelBehaviorError) else None
    text = " ".join(str(cause or error).split())
    return f"{type(cause or error).__name__}: {text}" if text else type(error).__name__


def _is_object(arguments: str) -> bool:
    try:
        value: Any = json.loads(arguments)
    except json.JSONDecodeError:
        return False
    return isinstance(value, dict)
