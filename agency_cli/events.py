"""What a run tells its watchers: one stream of small frozen values.

Every watcher (the live tree, the plain lines, `--jsonl`, the journal, the summary) sees these
values and nothing else. A node starts once and ends once; its parent has always started before
it. Only where a run is resumed, what had been under way starts again, and ends again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

NodeKind = Literal["agent", "model", "tool", "message", "handoff"]
Status = Literal["ok", "error", "limit", "cancelled", "paused", "running"]
EndStatus = Literal["ok", "error", "limit", "cancelled", "paused"]
RunStatus = Literal[Status, "killed"]
RunEndStatus = Literal[EndStatus, "killed"]
"""A run is killed where its process ended before it did."""
DecidedBy = Literal["person", "option", "earlier"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls.

    Cached and cache-write tokens are part of the input tokens, reasoning tokens are part of the
    output tokens. `requests` counts calls that reached for a provider, failed ones too.
    """

    requests: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run ended without a final output; `kind` is the error's kind in `errors`."""

    kind: str
    message: str
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """First event. `agent` is the agent that gets the message; `at` is in UTC.

    A run that is `resumed` starts again with this event, after all that it had told before.
    """

    run_id: str
    thread_id: str | None
    agency: str
    agent: str
    message: str
    at: datetime
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStarted:
    """A place in the call tree begins.

    Kinds and their fields:
        agent: an agent works on one input. `name` is its key, `detail` the input it reads.
        model: one model call of `agent`. `name` and `model` are the model's label.
        tool: one call of a tool by `agent`. `name` is the tool, `detail` the arguments (JSON).
        message: one delegation by `agent` (the sender). `name` is the tool, `detail` the
            message; the recipient's agent node is its only child, absent when refused.
        handoff: `agent` gives the conversation to the agent `name`.
    """

    id: str
    parent_id: str | None
    kind: NodeKind
    name: str
    agent: str
    at: datetime
    model: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the text that the model call `node_id` is writing."""

    node_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeEnded:
    """A place in the call tree ends.

    `usage` and `cost_usd` are set for model nodes alone; a cost of None beside counted tokens
    means that the price is unknown. `output` is what the node gave back: the answer of an agent
    or delegation, a tool's result, the text of a model's response.
    """

    id: str
    status: EndStatus
    at: datetime
    seconds: float
    error: str | None = None
    usage: Usage | None = None
    cost_usd: Decimal | None = None
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAsked:
    """A call, whose node is open, waits for a person to agree to it, or to answer its question.

    `call` is the short name by which the command line answers, `subject` the tool, message tool
    or handoff, `arguments` what it was called with, as JSON; of a question, its `question` and the
    `choices` to answer it, if there are any.
    """

    node_id: str
    call: str
    agent: str
    subject: str
    arguments: str
    at: datetime
    is_question: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecided:
    """What was decided of a call that had to be agreed to, or the `answer` to its question.

    `by` tells by whom: a person at the terminal, an option of the command line, or an earlier
    answer for all such calls of the run, which `always` is the beginning of.
    """

    node_id: str
    call: str
    approved: bool
    by: DecidedBy
    at: datetime
    reason: str = ""
    always: bool = False
    answer: str = ""


STOPPING = "stopping when what is under way has ended; Ctrl-C again stops at once"
"""The notice of a run that was asked to end in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something a person should know while the run goes on: a retry, the embedded model."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """Last event. `seconds` is the time that the run was at work, before it was resumed too.

    `is_json` tells that the final output had to satisfy a schema, and is the JSON of an object.
    """

    status: RunEndStatus
    at: datetime
    seconds: float
    final_output: str | None = None
    final_agent: str | None = None
    is_json: bool = False
    error: RunError | None = None


Event = (
    RunStarted
    | NodeStarted
    | TextDelta
    | NodeEnded
    | ApprovalAsked
    | ApprovalDecided
    | Notice
    | RunEnded
)
