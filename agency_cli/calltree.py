"""The call tree of a run, folded from its events, with what each model and agent cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from agency_cli.events import (
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


@dataclass(slots=True)
class Node:
    """One place in the call tree; the fields are those of its events."""

    id: str
    kind: NodeKind
    name: str
    agent: str
    started_at: datetime
    parent: Node | None = None
    model: str | None = None
    detail: str = ""
    status: Status = "running"
    seconds: float | None = None
    error: str | None = None
    usage: Usage | None = None
    cost_usd: Decimal | None = None
    output: str = ""
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, in the order they started."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def totals(self) -> Totals:
        """What this node and all below it used."""
        return Totals.of(self.walk())


@dataclass(frozen=True, slots=True)
class Totals:
    """Usage and cost of several model calls.

    `cost_usd` is the cost of the calls whose price is known; `unpriced_models` names the models
    of the calls that counted tokens and have no known price. Where it is not empty, the whole
    cost is unknown and at least `cost_usd`.
    """

    usage: Usage = field(default_factory=Usage)
    cost_usd: Decimal = Decimal(0)
    unpriced_models: tuple[str, ...] = ()

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Totals:
        """Add up the model calls among `nodes`."""
        usage, cost, unpriced = Usage(), Decimal(0), dict[str, None]()
        for node in nodes:
            if node.usage is None:
                continue
            usage += node.usage
            if node.cost_usd is not None:
                cost += node.cost_usd
            elif node.usage.total_tokens:
                unpriced[node.name] = None
        return cls(usage, cost, tuple(unpriced))

    @property
    def known_cost_usd(self) -> Decimal | None:
        """The whole cost, or None where a part of it is unknown."""
        return None if self.unpriced_models else self.cost_usd


@dataclass(slots=True)
class CallTree:
    """A run as far as its events tell; give each event to `add` in the order they came."""

    started: RunStarted | None = None
    ended: RunEnded | None = None
    root: Node | None = None
    nodes: dict[str, Node] = field(default_factory=dict)

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
                self.started = event
            case NodeStarted():
                self._start(event)
            case TextDelta():
                self.nodes[event.node_id].text += event.text
            case NodeEnded():
                self._end(event)
            case RunEnded():
                self.ended = event
            case _:
                pass

    @property
    def totals(self) -> Totals:
        """What the whole run used so far."""
        return Totals.of(self.nodes.values())

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
