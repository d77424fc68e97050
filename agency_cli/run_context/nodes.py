"""Nodes of the call tree while they are open."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal

from agency_cli.errors import Interrupted, LimitReached
from agency_cli.events import EndStatus, NodeEnded, NodeKind, NodeStarted, TextDelta, Usage
from agency_cli.failures import own_failure
from agency_cli.run_context.context import RunContext, now


@dataclass(slots=True)
class OpenNode:
    """A node of the call tree that has not ended; fill in what it gives back."""

    id: str
    run: RunContext
    output: str = ""
    usage: Usage | None = None
    cost_usd: Decimal | None = None
    status: EndStatus = "ok"
    error: str | None = None

    def add_text(self, text: str) -> None:
        """Report a piece of streamed text."""
        self.run.watch(TextDelta(node_id=self.id, text=text))

    def fail(self, reason: str, status: EndStatus = "error") -> None:
        """Mark the node as failed without an exception that says so."""
        self.status, self.error = status, reason


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
    node = OpenNode(run.unique_id(node_id), run)
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
    began = time.monotonic()
    try:
        yield node
    except BaseException as error:
        node.fail(*_failure_of(error))
        raise
    finally:
        run.watch(
            NodeEnded(
                id=node.id,
                status=node.status,
                at=now(),
                seconds=time.monotonic() - began,
                error=node.error,
                usage=node.usage,
                cost_usd=node.cost_usd,
                output=node.output,
            )
        )


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
        case _:
            return str(failure), "error"
