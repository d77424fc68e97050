"""Tools that the provider runs: models that have none, and what was done, as no hook tells it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from openai.types.responses import Response

from agency_cli.checks.hosted import without_hosted_tools
from agency_cli.errors import Problem
from agency_cli.models.choice import ModelChoice
from agency_cli.outputs import as_text
from agency_cli.run_context import Frame, open_node

_SUFFIX = "_call"
_SHOWN_FIRST = ("action", "queries", "code", "arguments", "revised_prompt")
_GIVEN_BACK = ("output", "outputs", "results", "result", "tools")
_HOSTED = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
    }
)
_LONGEST_IMAGE = 1_000


def unfit_models(
    agent: str, tools: Sequence[str], hosted: Collection[str], choice: ModelChoice
) -> Iterator[Problem]:
    """Yield a problem for each hosted tool of an agent that one of its models cannot have.

    Args:
        agent: Key of the agent.
        tools: The tools that it lists.
        hosted: Those that are hosted.
        choice: Its model, with its fallbacks.
    """
    unfit = (
        model
        for model in choice.usable_chain
        if model.endpoint is None or model.endpoint.api != "responses"
    )
    first = next(unfit, None)
    for position, name in enumerate(tools):
        if first is not None and name in hosted:
            path = ("agents", agent, "tools", position)
            yield without_hosted_tools(name, first.label, path)


def note_hosted_calls(frame: Frame, agent: str, response: Response) -> None:
    """Report each call of a hosted tool as a node of the tree; it has happened by now."""
    run = frame.run
    for item in response.output:
        if item.type not in _HOSTED:
            continue
        call = item.model_dump(mode="json", exclude_none=True, warnings=False)
        node_id = run.unique_id(f"{frame.path}/{call.get('id') or item.type}")
        with open_node(
            run, node_id, frame.node_id, "tool", _name(call), agent=agent, detail=_detail(call)
        ) as node:
            node.output = _output(call)
            failure = _failure(call)
            if failure:
                node.fail(failure)


def _failure(call: Mapping[str, Any]) -> str:
    error = call.get("error")
    if error:
        return as_text(error.get("message", error) if isinstance(error, dict) else error)
    status = call.get("status")
    return f"the call is {status}" if status in {"failed", "incomplete"} else ""


def _name(call: Mapping[str, Any]) -> str:
    if call["type"] == "mcp_call":
        return f"mcp_{call['server_label']}__{call['name']}"
    if call["type"] == "mcp_list_tools":
        return f"mcp_{call['server_label']}"
    return str(call["type"]).removesuffix(_SUFFIX)


def _detail(call: Mapping[str, Any]) -> str:
    if "arguments" in call:
        return str(call["arguments"])
    shown = {key: call[key] for key in _SHOWN_FIRST if key in call}
    return json.dumps(shown, ensure_ascii=False)


def _output(call: Mapping[str, Any]) -> str:
    given: Any = next((call[key] for key in _GIVEN_BACK if call.get(key) is not None), "")
    if call["type"] == "image_generation_call" and len(given) > _LONGEST_IMAGE:
        return f"[an image of {len(given) * 3 // 4:,} bytes]"
    if call["type"] == "mcp_list_tools":
        return ", ".join(tool["name"] for tool in given)
    return as_text(given)
