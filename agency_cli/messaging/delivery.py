"""One delegation: the recipient runs to its final output, the sender gets that as text."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents import Agent, AgentsException, AgentToolStreamEvent, RunResult, RunResultStreaming
from agents.tool_context import ToolContext
from pydantic import BaseModel

from agency_cli.errors import AgencyError, ProviderFailed, RunFailed
from agency_cli.failures import own_failure
from agency_cli.limits import Limit
from agency_cli.manifest import FlowSpec
from agency_cli.messaging.conversations import ConversationSession, pair_name
from agency_cli.messaging.undelivered import Undelivered
from agency_cli.outputs import as_text
from agency_cli.run_context import (
    PROVIDER_FAILED,
    Clock,
    Frame,
    OpenNode,
    Place,
    RunContext,
    RunMemory,
    WouldDeadlock,
    agent_at_work,
    current_frame,
)


@dataclass(frozen=True, slots=True)
class Recipient:
    """An agent that a flow lets the sender ask.

    Attributes:
        key: Its key.
        description: What the sender's model reads about it.
        agent: The SDK's agent.
        flow: Names the flow in counters, such as `flows[2]`.
        spec: What the flow limits; None for the short form.
        limits: Its own limits as messages name them, by their keys.
    """

    key: str
    description: str
    agent: Agent[RunContext]
    flow: str
    spec: FlowSpec | None = None
    limits: Mapping[str, Limit] = field(default_factory=dict)

    @property
    def failure_ends_run(self) -> bool:
        """Whether the flow says so."""
        return self.spec is not None and self.spec.on_error == "fail"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message on its way.

    Attributes:
        context: The SDK's context of the tool call.
        node: The message's node in the call tree.
        sender: Key of the agent that asks.
        recipient: Who is asked.
        text: What the recipient reads.
        params: Extra params, for the recipient's tools.
        place: Its place in the queue of sender and recipient.
    """

    context: ToolContext[RunContext]
    node: OpenNode
    sender: str
    recipient: Recipient
    text: str
    params: BaseModel
    place: Place


async def deliver(delivery: Delivery) -> str:
    """Let the recipient answer, asked from the frame that is current.

    Raises:
        Undelivered: The recipient may not be asked now, took too long, or failed.
        AgencyError: A limit was reached, or the flow says that a failure ends the run.
    """
    recipient = delivery.recipient
    try:
        return await _in_turn(delivery)
    except WouldDeadlock as refused:
        raise Undelivered(f"{refused}; answer with what you have, or ask another") from None
    except (AgencyError, AgentsException) as error:
        failure = own_failure(error)
        if failure is None or failure.ends_run:
            raise
        if recipient.failure_ends_run:
            raise _ending(failure, delivery) from error
        if isinstance(failure, ProviderFailed):
            sender = current_frame.get()
            kept = {"flow": recipient.flow, PROVIDER_FAILED: sender.path}
            sender.run.keep(delivery.node.id, kept)
        raise Undelivered(
            f"{recipient.key} failed: {failure}. Go on without its answer, or ask another."
        ) from error


async def _in_turn(delivery: Delivery) -> str:
    caller = current_frame.get()
    run, recipient = caller.run, delivery.recipient
    refusal = run.ledger.refuse_depth(caller.depth + 1)
    if refusal:
        raise Undelivered(refusal)
    params = delivery.params.model_dump()
    # The path is that of the message's node, which no other call shares.
    frame = Frame(run, delivery.node.id, recipient.key, sender=caller, params=params)
    await run.queues.turn(delivery.place, caller, frame)
    _count_call(run, recipient)
    run.keep(delivery.node.id, {"flow": recipient.flow})
    return await _in_time(delivery, frame)


def _count_call(run: RunContext, recipient: Recipient) -> None:
    most = recipient.spec.max_calls if recipient.spec else None
    made = run.flow_calls.get(recipient.flow, 0)
    if most is not None and made >= most:
        limit = recipient.limits["max_calls"]
        raise Undelivered(
            f"{made} messages were sent on this flow, the most that it allows ({limit}); answer"
            f" with what you have; {limit.advice}"
        )
    run.flow_calls[recipient.flow] = made + 1


async def _in_time(delivery: Delivery, frame: Frame) -> str:
    seconds = delivery.recipient.spec.timeout_seconds if delivery.recipient.spec else None
    try:
        async with asyncio.timeout(seconds) as timeout:
            frame.clock = Clock(timeout)
            return await _answer(delivery, frame)
    except TimeoutError:
        if not timeout.expired():
            raise
        limit = delivery.recipient.limits["timeout_seconds"]
        raise RunFailed(
            f"no answer within {seconds:g} seconds ({limit}), so it was stopped; {limit.advice}",
            agent=frame.agent,
        ) from None


async def _answer(delivery: Delivery, frame: Frame) -> str:
    token = current_frame.set(frame)
    try:
        with agent_at_work(frame, delivery.node.id, delivery.text) as work:
            tool = delivery.recipient.agent.as_tool(
                None,
                None,
                on_stream=_streamed,
                on_stream_max_pending_events=None,
                # The run's own limits end it; None would mean the SDK's 10.
                max_turns=sys.maxsize,
                session=_session(delivery, frame),
                failure_error_function=None,
                custom_output_extractor=_output_of,
            )
            arguments = json.dumps({"input": delivery.text})
            output = as_text(await tool.on_invoke_tool(delivery.context, arguments))
            work.finish(output)
            return output
    finally:
        current_frame.reset(token)


def _session(delivery: Delivery, frame: Frame) -> ConversationSession:
    name = pair_name(delivery.sender, frame.agent)
    spec = delivery.recipient.spec
    afresh = spec is not None and spec.memory == "none"
    memory = RunMemory() if afresh else frame.run.memory
    return ConversationSession(name, memory(name))


async def _output_of(result: RunResult | RunResultStreaming) -> str:
    """Return the final output as the text that the sender reads."""
    return as_text(result.final_output)


def _streamed(_event: AgentToolStreamEvent) -> None:
    """Having a listener is what makes the SDK stream; the model around each model listens."""


def _ending(failure: AgencyError, delivery: Delivery) -> AgencyError:
    if isinstance(failure, RunFailed):
        failure.ends_run = True
        return failure
    ending = RunFailed(f"{delivery.recipient.key} failed: {failure}", agent=delivery.recipient.key)
    ending.ends_run = True
    return ending
