"""What a diagram shows: boxes for agents and arrows for flows, whatever it is drawn with."""

from __future__ import annotations

from typing import NamedTuple

from agency_cli.manifest import FlowKind, Manifest


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
    """

    agent: str
    name: str
    description: str | None = None
    model: str | None = None
    model_id: str | None = None
    fallbacks: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    entry: bool = False


class Arrow(NamedTuple):
    """One flow; `tool_name` is None where the manifest names no tool for it."""

    sender: str
    recipient: str
    kind: FlowKind = "message"
    tool_name: str | None = None


class Diagram(NamedTuple):
    """An agency, ready to be drawn: boxes and arrows in the order of the manifest."""

    name: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...] = ()

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
    arrows = [
        Arrow(
            sender=flow.sender,
            recipient=flow.recipient,
            kind=flow.kind,
            tool_name=flow.spec.tool_name if flow.spec else None,
        )
        for flow in manifest.single_flows
    ]
    return Diagram(name=manifest.name, boxes=tuple(boxes), arrows=tuple(arrows))
