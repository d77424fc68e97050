"""Handoffs: the conversation moves to another agent, with a reminder that it has moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents import Agent, AgentBase, Handoff, RunContextWrapper, handoff

from agency_cli.manifest import Flow, Manifest, approval_of, handoff_name
from agency_cli.run_context import OpenNode, RunContext, current_frame, refusal_of

SdkHandoff = Handoff[RunContext, Agent[RunContext]]


def handoffs_of(
    sender: str, manifest: Manifest, agents: Mapping[str, Agent[RunContext]]
) -> list[SdkHandoff]:
    """Return the handoffs that flows allow `sender`."""
    return [
        _handoff(flow, manifest, agents)
        for flow in manifest.single_flows
        if flow.kind == "handoff" and flow.sender == sender
    ]


def _handoff(flow: Flow, manifest: Manifest, agents: Mapping[str, Agent[RunContext]]) -> SdkHandoff:
    about = manifest.agents[flow.recipient].description
    made = handoff(
        agents[flow.recipient],
        tool_name_override=handoff_name(flow.recipient),
        tool_description_override=f"Give the whole conversation to {flow.recipient}."
        + (f" {flow.recipient}: {about}" if about else ""),
    )
    hand_over = made.on_invoke_handoff

    async def hand_over_if_agreed(
        context: RunContextWrapper[RunContext], arguments: str
    ) -> Agent[RunContext]:
        frame = current_frame.get()
        work = frame.work
        assert work is not None
        node = work.begin_handoff(flow.sender, flow.recipient)
        refusal = await _refusal(flow, node)
        if refusal is not None:
            frame.refused_handoff = f"{made.tool_name} was not done: {refusal}"
            node.fail(refusal)
            node.end()
            # Who has the conversation keeps it.
            return agents[flow.sender]
        work.hand_over(node, flow.recipient)
        return await hand_over(context, arguments)

    said_by_sdk, reminder = made.get_transfer_message, _reminder(flow)

    def told(agent: AgentBase[Any]) -> str:
        if agent.name == flow.sender:
            return current_frame.get().refused_handoff
        return said_by_sdk(agent) if reminder is None else reminder

    made.on_invoke_handoff = hand_over_if_agreed
    # The result of the handoff's own call is the one place that every provider passes on
    # unchanged; a system message in the middle of a conversation is refused by some.
    made.get_transfer_message = told  # type: ignore[method-assign]
    return made


async def _refusal(flow: Flow, node: OpenNode) -> str | None:
    approval = flow.spec.approval if flow.spec else None
    if approval is None:
        return None
    name = handoff_name(flow.recipient)
    answer = approval_of(approval, name, {"recipient_agent": flow.recipient})
    return await refusal_of(node, (flow.sender, flow.recipient), "{}", answer)


def _reminder(flow: Flow) -> str | None:
    written = flow.spec.reminder if flow.spec else None
    if written is None:
        return (
            f"You are {flow.recipient} now. {flow.sender} gave you this conversation: read it, and"
            " answer the user yourself."
        )
    return written or None
