"""Places on the call path, and the one where the current code runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agency_cli.run_context.clocks import Clock
    from agency_cli.run_context.context import RunContext
    from agency_cli.run_context.nodes import AgentWork


@dataclass(slots=True)
class Attempts:
    """What one model call has come to so far, where an agent has several models.

    Attributes:
        order: Positions of the agent's models, in the order in which they are tried.
        at: The position in `order` of the model that is tried now.
        retries: How often that model was tried again.
        failures: Why those before it failed for good, each with its model's name.
    """

    order: Sequence[int]
    at: int = 0
    retries: int = 0
    failures: list[str] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Frame:
    """One agent at work on one input: a place on the call path.

    Attributes:
        run: The run it belongs to.
        path: The call path: empty for the entry agent, `<path>/<tool call>` in a delegation.
        agent: Key of the agent that was given the input.
        sender: The frame that asked, None for the entry agent.
        params: Extra params of the message that the agent was asked with.
        last_speaker: Key of the agent whose model answered last.
        cut_short: Why the provider ended the answer that is being read, where it is not whole.
        turns: Model calls made for this input, by agent.
        attempts: Model calls that are not answered yet, by agent.
        repeats: For each tool call (agent, tool, arguments): its last result, and how many times
            in a row it gave just that.
        node_id: The node of the agent that works now, under which its calls stand.
        work: The nodes of the agents that worked on the input; set as the first one begins.
        corrections: What an agent's model is told of final outputs that did not do, by agent, until
            one does: each output, and what is wrong with it.
        refusals: How often a guardrail had a value given again, by agent and guardrail.
        greeted: Agents whose guardrails have looked at what they were asked.
        refused_handoff: Why the handoff that was just tried may not be, for the model.
        clock: The time that the answer may take, where its flow limits that.
    """

    run: RunContext
    path: str
    agent: str
    sender: Frame | None = None
    params: Mapping[str, object] = field(default_factory=dict)
    last_speaker: str = ""
    cut_short: str = ""
    turns: dict[str, int] = field(default_factory=dict)
    attempts: dict[str, Attempts] = field(default_factory=dict)
    repeats: dict[tuple[str, str, str], tuple[str, int]] = field(default_factory=dict)
    node_id: str = ""
    work: AgentWork | None = None
    refusals: dict[tuple[str, str], int] = field(default_factory=dict)
    greeted: set[str] = field(default_factory=set)
    corrections: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    refused_handoff: str = ""
    clock: Clock | None = None

    @property
    def depth(self) -> int:
        """How many delegations lie above: 0 for the entry agent."""
        return 0 if self.sender is None else self.sender.depth + 1

    def require_progress(self, agent: str, tool: str, arguments: str) -> None:
        """Stop an agent that makes one call again and again and learns nothing from it.

        Raises:
            LimitReached: The call was made `max_repeats` times in a row with one result.
        """
        _, times = self.repeats.get((agent, tool, _canonical(arguments)), ("", 0))
        if times >= self.run.ledger.limits.max_repeats:
            raise self.run.ledger.repeated(agent, tool)

    def note_result(self, agent: str, tool: str, arguments: str, result: str) -> None:
        """Remember what a tool call gave."""
        key = (agent, tool, _canonical(arguments))
        last, times = self.repeats.get(key, ("", 0))
        same = times > 0 and last == result
        self.repeats[key] = (result, times + 1 if same else 1)

    def lineage(self) -> Iterator[Frame]:
        """Yield this frame, the one that asked it, and so on to the entry agent."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.sender


def _canonical(arguments: str) -> str:
    """Return arguments without what a model can vary and say the same: order and spaces."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


current_frame: ContextVar[Frame] = ContextVar("current_frame")
