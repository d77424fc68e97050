"""From what the SDK gives a model to what a turn of the embedded model needs."""

from __future__ import annotations

from typing import Any

from agents import FunctionTool, Handoff, ModelSettings, Tool
from agents.agent_output import AgentOutputSchemaBase
from agents.items import TResponseInputItem

from agency_cli.models.local.conversation import read_conversation
from agency_cli.models.local.deciding import Offer
from agency_cli.models.local.turn import TurnRequest
from agency_cli.run_context import current_frame


def turn_request(  # noqa: PLR0917 - the order in which the SDK gives them
    instructions: str | None,
    items: str | list[TResponseInputItem],
    settings: ModelSettings,
    tools: list[Tool],
    output_schema: AgentOutputSchemaBase | None,
    handoffs: list[Handoff[Any, Any]],
) -> TurnRequest:
    """Return the request of one turn. Tools that a provider itself would run are not offered."""
    frame = current_frame.get(None)
    structured = output_schema is not None and not output_schema.is_plain_text()
    return TurnRequest(
        instructions=instructions or "",
        conversation=read_conversation(items),
        offers=(*_tools(tools), *_handoffs(handoffs)),
        output_schema=output_schema.json_schema() if output_schema and structured else None,
        tool_choice=settings.tool_choice if isinstance(settings.tool_choice, str) else None,
        parallel=settings.parallel_tool_calls is not False,
        depth=frame.depth if frame else 0,
        waiting=frozenset(above.agent for above in frame.lineage()) if frame else frozenset(),
    )


def _tools(tools: list[Tool]) -> list[Offer]:
    return [
        Offer(tool.name, tool.description, tool.params_json_schema)
        for tool in tools
        if isinstance(tool, FunctionTool)
    ]


def _handoffs(handoffs: list[Handoff[Any, Any]]) -> list[Offer]:
    return [
        Offer(handoff.tool_name, handoff.tool_description, handoff.input_json_schema, "handoff")
        for handoff in handoffs
    ]
