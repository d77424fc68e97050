"""The tool with which a sender asks the recipients of its message flows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from agency_cli.messaging.delivery import Recipient, Undelivered, deliver
from agency_cli.run_context import RunContext, current_frame, open_node

TOOL_NAME = "send_message"
DESCRIPTION = """\
Ask a colleague to do something and wait for the answer. Several calls in one response, to \
different colleagues, are worked on at the same time.

Colleagues:"""


@dataclass(frozen=True, slots=True)
class Message:
    """What a sender's model asked for, checked."""

    recipient: Recipient
    message: str
    additional_instructions: str

    def as_input(self) -> str:
        """The text that the recipient reads."""
        if not self.additional_instructions:
            return self.message
        return f"{self.message}\n\nAdditional instructions: {self.additional_instructions}"


def send_message_tool(sender: str, recipients: Sequence[Recipient]) -> FunctionTool:
    """Make one tool with which `sender` reaches `recipients`, and nobody else."""
    by_name = {recipient.key.casefold(): recipient for recipient in recipients}

    async def invoke(context: ToolContext[RunContext], arguments: str) -> str:
        frame = current_frame.get()
        with open_node(
            frame.run,
            f"{frame.path}/{context.tool_call_id}/message",
            frame.node_id,
            "message",
            TOOL_NAME,
            agent=sender,
            detail=_shown(arguments),
        ) as node:
            try:
                message = _read(arguments, by_name)
                node.output = await deliver(
                    context, node, sender, message.recipient, message.as_input()
                )
            except Undelivered as problem:
                node.fail(str(problem))
                node.output = f"Not answered: {problem}"
            return node.output

    return FunctionTool(
        name=TOOL_NAME,
        description=_description(recipients),
        params_json_schema=_schema([recipient.key for recipient in recipients]),
        on_invoke_tool=invoke,
    )


def _description(recipients: Sequence[Recipient]) -> str:
    lines = (
        f"- {recipient.key}: {recipient.description}"
        if recipient.description
        else f"- {recipient.key}"
        for recipient in recipients
    )
    return "\n".join((DESCRIPTION, *lines))


def _schema(keys: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "recipient_agent": {
                "type": "string",
                "enum": keys,
                "description": "Who is asked.",
            },
            "message": {
                "type": "string",
                "description": "What is asked for, with everything that is needed to do it.",
            },
            "additional_instructions": {
                "type": ["string", "null"],
                "description": "How to do it, where that is not said already; else null.",
            },
        },
        "required": ["recipient_agent", "message", "additional_instructions"],
        "additionalProperties": False,
    }


def _read(arguments: str, recipients: Mapping[str, Recipient]) -> Message:
    """Check what the model wrote.

    Raises:
        Undelivered: With what is wrong and what would be right.
    """
    values = _object(arguments)
    known = ("recipient_agent", "message", "additional_instructions")
    unknown = [key for key in values if key not in known]
    if unknown:
        raise Undelivered(
            f"there is no parameter {', '.join(map(repr, unknown))}; use {', '.join(known)}"
        )
    name = _text(values, "recipient_agent")
    recipient = recipients.get(name.strip().casefold())
    if recipient is None:
        choices = ", ".join(recipient.key for recipient in recipients.values())
        raise Undelivered(f"you cannot reach {name!r}; you can reach: {choices}")
    if values.get("additional_instructions") is None:
        values["additional_instructions"] = ""
    return Message(
        recipient=recipient,
        message=_text(values, "message"),
        additional_instructions=_text(values, "additional_instructions", empty=True),
    )


def _object(arguments: str) -> dict[str, Any]:
    try:
        values = json.loads(arguments or "{}")
    except json.JSONDecodeError as error:
        raise Undelivered(f"the arguments are not JSON ({error}); send them again") from None
    if not isinstance(values, dict):
        raise Undelivered("the arguments are not a JSON object; send them again")
    return values


def _text(values: Mapping[str, Any], key: str, *, empty: bool = False) -> str:
    value = values.get(key)
    if isinstance(value, str) and (empty or value.strip()):
        return value
    raise Undelivered(f"{key} is missing; it must be a text" if not empty else f"{key} is no text")


def _shown(arguments: str) -> str:
    """The message for the tree; the arguments as they are where they hold none."""
    try:
        message = json.loads(arguments)["message"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return arguments
    return message if isinstance(message, str) else arguments
