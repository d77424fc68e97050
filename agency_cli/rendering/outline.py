"""The call tree as a person reads it: what is drawn as one line, and what is left out.

A message and the agent that it reached are one branch, as are a handoff and the agent that took
over. Model calls are the turns of their agent; only failed ones are branches of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from agency_cli.calltree import CallTree, Node, Totals
from agency_cli.events import Status
from agency_cli.reminder import without_reminder
from agency_cli.rendering.approvals import decision
from agency_cli.rendering.printable import arguments_line, one_line

BranchKind = Literal["agent", "handover", "tool", "model", "message"]

_TAIL = 1200
_SILENT: frozenset[Status] = frozenset({"cancelled", "paused"})
"""How a branch ends where its run says why."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of the drawn tree, and those below it.

    Attributes:
        id: That of the node; of the agent's, where a message or handoff reached one.
        kind: `message` is a delegation that reached nobody, or nobody yet.
        name: The agent, tool or model.
        about: The message or the arguments, as one line.
        status: How it stands.
        seconds: How long it took, or takes so far.
        totals: What it and all below it used.
        model: The model that an agent used last.
        error: Why it failed, unless a branch below says so.
        text: The end of what a running model call has written.
        given: The message or arguments in full.
        output: What it gave back, in full.
        approval: What a person, or an option, decided of it, if that was asked.
        children: The branches below it.
    """

    id: str
    kind: BranchKind
    name: str
    about: str
    status: Status
    seconds: float
    totals: Totals
    model: str | None = None
    error: str | None = None
    text: str = ""
    given: str = ""
    output: str = ""
    approval: str = ""
    children: tuple[Branch, ...] = ()

    @property
    def running(self) -> bool:
        return self.status == "running"

    def walk(self) -> Iterator[Branch]:
        """Yield this branch and all below it, from top to bottom."""
        yield self
        for child in self.children:
            yield from child.walk()


def outline_of(tree: CallTree, at: datetime, *, verbose: bool = False) -> Branch | None:
    """Return the tree's branches as they stand; None before the first node.

    Args:
        tree: The call tree; nothing of it is kept.
        at: The time now, which running nodes are measured against; the end of an ended run.
        verbose: Show every model call.
    """
    if tree.root is None:
        return None
    return _Outliner(tree.ended.at if tree.ended else at, verbose).agent(tree.root)


def recipient_of(node: Node) -> Node | None:
    """Return the agent that a message or handoff reached."""
    return next((child for child in node.children if child.kind == "agent"), None)


@dataclass(frozen=True, slots=True)
class _Outliner:
    at: datetime
    verbose: bool

    def agent(self, node: Node) -> Branch:
        return self._agent(node, node, node.totals, "agent")

    def _agent(self, node: Node, given_by: Node, totals: Totals, kind: BranchKind) -> Branch:
        """Return the branch of an agent, with what `given_by`, its message, adds to it."""
        children = tuple(self._below(node)) if kind == "agent" else tuple(self._own(node))
        handoff = _handoff_of(node) if kind == "handover" else None
        # An agent that handed over is done with its part, whatever became of the rest.
        status = "ok" if handoff else given_by.status
        calls = [child for child in node.children if child.kind == "model"]
        return Branch(
            id=node.id,
            kind=kind,
            name=node.name,
            about=one_line(without_reminder(given_by.detail)),
            status=status,
            seconds=self._seconds(node, until=handoff),
            totals=totals,
            model=calls[-1].name if calls else None,
            error=_own_error(_error_of(node, given_by), children) if status != "ok" else None,
            text=calls[-1].last_text(_TAIL) if calls and calls[-1].status == "running" else "",
            given=given_by.detail,
            output=node.output,
            approval=decision(given_by.decided) if given_by.decided else "",
            children=children,
        )

    def _below(self, node: Node) -> Iterator[Branch]:
        """Yield the branches below an agent; one that takes over stands beside what was before."""
        yield from self._own(node)
        handoff = _handoff_of(node)
        while handoff is not None:
            successor = recipient_of(handoff)
            if successor is None:
                yield self._leaf(handoff, "handover", "")
                return
            own = (child for child in successor.children if child.kind != "handoff")
            totals = sum((child.totals for child in own), Totals())
            yield self._agent(successor, handoff, totals, "handover")
            handoff = _handoff_of(successor)

    def _own(self, node: Node) -> Iterator[Branch]:
        """Yield what an agent did itself, up to where it handed over."""
        for child in node.children:
            match child.kind:
                case "model":
                    if self.verbose or child.status == "error":
                        yield self._leaf(child, "model", "model call")
                case "tool":
                    yield self._leaf(child, "tool", arguments_line(child.detail))
                case "message":
                    yield self._message(child)
                case "agent":
                    yield self.agent(child)
                case "handoff":
                    yield from self._refused(child)

    def _refused(self, handoff: Node) -> Iterator[Branch]:
        """Yield a handoff that was not allowed; any other stands beside its agent."""
        if _is_refused(handoff):
            yield self._leaf(handoff, "handover", "")

    def _message(self, node: Node) -> Branch:
        recipient = recipient_of(node)
        if recipient is None:
            return self._leaf(node, "message", one_line(node.detail))
        return self._agent(recipient, node, node.totals, "agent")

    def _leaf(self, node: Node, kind: BranchKind, about: str) -> Branch:
        waits = node.waits and node.status in {"running", "paused"}
        return Branch(
            id=node.id,
            kind=kind,
            name=node.name,
            about=f"waits for approval: {about}" if waits else about,
            status="paused" if waits else node.status,
            seconds=self._seconds(node),
            totals=node.totals,
            error=node.error if node.status not in _SILENT else None,
            given=node.detail,
            output=node.output,
            approval=decision(node.decided) if node.decided else "",
        )

    def _seconds(self, node: Node, *, until: Node | None = None) -> float:
        if until is not None:
            return (until.started_at - node.started_at).total_seconds()
        if node.seconds is not None:
            return node.seconds
        return max((self.at - node.started_at).total_seconds(), 0.0)


def _handoff_of(node: Node) -> Node | None:
    handoffs = (child for child in node.children if child.kind == "handoff")
    return next((each for each in handoffs if not _is_refused(each)), None)


def _is_refused(handoff: Node) -> bool:
    """Tell whether a person, or the manifest, did not let the conversation go."""
    return handoff.status == "error" and not handoff.children


def _error_of(node: Node, given_by: Node) -> str | None:
    """Return the reason of an agent's failure; a message may fail where the agent did not."""
    for place in (node, given_by):
        if place.error and place.status not in _SILENT:
            return place.error
    return None


def _own_error(error: str | None, children: tuple[Branch, ...]) -> str | None:
    """Return the error unless it only passes on what a branch below has said."""
    if error is None:
        return None
    below = (branch.error for child in children for branch in child.walk())
    return None if any(said and said in error for said in below) else error
