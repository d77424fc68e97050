"""The tool with which a sender asks the recipients of its message flows."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from agents import FunctionTool
from agents.tool_context import ToolContext

from agency_cli.errors import RunFailed
from agency_cli.foreign import contained, is_cancelled, reason_of
from agency_cli.manifest import approval_of
from agency_cli.message_class import SendMessage
from agency_cli.messaging.contract import Contract, Message
from agency_cli.messaging.delivery import Delivery, Recipient, deliver
from agency_cli.messaging.undelivered import Undelivered
from agency_cli.outputs import NoText, as_text
from agency_cli.run_context import (
    Frame,
    OpenNode,
    RunContext,
    current_frame,
    may_begin,
    open_node,
    refusal_of,
)

DESCRIPTION = """\
Ask a colleague to do something and wait for the answer. Several calls in one response, to \
different colleagues, are worked on at the same time."""


@dataclass(frozen=True)
class MessageTool:
    """One tool of `sender`: all flows that share a class, extra params and a tool name.

    Attributes:
        sender: Key of the agent that has the tool.
        name: What its model calls it.
        contract: What a message must hold.
        recipients: Whom it reaches, and nobody else.
    """

    sender: str
    name: str
    contract: Contract
    recipients: Sequence[Recipient]

    def build(self) -> FunctionTool:
        """Return the SDK's tool."""
        schema, strict = self.contract.tool_schema([item.key for item in self.recipients])
        return FunctionTool(
            name=self.name,
            description=self._description(),
            params_json_schema=schema,
            strict_json_schema=strict,
            on_invoke_tool=self._invoke,
        )

    async def _invoke(self, context: ToolContext[RunContext], arguments: str) -> str:
        frame = current_frame.get()
        frame.require_progress(self.sender, self.name, arguments)
        node_id = frame.run.unique_id(f"{frame.path}/{context.tool_call_id}")
        past = frame.run.past.results.get(node_id)
        if past is None:
            await may_begin(frame)
            answer = await self._answer(context, arguments, frame, node_id)
        else:
            answer = past.text
        frame.note_result(self.sender, self.name, arguments, answer)
        return answer

    async def _answer(
        self, context: ToolContext[RunContext], arguments: str, frame: Frame, node_id: str
    ) -> str:
        # The place is held until the result is written down: of two exchanges on one pair, no more
        # than the last can be without its result.
        with (
            ExitStack() as held,
            open_node(
                frame.run,
                node_id,
                frame.node_id,
                "message",
                self.name,
                agent=self.sender,
                detail=_shown(arguments),
            ) as node,
        ):
            try:
                message = self.contract.read(arguments)
                recipient = self._recipient(message.recipient)
                place = held.enter_context(frame.run.queues.place((self.sender, recipient.key)))
                await self._agreed(node, recipient, arguments)
                text = await self._composed(message, recipient)
                delivery = Delivery(
                    context, node, self.sender, recipient, text, message.params, place
                )
                output = await deliver(delivery)
                node.output = await self._replied(output, message, recipient)
            except Undelivered as problem:
                node.fail(str(problem))
                node.output = f"Not answered: {problem}"
            return node.output

    def _recipient(self, name: str) -> Recipient:
        for recipient in self.recipients:
            if recipient.key.casefold() == name.strip().casefold():
                return recipient
        reachable = ", ".join(recipient.key for recipient in self.recipients)
        raise Undelivered(f"{self.name} cannot reach {name!r}; it reaches: {reachable}")

    async def _agreed(self, node: OpenNode, recipient: Recipient, arguments: str) -> None:
        approval = recipient.spec.approval if recipient.spec else None
        if approval is None:
            return
        # As it is delivered: a name in another case means the same recipient.
        values = {**json.loads(arguments), "recipient_agent": recipient.key}
        answer = approval_of(approval, self.name, values)
        refusal = await refusal_of(node, (self.sender, self.name), json.dumps(values), answer)
        if refusal is not None:
            raise Undelivered(refusal)

    async def _composed(self, message: Message, recipient: Recipient) -> str:
        text = await self._written(
            "compose", recipient, message.message, message.params, self.sender, recipient.key
        )
        if not text.strip():
            name = self.contract.message_class.__name__
            raise self._failed(f"{name}.compose gave no text, so nobody was asked", recipient)
        if not message.additional_instructions:
            return text
        return f"{text}\n\nAdditional instructions: {message.additional_instructions}"

    async def _replied(self, output: str, message: Message, recipient: Recipient) -> str:
        return await self._written(
            "reply", recipient, output, message.params, self.sender, recipient.key
        )

    async def _written(self, method: str, recipient: Recipient, *args: object) -> str:
        """Let the class write a text, within the flow's time and without holding others up."""
        name = f"{self.contract.message_class.__name__}.{method}"
        seconds = recipient.spec.timeout_seconds if recipient.spec else None
        clock = asyncio.timeout(seconds)
        try:
            async with clock:
                return as_text(await self._called(method, args))
        except BaseException as error:  # the agency's own code, which may raise anything
            if is_cancelled(error) or isinstance(error, KeyboardInterrupt):
                raise
            if isinstance(error, TimeoutError) and clock.expired():
                limit = recipient.limits["timeout_seconds"]
                what = f"{name} took longer than {seconds:g} seconds ({limit}); {limit.advice}"
            else:
                what = f"{name} failed: {reason_of(error)}"
            raise self._failed(what, recipient) from error

    async def _called(self, method: str, args: Sequence[object]) -> object:
        write = contained(getattr(self.contract.message_class(), method))
        if inspect.iscoroutinefunction(write) or self.contract.is_plain:
            written = write(*args)
        else:
            written = await asyncio.to_thread(write, *args)
        if inspect.isawaitable(written):
            written = await written
        if written is None:
            raise NoText("it returned nothing; let it return a text")
        return written

    def _failed(self, what: str, recipient: Recipient) -> Exception:
        """Return the error of a class that could not write; the flow says how far it reaches."""
        if not recipient.failure_ends_run:
            return Undelivered(what)
        ending = RunFailed(what, agent=self.sender)
        ending.ends_run = True
        return ending

    def _description(self) -> str:
        lines = (
            f"- {recipient.key}: {recipient.description}"
            if recipient.description
            else f"- {recipient.key}"
            for recipient in self.recipients
        )
        written = self.contract.message_class
        own_text = written.__doc__ if written is not SendMessage else None
        about = inspect.cleandoc(own_text) if own_text else DESCRIPTION
        return "\n".join((f"{about}\n\nColleagues:", *lines))


def _shown(arguments: str) -> str:
    """Return the message for the tree; the arguments as they are where they hold none."""
    try:
        message = json.loads(arguments)["message"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return arguments
    return message if isinstance(message, str) else arguments
