"""Names of the tools that one agent offers its model: each stands for one tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from agency_cli.checks.flows import well_formed
from agency_cli.checks.subject import Path, Subject
from agency_cli.checks.tools import is_reserved
from agency_cli.errors import Problem
from agency_cli.manifest import (
    DEFAULT_TOOL_NAME,
    Flow,
    Manifest,
    OpenApiTool,
    PythonTool,
    handoff_name,
)


@dataclass(frozen=True, slots=True)
class Offer:
    """One tool that an agent offers.

    Attributes:
        name: What the model calls it.
        source: What gives it to the agent: `("flows", 2)` or `("tools", "files")`.
        path: Where its name, or that the agent has it, is said.
        advice: How its name is changed; empty where it cannot be.
        is_message: It is the tool of message flows.
    """

    name: str
    source: Path
    path: Path
    advice: str = ""
    is_message: bool = False

    @property
    def owner(self) -> str:
        """What gives it to the agent, as a person writes it."""
        return _dotted(self.source)


def offered_once(subject: Subject) -> Iterator[Problem]:
    """No agent offers two tools of one name, as far as that is known without importing anything."""
    manifest = subject.manifest
    by_sender: dict[str, list[Offer]] = {key: [] for key in manifest.agents}
    flows = [flow for flow in well_formed(subject) if _is_sound(flow, manifest)]
    # What is declared twice is a problem of its own.
    handoffs = {(f.sender, f.recipient): f for f in reversed(flows) if f.kind == "handoff"}
    for flow in handoffs.values():
        by_sender[flow.sender].append(handoff_offer(flow))
    for flow, name in _groups(flows):
        by_sender[flow.sender].append(message_offer(flow, name))
    for agent, offers in by_sender.items():
        yield from clashes(agent, [*offers, *tool_offers(agent, manifest, _known_names(manifest))])


def clashes(agent: str, offers: Iterable[Offer]) -> Iterator[Problem]:
    """Yield a problem for each two owners of which one has a name that the other has too."""
    first: dict[str, Offer] = {}
    told: set[tuple[str, str]] = set()
    for offer in offers:
        other = first.setdefault(offer.name, offer)
        if other is not offer and (other.owner, offer.owner) not in told:
            told.add((other.owner, offer.owner))
            to_rename = offer if offer.advice or not other.advice else other
            advice = to_rename.advice or f"let {agent} have one of them only"
            if offer.is_message and other.is_message:
                advice = f"flows share a tool where class and extra_params are the same; {advice}"
            what = (
                f"{agent} would have two tools named {offer.name!r}, of {other.owner} and of"
                f" {offer.owner}; {advice}"
            )
            yield Problem(
                code="tool-name-clash",
                message=what,
                path=to_rename.path,
                others=(other.source, offer.source),
            )


def handoff_offer(flow: Flow) -> Offer:
    """Return what a handoff gives its sender."""
    return Offer(handoff_name(flow.recipient), flow.path[:2], flow.path)


def message_offer(flow: Flow, name: str) -> Offer:
    """Return what a message flow, the first of those that share its tool, gives its sender."""
    has_name = flow.spec is not None and flow.spec.tool_name is not None
    path = (*flow.path[:2], "tool_name") if has_name else flow.path[:2]
    advice = f"give {_dotted(flow.path[:2])} another `tool_name`"
    return Offer(name, flow.path[:2], path, advice, is_message=True)


def tool_offers(
    agent: str, manifest: Manifest, names_of: Callable[[str], Iterable[str]]
) -> Iterator[Offer]:
    """Yield what the tools of `agent` give it; `names_of` tells the names behind a key."""
    listed = manifest.agents[agent].tools
    for position, key in enumerate(listed):
        if key not in manifest.tools or key in listed[:position]:
            continue
        spec = manifest.tools[key]
        path: Path = ("agents", agent, "tools", position)
        advice = ""
        if isinstance(spec, PythonTool):
            path = path if spec.name is None else ("tools", key, "name")
            advice = f"give tools.{key} another `name`"
        elif isinstance(spec, OpenApiTool):
            advice = f"give tools.{key} another `prefix`"
        for name in names_of(key):
            yield Offer(name, ("tools", key), path, advice)


def _known_names(manifest: Manifest) -> Callable[[str], Iterable[str]]:
    return lambda key: (name for name in manifest.tools[key].known_names if not is_reserved(name))


def _groups(flows: Iterable[Flow]) -> Iterator[tuple[Flow, str]]:
    """Yield the first of the message flows that share a tool, and the tool's name."""
    pairs: set[tuple[str, str, str]] = set()
    groups: set[tuple[str, str, str]] = set()
    for flow in flows:
        name = _known_name(flow)
        pair = (flow.sender, flow.recipient, name or "")
        if name is None or pair in pairs:
            continue
        pairs.add(pair)
        group = (flow.sender, name, flow.spec.params_text if flow.spec else "{}")
        if group not in groups:
            groups.add(group)
            yield flow, name


def _known_name(flow: Flow) -> str | None:
    """Return the name of a message flow's tool; None where only its class tells it."""
    if flow.kind != "message":
        return None
    if flow.spec is None or flow.spec.send_message is None:
        return (flow.spec and flow.spec.tool_name) or DEFAULT_TOOL_NAME
    return flow.spec.tool_name


def _is_sound(flow: Flow, manifest: Manifest) -> bool:
    ends = {flow.sender, flow.recipient}
    return len(ends) == 2 and ends <= manifest.agents.keys()  # noqa: PLR2004 - a flow has two ends


def _dotted(path: Path) -> str:
    return Problem(code="", message="", path=path).dotted_path
