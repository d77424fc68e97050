"""The call tree of a run, folded from its events, with what each model and agent cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from agency_cli.events import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    NodeEnded,
    NodeKind,
    NodeStarted,
    RunEnded,
    RunStarted,
    Status,
    TextDelta,
    Usage,
)


@dataclass(frozen=True, slots=True)
class Totals:
    """Usage and cost of several model calls.

    `cost_usd` is the cost of the calls whose price is known; `unpriced_models` names the models
    of the calls that counted tokens and have no known price. Where it is not empty, the whole
    cost is unknown and at least `cost_usd`. `turns` leaves out the calls that failed; `cut_off`
    counts those that were ended before they told what they used, which may cost as well.
    """

    usage: Usage = field(default_factory=Usage)
    cost_usd: Decimal = Decimal(0)
    unpriced_models: tuple[str, ...] = ()
    turns: int = 0
    cut_off: int = 0

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Totals:
        """Add up the model calls among `nodes`."""
        calls = (
            cls.of_call(node.name, node.usage, node.cost_usd, status=node.status)
            for node in nodes
            if node.usage is not None
        )
        return sum(calls, cls())

    @classmethod
    def of_call(
        cls, model: str, usage: Usage, cost_usd: Decimal | None, *, status: Status
    ) -> Totals:
        """Return what one call of a model used."""
        unknown = cost_usd is None and usage.total_tokens > 0
        return cls(
            usage=usage,
            cost_usd=cost_usd or Decimal(0),
            unpriced_models=(model,) if unknown else (),
            turns=0 if status == "error" else 1,
            cut_off=int(status == "cancelled" and usage.requests > 0 and not usage.total_tokens),
        )

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            usage=self.usage + other.usage,
            cost_usd=self.cost_usd + other.cost_usd,
            unpriced_models=tuple(dict.fromkeys(self.unpriced_models + other.unpriced_models)),
            turns=self.turns + other.turns,
            cut_off=self.cut_off + other.cut_off,
        )

    @property
    def known_cost_usd(self) -> Decimal | None:
        """The whole cost, or None where a part of it is unknown."""
        return None if self.unpriced_models else self.cost_usd


@dataclass(slots=True)
class Node:
    """One place in the call tree; the fields are those of its events.

    Attributes:
        totals: What this node and all below it used so far.
        pieces: The streamed text of a model call, as it came.
        asked: The question that a person has to answer before the call is made, or had to.
        decided: The answer, once there is one.
    """

    id: str
    kind: NodeKind
    name: str
    agent: str
    started_at: datetime
    # A node and its parent hold each other; comparing or printing both ways would never end.
    parent: Node | None = field(default=None, repr=False, compare=False)
    model: str | None = None
    detail: str = ""
    status: Status = "running"
    seconds: float | None = None
    error: str | None = None
    usage: Usage | None = None
    cost_usd: Decimal | None = None
    output: str = ""
    totals: Totals = field(default_factory=Totals)
    pieces: list[str] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    asked: ApprovalAsked | None = None
    decided: ApprovalDecided | None = None

    @property
    def waits(self) -> bool:
        """Whether a person has yet to agree to the call."""
        return self.asked is not None and self.decided is None

    @property
    def text(self) -> str:
        """What a model call has streamed so far."""
        return "".join(self.pieces)

    def last_text(self, length: int) -> str:
        """Return the end of the streamed text, at least `length` characters where there are."""
        tail: list[str] = []
        for piece in reversed(self.pieces):
            tail.append(piece)
            length -= len(piece)
            if length <= 0:
                break
        return "".join(reversed(tail))

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, each before those below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def ancestors(self) -> Iterator[Node]:
        """Yield the node's parent, its parent's parent and so on."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


@dataclass(slots=True)
class CallTree:
    """A run as far as its events tell; give each event to `add` in the order they came.

    Attributes:
        started: The first event, once it came.
        ended: The last event, once it came.
        root: The node of the agent that got the message.
        nodes: All nodes by their ids, in the order they started.
        totals: What the whole run used so far.
    """

    started: RunStarted | None = None
    ended: RunEnded | None = None
    root: Node | None = None
    nodes: dict[str, Node] = field(default_factory=dict)
    totals: Totals = field(default_factory=Totals)

    @classmethod
    def of(cls, events: Iterable[Event]) -> CallTree:
        """Fold a whole run."""
        tree = cls()
        for event in events:
            tree.add(event)
        return tree

    def add(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case RunStarted():
                self.started, self.ended = self.started or event, None
            case NodeStarted():
                self._start(event)
            case TextDelta():
                self.nodes[event.node_id].pieces.append(event.text)
            case NodeEnded():
                self._end(event)
            case ApprovalAsked():
                self.nodes[event.node_id].asked = event
            case ApprovalDecided():
                self.nodes[event.node_id].decided = event
            case RunEnded():
                self.ended = event
            case _:
                pass

    def waiting(self) -> list[ApprovalAsked]:
        """Return the questions that nobody has answered, in the order in which they came."""
        return [
            node.asked
            for node in self.nodes.values()
            if node.asked is not None and node.decided is None
        ]

    def by_model(self) -> dict[str, Totals]:
        """Totals for each model, in the order of their first call."""
        return self._grouped(lambda node: node.name)

    def by_agent(self) -> dict[str, Totals]:
        """Totals for each agent, in the order of their first call."""
        return self._grouped(lambda node: node.agent)

    def _grouped(self, key_of: Callable[[Node], str]) -> dict[str, Totals]:
        groups: dict[str, list[Node]] = {}
        for node in self.nodes.values():
            if node.kind == "model":
                groups.setdefault(key_of(node), []).append(node)
        return {key: Totals.of(nodes) for key, nodes in groups.items()}

    def _start(self, event: NodeStarted) -> None:
        if event.id in self.nodes:
            # A resumed run takes up what had been under way.
            again = self.nodes[event.id]
            again.status, again.error, again.seconds = "running", None, None
            return
        parent = self.nodes[event.parent_id] if event.parent_id is not None else None
        node = Node(
            id=event.id,
            kind=event.kind,
            name=event.name,
            agent=event.agent,
            started_at=event.at,
            parent=parent,
            model=event.model,
            detail=event.detail,
        )
        self.nodes[event.id] = node
        if parent is not None:
            parent.children.append(node)
        elif self.root is None:
            self.root = node

    def _end(self, event: NodeEnded) -> None:
        node = self.nodes[event.id]
        node.status = event.status
        node.seconds = event.seconds
        node.error = event.error
        node.usage = event.usage
        node.cost_usd = event.cost_usd
        node.output = event.output
        if node.usage is not None:
            self._spend(node)

    def _spend(self, node: Node) -> None:
        spent = Totals.of([node])
        self.totals += spent
        for place in (node, *node.ancestors()):
            place.totals += spent
