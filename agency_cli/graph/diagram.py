"""What a diagram shows: boxes for agents and arrows for flows, whatever it is drawn with."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, NamedTuple

from agency_cli.manifest import DEFAULT_TOOL_NAME, Flow, FlowKind, Manifest

Change = Literal["added", "removed", "changed"]


class Load(NamedTuple):
    """What one recorded run did at a box or on an arrow.

    Attributes:
        calls: Turns of an agent; messages or handoffs of a flow.
        failures: How many of them failed.
        seconds: Time that all of them took together.
        cost_usd: Of an agent, its own model calls; of a flow, all that its messages led to. None
            where a part of it is unknown.
        text: The same for people.
    """

    calls: int
    failures: int
    seconds: float
    cost_usd: Decimal | None
    text: str


class Box(NamedTuple):
    """One agent.

    Attributes:
        agent: Its key.
        name: Its display name; the key where it has none.
        model: What the manifest gives it: a name under `models`, a model id, or nothing.
        model_id: The provider's id of that model.
        fallbacks: What is tried when that model's provider fails, in order: names or model ids.
        tools: Names of its tools, as the manifest lists them.
        entry: The user's message may go to it.
        load: What it did in the run that is shown, if one is.
        change: How it differs from an earlier manifest, where two are compared.
    """

    agent: str
    name: str
    description: str | None = None
    model: str | None = None
    model_id: str | None = None
    fallbacks: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    entry: bool = False
    load: Load | None = None
    change: Change | None = None


class Arrow(NamedTuple):
    """One flow, with what its contract demands.

    Attributes:
        tool_name: None where the manifest names no tool for it.
        message_class: The class of its messages, as the manifest refers to it.
        params: Names of its extra params.
        load: What went along it in the run that is shown, if one is.
        change: How it differs from an earlier manifest, where two are compared.
    """

    sender: str
    recipient: str
    kind: FlowKind = "message"
    tool_name: str | None = None
    message_class: str | None = None
    params: tuple[str, ...] = ()
    load: Load | None = None
    change: Change | None = None

    @property
    def terms(self) -> str:
        """What tells its contract from the usual one, such as `send_review(severity)`."""
        if self.kind == "handoff":
            return "handoff"
        written = (self.message_class or "").rpartition(":")[2]
        name = self.tool_name or written or (DEFAULT_TOOL_NAME if self.params else "")
        return f"{name}({', '.join(self.params)})" if self.params else name


class Diagram(NamedTuple):
    """An agency, ready to be drawn: boxes and arrows in the order of the manifest.

    `subtitle` says what else is shown, such as a run.
    """

    name: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...] = ()
    subtitle: str = ""

    @property
    def entries(self) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if box.entry)


class View(NamedTuple):
    """How much of a diagram to show, and in what room.

    Attributes:
        width: Terminal cells that a line of text may take.
        tools: Show each agent's tools.
        models: Show each agent's model.
        encoding: What the text will be written in; without box characters, ASCII draws.
    """

    width: int = 80
    tools: bool = False
    models: bool = False
    encoding: str = "utf-8"


def diagram_of(manifest: Manifest) -> Diagram:
    """Return what a diagram of this agency shows."""
    entries = set(manifest.entries)
    boxes = []
    for key, agent in manifest.agents.items():
        model = agent.model or manifest.defaults.model
        chain = manifest.model_chain(model) if model is not None else {}
        box = Box(
            agent=key,
            name=agent.name or key,
            description=agent.description,
            model=model,
            model_id=chain[model].model if model is not None else None,
            fallbacks=tuple(chain)[1:],
            tools=tuple(agent.tools),
            entry=key in entries,
        )
        boxes.append(box)
    arrows = tuple(map(_arrow, manifest.single_flows))
    return Diagram(name=manifest.name, boxes=tuple(boxes), arrows=arrows)


def _arrow(flow: Flow) -> Arrow:
    spec = flow.spec
    return Arrow(
        sender=flow.sender,
        recipient=flow.recipient,
        kind=flow.kind,
        tool_name=spec.tool_name if spec else None,
        message_class=spec.send_message if spec else None,
        params=tuple(spec.extra_params or ()) if spec else (),
    )
