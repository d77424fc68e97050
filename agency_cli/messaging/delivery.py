"""One delegation: the recipient runs to its final output, the sender gets that as text."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from agents import Agent, AgentsException, AgentToolStreamEvent
from agents.tool_context import ToolContext

from agency_cli.errors import AgencyError, LimitReached
from agency_cli.failures import own_failure
from agency_cli.messaging.conversations import PairConversation
from agency_cli.outputs import as_text
from agency_cli.run_context import (
    Frame,
    OpenNode,
    RunContext,
    WouldDeadlock,
    current_frame,
    open_node,
)


@dataclass(frozen=True, slots=True)
class Recipient:
    """An agent that a flow lets the sender ask."""

    key: str
    description: str
    agent: Agent[RunContext]


class Undelivered(Exception):
    """A message that got no answer; its text tells the sending model what to do."""


async def deliver(
    context: ToolContext[RunContext],
    node: OpenNode,
    sender: str,
    recipient: Recipient,
    text: str,
) -> str:
    """Let `recipient` answer `text`, asked by the agent `sender` in the current frame.

    Raises:
        Undelivered: The recipient may not be asked now, or failed.
        LimitReached: A limit of the run was reached; the run ends.
    """
    caller = current_frame.get()
    run = caller.run
    refusal = run.ledger.refuse_depth(caller.depth + 1)
    if refusal:
        raise Undelivered(refusal)
    path = f"{caller.path}/{context.tool_call_id}"
    frame = Frame(run, path, recipient.key, sender=caller)
    try:
        async with run.queues.turn((sender, recipient.key), caller, frame):
            return await _answer(
                context, node, sender=sender, recipient=recipient, frame=frame, text=text
            )
    except WouldDeadlock as refused:
        raise Undelivered(f"{refused}; answer with what you have, or ask another") from None
    except (AgencyError, AgentsException) as error:
        failure = own_failure(error)
        if failure is None or isinstance(failure, LimitReached):
            # A bug, or a limit of the run: either ends the run.
            raise
        raise Undelivered(
            f"{recipient.key} failed: {failure}. Go on without its answer, or ask another."
        ) from error


async def _answer(
    context: ToolContext[RunContext],
    parent: OpenNode,
    *,
    sender: str,
    recipient: Recipient,
    frame: Frame,
    text: str,
) -> str:
    token = current_frame.set(frame)
    try:
        with open_node(
            frame.run,
            f"{frame.path}/agent",
            parent.id,
            "agent",
            recipient.key,
            agent=recipient.key,
            detail=text,
        ) as node:
            frame.node_id = node.id
            tool = recipient.agent.as_tool(
                None,
                None,
                on_stream=_streamed,
                on_stream_max_pending_events=None,
                # The run's own limits end it; None would mean the SDK's 10.
                max_turns=sys.maxsize,
                session=_conversation(frame, sender),
                failure_error_function=None,
            )
            output = await tool.on_invoke_tool(context, json.dumps({"input": text}))
            node.output = as_text(output)
            return node.output
    finally:
        current_frame.reset(token)


def _conversation(frame: Frame, sender: str) -> PairConversation:
    items = frame.run.conversations.setdefault((sender, frame.agent), [])
    return PairConversation(sender, frame.agent, items)


def _streamed(_event: AgentToolStreamEvent) -> None:
    """Having a listener is what makes the SDK stream; the model around each model listens."""
