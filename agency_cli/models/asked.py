"""What the SDK asks a model, and how it is asked of a model that another provider serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents import ModelSettings
from agents.models.fake_id import FAKE_RESPONSES_ID
from openai.types.responses import (
    Response,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseReasoningItem,
)

from agency_cli.events import Usage
from agency_cli.final_output import OutputContract
from agency_cli.limits import LONGEST_ANSWER


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of one call of the SDK's `Model`, as it gives them.

    Attributes:
        positional: Instructions, conversation, settings, tools, output schema, handoffs, tracing.
        named: The rest.
    """

    positional: tuple[Any, ...]
    named: Mapping[str, Any]

    @property
    def conversation(self) -> str | Sequence[Any]:
        given: str | Sequence[Any] = self.positional[1]
        return given

    @property
    def offered(self) -> set[str]:
        """Names of all tools that the model may call."""
        tools, handoffs = self.positional[3], self.positional[5]
        return {tool.name for tool in tools} | {handoff.tool_name for handoff in handoffs}

    @property
    def contract(self) -> OutputContract | None:
        """What a final output must be; None where any text will do."""
        schema = self.positional[4]
        return schema if isinstance(schema, OutputContract) else None

    @property
    def last_message(self) -> str:
        """The text that was asked last."""
        given = self.conversation
        if isinstance(given, str):
            return given
        for item in reversed(given):
            if isinstance(item, Mapping) and item.get("role") == "user":
                content = item.get("content", "")
                if isinstance(content, str):
                    return content
                return "\n".join(str(part.get("text", "")) for part in content)
        return ""

    def followed_by(self, items: Sequence[Any]) -> Asked:
        """Return the same question with more at the end of its conversation."""
        if not items:
            return self
        instructions, given, *rest = self.positional
        before = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
        return replace(self, positional=(instructions, [*before, *items], *rest))

    def likely_usage(self) -> Usage:
        """Guess the call's size: four characters of input are about one token."""
        instructions, given, settings = self.positional[:3]
        text = (instructions or "") + (given if isinstance(given, str) else str(given))
        return Usage(
            requests=1,
            input_tokens=len(text) // 4,
            output_tokens=settings.max_tokens or LONGEST_ANSWER,
        )

    def with_settings(self, settings: ModelSettings) -> Asked:
        """Return the same question with other settings."""
        instructions, given, _, *rest = self.positional
        return replace(self, positional=(instructions, given, settings, *rest))

    def without_server_state(self) -> Asked:
        """Return the same question, fit for a server that did not give the earlier answers."""
        instructions, given, *rest = self.positional
        if not isinstance(given, str):
            given = [_plain(item) for item in given if item.get("type") != "reasoning"]
        return replace(self, positional=(instructions, given, *rest))


def drop_server_state(response: Response) -> None:
    """Take out of a response what only the server that gave it understands.

    Ids of items, and thoughts, which may be encrypted: another server refuses them.
    """
    response.output = [
        item for item in response.output if not isinstance(item, ResponseReasoningItem)
    ]
    for item in response.output:
        if isinstance(item, ResponseOutputMessage):
            item.id = FAKE_RESPONSES_ID
        elif isinstance(item, ResponseFunctionToolCall):
            item.id = None


def _plain(item: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = item.get("type")
    if kind not in {"message", "function_call"} or item.get("role", "assistant") != "assistant":
        return item
    kept = {name: value for name, value in item.items() if name not in {"id", "provider_data"}}
    # The SDK knows a message by its id, and sends no id that stands for none.
    return {**kept, "id": FAKE_RESPONSES_ID} if kind == "message" else kept
