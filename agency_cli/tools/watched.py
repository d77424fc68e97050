"""A tool around a tool: each call is told of, and what goes wrong comes back as text."""

from __future__ import annotations

import copy
import json
from functools import cache

from agents import FunctionTool, ModelBehaviorError
from agents.tool_context import ToolContext
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from agency_cli.errors import LimitReached, one_line
from agency_cli.foreign import reason_of
from agency_cli.outputs import MediaOutput, as_text
from agency_cli.run_context import RunContext, current_frame, open_node


def watched(tool: FunctionTool, agent: str) -> FunctionTool:
    """Return a copy of `tool` that reports its calls by `agent`; `tool` stays as it is."""
    inner = tool.on_invoke_tool

    async def invoke(context: ToolContext[RunContext], arguments: str) -> object:
        frame = current_frame.get()
        run = frame.run
        frame.require_progress(agent, tool.name, arguments)
        node_id = run.unique_id(f"{frame.path}/{context.tool_call_id}")
        past = run.past.results.get(node_id)
        if past is not None:
            frame.note_result(agent, tool.name, arguments, past.text)
            return _media().validate_python(past.kept["media"]) if past.kept else past.text
        with open_node(
            run, node_id, frame.node_id, "tool", tool.name, agent=agent, detail=arguments
        ) as node:
            try:
                result = await inner(context, arguments)
                node.output = as_text(result)
            except LimitReached:
                raise
            except Exception as error:  # noqa: BLE001 - a tool is foreign code and may raise anything
                reason = _reason(error, tool, arguments)
                node.fail(reason)
                result = node.output = f"{tool.name} failed: {reason}"
            frame.note_result(agent, tool.name, arguments, node.output)
            if not isinstance(result, MediaOutput):
                return node.output
            run.keep(node_id, {"media": result.model_dump(mode="json")})
            return result

    outer = copy.copy(tool)
    outer.on_invoke_tool = invoke
    return outer


@cache
def _media() -> TypeAdapter[MediaOutput]:
    return TypeAdapter(MediaOutput)


def _reason(error: Exception, tool: FunctionTool, arguments: str) -> str:
    if isinstance(error, ModelBehaviorError):
        # The SDK keeps to itself what is wrong with the arguments.
        return _misfit(tool, arguments) or one_line(error)
    return reason_of(error)


def _misfit(tool: FunctionTool, arguments: str) -> str | None:
    try:
        values = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return "the arguments are not JSON; send them again"
    if not isinstance(values, dict):
        return "the arguments are not a JSON object; send them again"
    problems = [
        f"{'.'.join(map(str, problem.absolute_path)) or 'arguments'}: {problem.message}"
        for problem in Draft202012Validator(tool.params_json_schema).iter_errors(values)
    ]
    return f"wrong arguments ({'; '.join(problems)}); correct them" if problems else None
