"""What a run whose process was killed has left open, told as events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from agency_cli.calltree import CallTree, Node
from agency_cli.events import (
    Event,
    NodeEnded,
    RunEnded,
    RunError,
    RunStarted,
    TextDelta,
    Usage,
)

WHY = "the process of the run ended before the run did"


def left_open(events: Sequence[Event]) -> Iterator[Event]:
    """Yield the ends that are missing, from the deepest node to that of the run.

    A model call that had been made counts as a request, whatever came of it.
    """
    tree = CallTree.of(events)
    assert tree.started is not None
    way_on = f"{WHY}; `agency runs resume {tree.started.run_id}` goes on with it"
    at = _last_time(events)
    for node in reversed(tree.nodes.values()):
        if node.status == "running":
            yield _end_of(node, at)
    yield RunEnded(
        status="killed",
        at=at,
        seconds=seconds_at_work(events),
        error=RunError(kind="killed", message=way_on),
    )


def seconds_at_work(events: Sequence[Event]) -> float:
    """Return how long a run was at work, in all its attempts."""
    whole, began = 0.0, None
    for event in events:
        match event:
            case RunStarted():
                began = event.at
            case RunEnded():
                whole, began = event.seconds, None
            case _:
                pass
    if began is None:
        return whole
    return whole + max((_last_time(events) - began).total_seconds(), 0.0)


def _end_of(node: Node, at: datetime) -> NodeEnded:
    return NodeEnded(
        id=node.id,
        status="cancelled",
        at=at,
        seconds=max((at - node.started_at).total_seconds(), 0.0),
        error=WHY,
        usage=Usage(requests=1) if node.kind == "model" else None,
    )


def _last_time(events: Sequence[Event]) -> datetime:
    """Return the time of the last event that has one; the first always does."""
    return next(event.at for event in reversed(events) if not isinstance(event, TextDelta))
