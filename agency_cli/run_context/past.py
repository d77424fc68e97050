"""What a run that is resumed has done already, and need not do again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from agency_cli.calltree import CallTree
from agency_cli.events import ApprovalDecided, NodeEnded
from agency_cli.run_context.approvals import Subject
from agency_cli.store import Recorded
from agency_cli.store.killed import seconds_at_work

PROVIDER_FAILED = "provider_failed"
"""Kept with a message that a provider's failure left without an answer: the sender's path."""

CallKey = tuple[str, str, int]
"""A model call that was answered: where on the call path, by which agent, the how manieth."""


@dataclass(frozen=True, slots=True)
class PastResult:
    """What a tool or a message gave back.

    Attributes:
        text: What the model was told.
        kept: What was kept beside the text, such as an image.
    """

    text: str
    kept: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Past:
    """Empty for a run that begins.

    Attributes:
        resumed: The run goes on where its journal ends.
        responses: What models answered.
        results: What tools and messages gave back, by the ids of their nodes.
        begun: Ids of the nodes of tools and messages that were under way and have no result.
        decisions: What was decided of calls that had to be agreed to, and of whose.
        tools: Names of the tools that were called.
        call_ids: Ids of all nodes of model calls; one that failed stays, and its id with it.
        flow_calls: How often each flow was used by messages that have their result.
        turns: How many model calls were answered.
        tokens: What all of them used, failed ones too.
        cost_usd: What is known of their cost.
        seconds: How long the run was at work.
    """

    resumed: bool = False
    responses: Mapping[CallKey, Mapping[str, Any]] = field(default_factory=dict)
    results: Mapping[str, PastResult] = field(default_factory=dict)
    begun: frozenset[str] = frozenset()
    decisions: Sequence[tuple[ApprovalDecided, Subject]] = ()
    tools: frozenset[str] = frozenset()
    call_ids: frozenset[str] = frozenset()
    flow_calls: Mapping[str, int] = field(default_factory=dict)
    turns: int = 0
    tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    seconds: float = 0.0

    @classmethod
    def of(cls, rows: Sequence[Recorded], decisions: Sequence[ApprovalDecided] = ()) -> Past:
        """Read a journal, and take in what was decided since its end."""
        events = [row.event for row in rows]
        tree = CallTree.of(events)
        waiting = {question.node_id for question in tree.waiting()}
        for decided in decisions:
            tree.add(decided)
        calls = frozenset(node.id for node in tree.nodes.values() if node.kind == "model")
        handed = {node.id for node in tree.nodes.values() if node.kind in {"tool", "message"}}
        responses, results = {}, {}
        # Messages without an answer of which no model call has told their senders yet.
        unheard: dict[str, str] = {}
        for row in rows:
            kept = row.kept or {}
            match row.event:
                case NodeEnded(id=node_id) if node_id in calls and "response" in kept:
                    key = (kept["path"], kept["agent"], kept["ordinal"])
                    responses[key] = kept["response"]
                    unheard = {id_: at for id_, at in unheard.items() if at != kept["path"]}
                case NodeEnded(id=node_id) as ended if node_id in handed and _was_told(ended):
                    results[node_id] = PastResult(ended.output, kept)
                    if PROVIDER_FAILED in kept:
                        unheard[node_id] = kept[PROVIDER_FAILED]
                case _:
                    pass
        # Nobody has acted on these failures yet, so the recipients are asked again.
        for node_id in unheard:
            del results[node_id]
        return cls(
            resumed=True,
            responses=responses,
            results=results,
            begun=frozenset(handed - results.keys() - waiting),
            decisions=[
                (node.decided, (node.agent, node.name))
                for node in tree.nodes.values()
                if node.decided is not None
            ],
            tools=frozenset(node.name for node in tree.nodes.values() if node.kind == "tool"),
            call_ids=calls,
            flow_calls=_flow_calls(results),
            turns=len(responses),
            tokens=tree.totals.usage.total_tokens,
            cost_usd=tree.totals.cost_usd,
            seconds=seconds_at_work(events),
        )

    def is_done(self, path: str) -> bool:
        """Tell whether a place on the call path lies in a delegation that has its result."""
        return any(path == done or path.startswith(f"{done}/") for done in self.results)


def _was_told(ended: NodeEnded) -> bool:
    """Tell whether the model was told a result; a failure that it was told of is one too."""
    return ended.status == "ok" or (ended.status == "error" and ended.output != "")


def _flow_calls(results: Mapping[str, PastResult]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for result in results.values():
        flow = result.kept.get("flow")
        if flow is not None:
            counts[flow] = counts.get(flow, 0) + 1
    return counts
