"""One run: what its parts share."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agency_cli.errors import Interrupted, Paused, RunFailed
from agency_cli.events import Event, Notice
from agency_cli.limits import Ledger
from agency_cli.run_context.approvals import Approvals
from agency_cli.run_context.clocks import Clock
from agency_cli.run_context.frames import current_frame
from agency_cli.run_context.memory import Memory, RunMemory
from agency_cli.run_context.parking import Parking
from agency_cli.run_context.past import Past
from agency_cli.run_context.queues import PairQueues

if TYPE_CHECKING:
    from agency_cli.run_context.guards import AgentGuards
    from agency_cli.run_context.nodes import OpenNode

Watch = Callable[[Event], None]
Keep = Callable[[str, Mapping[str, Any]], None]
"""Has a record written down with the end of a node, given by its id."""


def keep_nothing(_node_id: str, _record: Mapping[str, Any]) -> None:
    """Let what a run would need to be resumed go with its process."""


@dataclass(eq=False, slots=True)
class RunContext:
    """One run; the SDK hands it to every tool as the run context's `context`.

    Attributes:
        run_id: Id of the run.
        params: Values of the manifest's params, for tools to read.
        extras: What the command line gives with `--context`, for tools to read.
        watch: Gets every event as it happens; must return at once.
        ledger: What the run has spent, against its limits.
        memory: Conversations that agents remember, by name.
        queues: Who waits for whom.
        keep: Has what resuming needs written down with a node's end.
        past: What a run that is resumed has done already.
        active_agent: Key of the agent that has the user's conversation.
        remember: Is told at once when another agent has it.
        open_nodes: Nodes of the call tree that have not ended, by id, the outer ones first.
        flow_calls: How often each flow was used, by its place in the manifest.
        resting: Models whose provider failed for good, and when that was, in monotonic seconds.
        approvals: Who agrees to calls, and to which.
        stop: Set where the run is to end as soon as what is under way has.
        clock: The time that the run may take; set while it is at work.
        parking: Branches that may not go on.
        guards: The guardrails of agents, by their keys.
        locks: Of what is done by one branch at a time, by its name.
    """

    run_id: str
    params: Mapping[str, object]
    watch: Watch
    ledger: Ledger
    memory: Memory = field(default_factory=RunMemory)
    queues: PairQueues = field(default_factory=PairQueues)
    keep: Keep = keep_nothing
    past: Past = field(default_factory=Past)
    active_agent: str = ""
    remember: Callable[[str], None] = lambda _agent: None
    flow_calls: dict[str, int] = field(default_factory=dict)
    resting: dict[str, float] = field(default_factory=dict)
    open_nodes: dict[str, OpenNode] = field(default_factory=dict)
    approvals: Approvals = field(default_factory=Approvals)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    clock: Clock | None = None
    parking: Parking = field(init=False)
    extras: Mapping[str, str] = field(default_factory=dict)
    guards: Mapping[str, AgentGuards] = field(default_factory=dict)
    locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    _ids: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.parking = Parking(self.open_nodes, self._standstill)
        self.approvals.note_past(self.past.decisions)
        self.flow_calls.update(self.past.flow_calls)
        # A model call that failed, or was cut off by a kill, keeps its node; the next has its own.
        self._ids = set(self.past.call_ids)

    @property
    def message_params(self) -> Mapping[str, object]:
        """Extra params of the message that the agent whose tool asks was asked with."""
        return current_frame.get().params

    def unique_id(self, wanted: str) -> str:
        """Return `wanted`, numbered if this run has it already; providers repeat their ids."""
        candidate, number = wanted, 1
        while candidate in self._ids:
            number += 1
            candidate = f"{wanted}~{number}"
        self._ids.add(candidate)
        return candidate

    def _standstill(self) -> RunFailed:
        """Return why the run ends where no branch of it can go on."""
        if self.stop.is_set():
            return Interrupted("interrupted")
        return Paused(self.approvals.what_waits())

    def notify(self, text: str) -> None:
        """Tell the person watching something."""
        self.watch(Notice(text=text, at=now()))


def now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)
