"""The class behind a `message` flow, for those who say more in Python than YAML can."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from agency_cli.manifest import DEFAULT_TOOL_NAME


class SendMessage:
    """Ask a colleague to do something and wait for the answer.

    A subclass is named by a flow (`send_message: messages.py:ReviewRequest`). Its docstring is
    what the sender's model reads about the tool.

        class ReviewRequest(SendMessage):
            \"\"\"Ask a colleague to review a piece of work.\"\"\"

            tool_name = "send_review_request"

            class ExtraParams(BaseModel):
                severity: Literal["minor", "major"] = Field(description="How strict to be")

    Attributes:
        tool_name: What the sender's model calls the tool; a flow's `tool_name` comes before it.
    """

    tool_name: ClassVar[str] = DEFAULT_TOOL_NAME

    class ExtraParams(BaseModel):
        """Parameters besides recipient and message; a flow's `extra_params` are added."""

        model_config = ConfigDict(extra="forbid")

    def compose(
        self,
        message: str,
        params: BaseModel,
        sender: str,  # noqa: ARG002 - for those who override it
        recipient: str,  # noqa: ARG002 - for those who override it
    ) -> str | Awaitable[str]:
        """Return the text that the recipient reads; may be async.

        Args:
            message: What the sender's model wrote.
            params: The extra params, checked: those of the class and of the flow.
            sender: Key of the agent that asks.
            recipient: Key of the agent that is asked.
        """
        values = params.model_dump(mode="json")
        lines = [f"{name}: {_shown(value)}" for name, value in values.items()]
        return "\n".join([*lines, "", message]) if lines else message

    def reply(
        self,
        output: str,
        params: BaseModel,  # noqa: ARG002 - for those who override it
        sender: str,  # noqa: ARG002 - for those who override it
        recipient: str,  # noqa: ARG002 - for those who override it
    ) -> str | Awaitable[str]:
        """Return the text that the sender reads; may be async. `output` is the final output."""
        return output


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
