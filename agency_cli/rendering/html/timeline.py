"""When each agent of a run was at work: a lane for each, with its calls, on one scale of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agency_cli.calltree import CallTree, Node
from agency_cli.events import Event, NodeEnded, NodeStarted, RunStarted, Status, TextDelta
from agency_cli.rendering.figures import duration
from agency_cli.rendering.outline import Branch

STEPS = (
    *(digit * 10.0**power for power in (-3, -2, -1, 0) for digit in (1, 2, 5)),
    *(10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400),
)
"""Seconds between two ticks, of which the first that gives few enough is taken."""
MOST_TICKS = 7
LAST_TICK = 97.0
"""Percent; a label further right would be cut off."""
NARROWEST = 0.35
"""Percent of the width that every bar has at least, so that it can be seen."""
LANE_KINDS = frozenset({"agent", "handover"})


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the scale; `at` is in percent of the width."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of time; `left` and `width` are in percent of the whole run.

    Attributes:
        kind: What it shows: an agent at work, a model call, or a tool.
        status: How it ended.
        title: What it is and how long it took.
    """

    kind: str
    left: float
    width: float
    status: Status
    title: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One agent in one place of the tree, `depth` agents below the first."""

    branch: Branch
    depth: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The lanes from top to bottom; `pauses` are where the run stood still until it was resumed."""

    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    pauses: tuple[Tick, ...]


@dataclass(slots=True)
class WorkClock:
    """Tells how long a run had been at work at a time: the pauses between attempts are left out.

    Attributes:
        began: When the run began.
        last: The latest time that was told.
        pauses: When each pause began, and how many seconds it lasted.
    """

    began: datetime
    last: datetime
    pauses: list[tuple[datetime, float]] = field(default_factory=list)

    @classmethod
    def of(cls, events: Sequence[Event]) -> WorkClock:
        """Read the times of a run's events, of which there is at least the first."""
        times = [event.at for event in events if not isinstance(event, TextDelta)]
        clock = cls(times[0], times[0])
        for event in events:
            if not isinstance(event, TextDelta):
                clock.add(event.at, again=isinstance(event, RunStarted))
        return clock

    def add(self, at: datetime, *, again: bool) -> None:
        """Take in the time of the next event; `again` where the run was taken up with it."""
        if again and at > self.last:
            self.pauses.append((self.last, (at - self.last).total_seconds()))
        self.last = max(self.last, at)

    def seconds(self, at: datetime) -> float:
        """Return the seconds at work until a time."""
        whole = (at - self.began).total_seconds()
        for began, length in self.pauses:
            whole -= min(max((at - began).total_seconds(), 0.0), length)
        return max(whole, 0.0)

    @property
    def whole(self) -> float:
        """Seconds at work in all; never 0, as it is divided by."""
        return self.seconds(self.last) or 1.0


@dataclass(slots=True)
class Span:
    """One attempt at a node, from its start to its end; an open one lasts as long as the run."""

    began: datetime
    ended: datetime
    status: Status = "running"


def timeline_of(events: Sequence[Event], tree: CallTree, root: Branch | None) -> Timeline:
    """Return the lanes of a run's agents, as the outline has them."""
    clock = WorkClock.of(events)
    drawing = _Drawing(tree, clock, _spans(events, clock.last))
    lanes = tuple(drawing.lanes(root, 0)) if root is not None else ()
    pauses = (
        Tick(100 * clock.seconds(began) / clock.whole, f"resumed after {duration(length)}")
        for began, length in clock.pauses
    )
    return Timeline(lanes, tuple(_ticks(clock.whole)), tuple(pauses))


def _spans(events: Sequence[Event], last: datetime) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {}
    for event in events:
        match event:
            case NodeStarted():
                spans.setdefault(event.id, []).append(Span(event.at, last))
            case NodeEnded():
                span = spans[event.id][-1]
                span.ended, span.status = event.at, event.status
            case _:
                pass
    return spans


def _ticks(whole: float) -> Iterator[Tick]:
    step = next((step for step in STEPS if whole / step <= MOST_TICKS), whole / MOST_TICKS)
    for number in range(MOST_TICKS + 1):
        at = 100 * number * step / whole
        if at <= LAST_TICK:
            yield Tick(at, _label(number * step, step))


def _label(seconds: float, step: float) -> str:
    if not seconds:
        return "0"
    if step >= 1:
        return duration(seconds).replace(".0s", "s").replace("m 00s", "m").replace("h 00m", "h")
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + "s"


@dataclass(frozen=True, slots=True)
class _Drawing:
    tree: CallTree
    clock: WorkClock
    spans: dict[str, list[Span]]

    def lanes(self, branch: Branch, depth: int) -> Iterator[Lane]:
        if branch.kind in LANE_KINDS and branch.id in self.spans:
            yield Lane(branch, depth, tuple(self._bars(self.tree.nodes[branch.id])))
        for child in branch.children:
            yield from self.lanes(child, depth + 1)

    def _bars(self, node: Node) -> Iterator[Bar]:
        handoff = next((child for child in node.children if child.kind == "handoff"), None)
        yield from self._attempts(node, "work", until=handoff)
        for child in node.children:
            if child.kind in {"model", "tool"}:
                yield from self._attempts(child, child.kind)
            elif child.kind == "message" and not child.children:
                yield from self._attempts(child, "tool")

    def _attempts(self, node: Node, kind: str, until: Node | None = None) -> Iterator[Bar]:
        for span in self.spans[node.id]:
            ended, status = span.ended, span.status
            if until is not None:
                # Whoever handed over is done with it, however long the others take.
                handed = max(self.spans[until.id][0].began, span.began)
                ended, status = min(ended, handed), "ok"
            yield self._bar(node, kind, Span(span.began, ended, status))

    def _bar(self, node: Node, kind: str, span: Span) -> Bar:
        begin, end = self.clock.seconds(span.began), self.clock.seconds(span.ended)
        left = min(100 * begin / self.clock.whole, 100 - NARROWEST)
        width = max(100 * (end - begin) / self.clock.whole, NARROWEST)
        what = "" if span.status == "ok" else f", {span.status}"
        title = f"{node.name}: {duration(begin)} to {duration(end)}, {duration(end - begin)}{what}"
        return Bar(kind, round(left, 3), round(min(width, 100 - left), 3), span.status, title)
