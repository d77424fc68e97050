"""Handoffs: the conversation moves to another agent, with a reminder that it has moved."""

from __future__ import annotations

from collections.abc import Mapping

from agents import Agent, Handoff, RunContextWrapper, handoff

from agency_cli.manifest import Flow, Manifest, handoff_name
from agency_cli.run_context import RunContext, current_frame

SdkHandoff = Handoff[RunContext, Agent[RunContext]]


def handoffs_of(
    sender: str, manifest: Manifest, agents: Mapping[str, Agent[RunContext]]
) -> list[SdkHandoff]:
    """Return the handoffs that flows allow `sender`."""
    return [
        _handoff(flow, manifest, agents[flow.recipient])
        for flow in manifest.single_flows
        if flow.kind == "handoff" and flow.sender == sender
    ]


def _handoff(flow: Flow, manifest: Manifest, recipient: Agent[RunContext]) -> SdkHandoff:
    about = manifest.agents[flow.recipient].description

    def hand_over(_context: RunContextWrapper[RunContext]) -> None:
        work = current_frame.get().work
        assert work is not None
        work.hand_over(flow.sender, flow.recipient)

    made = handoff(
        recipient,
        tool_name_override=handoff_name(flow.recipient),
        tool_description_override=f"Give the whole conversation to {flow.recipient}."
        + (f" {flow.recipient}: {about}" if about else ""),
        on_handoff=hand_over,
    )
    reminder = _reminder(flow)
    if reminder is not None:
        # The result of the handoff's own call is the one place that every provider passes on
        # unchanged; a system message in the middle of a conversation is refused by some.
        made.get_transfer_message = lambda agent: reminder  # type: ignore[method-assign]  # noqa: ARG005 - the SDK's signature
    return made


def _reminder(flow: Flow) -> str | None:
    written = flow.spec.reminder if flow.spec else None
    if written is None:
        return (
            f"You are {flow.recipient} now. {flow.sender} gave you this conversation: read it, and"
            " answer the user yourself."
        )
    return written or None
