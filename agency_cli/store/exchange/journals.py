"""One run of an export: its journal must tell a run that could have happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from agency_cli.calltree import CallTree
from agency_cli.event_json import event_from_json
from agency_cli.events import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    NodeEnded,
    NodeStarted,
    RunEnded,
    RunStarted,
    TextDelta,
)
from agency_cli.store.exchange.records import Id, Key, Name, RowLine, RunLine, what_is_wrong

DEEPEST = 300
"""Nodes above each other; a tree that is deeper could not be shown."""
MOST = 10.0**15
"""No run has so many seconds, tokens or dollars."""
_SHAPES: Mapping[type, TypeAdapter[Event]] = {kind: TypeAdapter(kind) for kind in get_args(Event)}


@dataclass(slots=True)
class GivenRun:
    """A run of an export, at its line; `add` takes the rows of its journal in their order.

    Attributes:
        number: The line of the file.
        line: What the line holds.
        rows: The rows, as they are to be written.
        tree: What they tell.
    """

    number: int
    line: RunLine
    rows: list[dict[str, Any]] = field(default_factory=list)
    tree: CallTree = field(default_factory=CallTree)
    _open: bool = False
    _depths: dict[str, int] = field(default_factory=dict)

    @property
    def started(self) -> RunStarted:
        """The first event; a run that is whole has it."""
        assert self.tree.started is not None
        return self.tree.started

    def require_whole(self) -> None:
        """Refuse a run without a journal.

        Raises:
            ValueError: There is none.
        """
        if self.tree.started is None:
            raise ValueError(f"run {self.line.id} has no journal")

    def add(self, row: RowLine) -> None:
        """Take in the next row.

        Raises:
            ValueError: It tells nothing that could have happened after what came before.
        """
        event = _event(row.event)
        self._require_order(event)
        called = self.tree.nodes.get(event.id) if isinstance(event, NodeEnded) else None
        self.tree.add(event)
        by_model = called is not None and called.kind == "model"
        self.rows.append(
            {
                "run_id": self.line.id,
                "ordinal": len(self.rows),
                "kind": row.event["event"],
                "event": json.dumps(row.event),
                "agent": called.agent if called is not None and by_model else None,
                "model": called.name if called is not None and by_model else None,
                "kept": None if row.kept is None else json.dumps(row.kept),
            }
        )

    def _require_order(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._require_start(event)
        elif not self._open:
            raise ValueError("an event before the start of its run, or after its end")
        elif isinstance(event, TextDelta):
            raise ValueError("a piece of text, as no journal has it")
        elif isinstance(event, NodeStarted):
            self._require_place(event)
        elif isinstance(event, NodeEnded):
            self._require_running(event)
        elif isinstance(event, ApprovalAsked | ApprovalDecided):
            self._require_known(event)
        self._open = not isinstance(event, RunEnded)

    def _require_start(self, event: RunStarted) -> None:
        if event.run_id != self.line.id:
            raise ValueError(f"the start of run {event.run_id[:80]!r} among rows of {self.line.id}")
        if event.resumed == (self.tree.started is None):
            raise ValueError("a run has to start, once, before it is resumed")
        _require_names(event, thread_id=Id, agency=Name, agent=Key)

    def _require_place(self, event: NodeStarted) -> None:
        before = self.tree.nodes.get(event.id)
        if before is not None and before.status == "running":
            raise ValueError(f"node {event.id[:80]!r} starts a second time before it has ended")
        _require_names(event, agent=Key, name=Name)
        if event.parent_id is not None and event.parent_id not in self.tree.nodes:
            raise ValueError(f"node {event.id[:80]!r} is below one that never started")
        depth = self._depths.get(event.parent_id, 0) + 1 if event.parent_id is not None else 1
        if depth > DEEPEST:
            raise ValueError(f"nodes are nested deeper than {DEEPEST}")
        self._depths[event.id] = depth

    def _require_running(self, event: NodeEnded) -> None:
        node = self.tree.nodes.get(event.id)
        if node is None or node.status != "running":
            raise ValueError(f"node {event.id[:80]!r} ends, and is not running")

    def _require_known(self, event: ApprovalAsked | ApprovalDecided) -> None:
        if event.node_id not in self.tree.nodes:
            raise ValueError(f"an approval of node {event.node_id[:80]!r}, which never started")


def _event(given: Mapping[str, Any]) -> Event:
    event = event_from_json(given)
    fields = {name: value for name, value in given.items() if name != "event"}
    try:
        # What is no Unicode may stand in texts; it has no say about the shape.
        _SHAPES[type(event)].validate_json(_judged(json.dumps(fields, ensure_ascii=False)))
    except ValidationError as error:
        raise ValueError(f"event.{what_is_wrong(error)}") from None
    _require_sound_numbers(event)
    return event


def _require_names(event: Event, **kinds: Any) -> None:
    """Make sure that the store has room for the names of an event, by their kinds."""
    for name, kind in kinds.items():
        try:
            _adapter(kind).validate_python(getattr(event, name))
        except ValidationError as error:
            raise ValueError(f"event.{name}: {what_is_wrong(error)}") from None


@cache
def _adapter(kind: Any) -> TypeAdapter[str]:
    return TypeAdapter(kind)


def _require_sound_numbers(event: Event) -> None:
    if not isinstance(event, TextDelta) and event.at.tzinfo is None:
        raise ValueError("event.at: a time without its zone")
    numbers = [getattr(event, "seconds", 0.0)]
    if isinstance(event, NodeEnded):
        usage = event.usage
        counts = [getattr(usage, name) for name in usage.__slots__] if usage is not None else []
        numbers += [*counts, float(event.cost_usd or 0)]
    if any(not 0 <= number < MOST for number in numbers):
        raise ValueError("a number that nobody counted")


def _judged(text: str) -> str:
    """Return a text with a question mark for what is no Unicode."""
    return text.encode("utf-8", "replace").decode()
