"""Flows as the manifest writes them, and as single directed permissions."""

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from pydantic import Field

from agency_cli.manifest.approvals import Approval
from agency_cli.manifest.base import AgentKey, Extensible, Text, ToolName

FlowKind = Literal["message", "handoff"]

DEFAULT_TOOL_NAME = "send_message"
"""What a sender's model calls the tool of its message flows unless a flow or class says else."""
MESSAGE_PARAMETERS = ("recipient_agent", "message", "additional_instructions")
"""Parameters of every message; extra params may not hide them."""


def handoff_name(recipient: str) -> str:
    """Return the name of the tool that hands over to `recipient`."""
    return f"transfer_to_{recipient}"


class FlowSpec(Extensible):
    """Permission for one agent to reach others, with what it demands and limits."""

    sender: AgentKey = Field(alias="from")
    """The agent that may ask, or hand over."""
    to: AgentKey | list[AgentKey]
    """The agents that it may reach."""
    kind: FlowKind = "message"
    """`message`: ask and get an answer. `handoff`: give the conversation away."""
    send_message: Text | None = None
    """A subclass of SendMessage: `file.py:Class` or `package.module:Class`."""
    tool_name: ToolName | None = None
    """What the sender's model calls the tool; `send_message` unless said otherwise."""
    extra_params: dict[str, dict[str, Any]] | None = None
    """Further parameters of a message, each a JSON Schema property."""
    timeout_seconds: float | None = Field(default=None, gt=0)
    """How long a recipient may take to answer."""
    max_calls: int | None = Field(default=None, ge=1)
    """How many times in one run the sender may use this flow."""
    on_error: Literal["report", "fail"] | None = None
    """What fails in the flow (its recipient, its time, its class) is reported, or ends the run."""
    memory: Literal["thread", "none"] | None = None
    """`none`: the recipient remembers nothing of earlier messages."""
    approval: Approval | None = None
    """Whether a person must agree to a message or handoff: an answer for all, or rules."""
    reminder: Text | Literal[False] | None = None
    """What a handoff tells the new agent; false: nothing."""

    @property
    def params_text(self) -> str:
        """The extra params in one form: flows can share a tool only where these are the same."""
        return json.dumps(self.extra_params or {}, sort_keys=True, default=str)


class Flow(NamedTuple):
    """One directed permission: `sender` may reach `recipient`.

    `path` is where the manifest says so; `spec` is None for the short form.
    """

    sender: str
    recipient: str
    kind: FlowKind
    path: tuple[str | int, ...]
    spec: FlowSpec | None = None


def single_flows(flows: Iterable[str | FlowSpec]) -> Iterator[Flow]:
    """Yield each permission once, in the order written: chains and lists taken apart."""
    for index, flow in enumerate(flows):
        if isinstance(flow, str):
            for senders, recipients in pairwise(_stages(flow)):
                for sender in senders:
                    for recipient in recipients:
                        yield Flow(sender, recipient, "message", ("flows", index))
        else:
            for position, recipient in enumerate(_recipients(flow)):
                place = ("flows", index, "to")
                path = place if isinstance(flow.to, str) else (*place, position)
                yield Flow(flow.sender, recipient, flow.kind, path, flow)


def _stages(text: str) -> list[list[str]]:
    return [[name.strip() for name in stage.split(",")] for stage in text.split(">")]


def _recipients(flow: FlowSpec) -> list[str]:
    return [flow.to] if isinstance(flow.to, str) else flow.to
