"""Nodes of the call tree while they are open."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal

from agency_cli.errors import Interrupted, LimitReached, Paused
from agency_cli.events import EndStatus, NodeEnded, NodeKind, NodeStarted, TextDelta, Usage
from agency_cli.failures import own_failure
from agency_cli.run_context.approvals import Subject
from agency_cli.run_context.context import RunContext, now
from agency_cli.run_context.frames import Frame


@dataclass(slots=True)
class OpenNode:
    """A node of the call tree that has not ended; fill in what it gives back."""

    id: str
    run: RunContext
    parent_id: str | None = None
    output: str = ""
    usage: Usage | None = None
    cost_usd: Decimal | None = None
    status: EndStatus = "ok"
    error: str | None = None
    began: float = field(default_factory=time.monotonic)

    def add_text(self, text: str) -> None:
        """Report a piece of streamed text."""
        self.run.watch(TextDelta(node_id=self.id, text=text))

    def fail(self, reason: str, status: EndStatus = "error") -> None:
        """Mark the node as failed without an exception that says so."""
        self.status, self.error = status, reason

    def end(self) -> None:
        """Report the node's end; once, however often it is asked for."""
        if self.run.open_nodes.pop(self.id, None) is None:
            return
        self.run.parking.look()
        self.run.watch(
            NodeEnded(
                id=self.id,
                status=self.status,
                at=now(),
                seconds=time.monotonic() - self.began,
                error=self.error,
                usage=self.usage,
                cost_usd=self.cost_usd,
                output=self.output,
            )
        )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that is being made.

    Attributes:
        node: Its node, open.
        subject: Who calls what.
        arguments: What it is called with, as JSON.
    """

    node: OpenNode
    subject: Subject
    arguments: str


current_call: ContextVar[ToolCall] = ContextVar("current_call")


def end_all_nodes(run: RunContext) -> None:
    """End what is still open when a run ends, such as a tool that hangs in its thread."""
    for node in reversed(list(run.open_nodes.values())):
        node.fail("cancelled", "cancelled")
        node.end()


@contextmanager
def open_node(
    run: RunContext,
    node_id: str,
    parent_id: str | None,
    kind: NodeKind,
    name: str,
    *,
    agent: str,
    model: str | None = None,
    detail: str = "",
) -> Iterator[OpenNode]:
    """Report a node's start, and its end however it ends; exceptions pass through."""
    node = OpenNode(node_id, run, parent_id)
    # Before it is told, so that it is ended where telling fails.
    run.open_nodes[node.id] = node
    run.watch(
        NodeStarted(
            id=node.id,
            parent_id=parent_id,
            kind=kind,
            name=name,
            agent=agent,
            at=now(),
            model=model,
            detail=detail,
        )
    )
    try:
        yield node
    except BaseException as error:
        node.fail(*_failure_of(error))
        raise
    finally:
        node.end()


@contextmanager
def agent_at_work(frame: Frame, parent_id: str | None, given: str) -> Iterator[AgentWork]:
    """Report that the frame's agent works on what it was `given`, and agents that take over."""
    with ExitStack() as stack:
        work = AgentWork(frame, stack)
        work.open_agent(frame.agent, parent_id, given)
        frame.work = work
        yield work


@dataclass(slots=True)
class AgentWork:
    """The agents of one frame: the one that was asked, and those that it handed over to."""

    frame: Frame
    _stack: ExitStack
    _nodes: list[OpenNode] = field(default_factory=list)

    def open_agent(self, agent: str, parent_id: str | None, given: str = "") -> None:
        """Begin the node of `agent`; the frame's calls stand under it from now on."""
        path = f"{self.frame.path}/{agent}"
        node = self._open(path, parent_id, "agent", agent, agent=agent, detail=given)
        self.frame.node_id = node.id

    def begin_handoff(self, sender: str, recipient: str) -> OpenNode:
        """Report that `sender` gives the conversation to `recipient`, if it may."""
        path = f"{self.frame.path}/{sender}>{recipient}"
        return self._open(path, self.frame.node_id, "handoff", recipient, agent=sender)

    def hand_over(self, node: OpenNode, recipient: str) -> None:
        """Let `recipient` have the conversation, through the open node of a handoff."""
        self.open_agent(recipient, node.id)
        if self.frame.sender is None:
            self.frame.run.active_agent = recipient
            self.frame.run.remember(recipient)

    def finish(self, output: str) -> None:
        """Note the final output; whoever took part in it gave it back."""
        for node in self._nodes:
            node.output = output

    def _open(
        self,
        node_id: str,
        parent_id: str | None,
        kind: NodeKind,
        name: str,
        *,
        agent: str,
        detail: str = "",
    ) -> OpenNode:
        run = self.frame.run
        opened = open_node(
            run, run.unique_id(node_id), parent_id, kind, name, agent=agent, detail=detail
        )
        self._nodes.append(self._stack.enter_context(opened))
        return self._nodes[-1]


def _failure_of(error: BaseException) -> tuple[str, EndStatus]:
    failure = own_failure(error)
    match failure:
        case None if isinstance(error, GeneratorExit | KeyboardInterrupt):
            return "cancelled", "cancelled"
        case None:
            return f"{type(error).__name__}: {error}", "error"
        case Interrupted():
            return "cancelled", "cancelled"
        case LimitReached():
            return str(failure), "limit"
        case Paused():
            return str(failure), "paused"
        case _:
            return str(failure), "error"
