"""A recorded run, laid over the diagram of its agency: what each flow and each agent came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from agency_cli.calltree import CallTree, Node, Totals
from agency_cli.graph import Arrow, Box, Diagram, Load
from agency_cli.manifest import DEFAULT_TOOL_NAME
from agency_cli.rendering.figures import counted, duration, whole_cost

_FAILED = {"error", "limit", "cancelled"}


class Traffic(NamedTuple):
    """A diagram with a run on it, and what of the run has no place in the diagram."""

    diagram: Diagram
    left_out: tuple[str, ...]


def laid_over(diagram: Diagram, tree: CallTree) -> Traffic:
    """Return the diagram with what the run did on each flow, and in each agent.

    Where two flows lead from one agent to another, a message is told of at the one that has its
    tool's name, else at the first.
    """
    calls: dict[int, list[Node]] = {}
    left_out: dict[str, None] = {}
    for node in tree.nodes.values():
        if node.kind not in {"message", "handoff"}:
            continue
        recipient = _recipient_of(node)
        if (place := _place_of(node, recipient, diagram.arrows)) is None:
            left_out[f"{node.agent} > {recipient or '(nobody that is known)'}"] = None
        else:
            calls.setdefault(place, []).append(node)
    by_agent = tree.by_agent()
    left_out.update(dict.fromkeys(by_agent.keys() - {box.agent for box in diagram.boxes}))
    boxes = [box._replace(load=_work_of(box, by_agent, tree)) for box in diagram.boxes]
    arrows = [
        arrow._replace(load=_load_of(calls.get(place, ()), is_handoff=arrow.kind == "handoff"))
        for place, arrow in enumerate(diagram.arrows)
    ]
    told = diagram._replace(boxes=tuple(boxes), arrows=tuple(arrows), subtitle=_subtitle(tree))
    return Traffic(told, tuple(left_out))


def _recipient_of(node: Node) -> str | None:
    if node.kind == "handoff":
        return node.name
    return next((child.name for child in node.children if child.kind == "agent"), None)


def _place_of(node: Node, recipient: str | None, arrows: Sequence[Arrow]) -> int | None:
    """Return the flow of a call; one that was refused tells its tool, but not its recipient."""
    fitting = [
        place
        for place, arrow in enumerate(arrows)
        if (arrow.kind, arrow.sender) == (node.kind, node.agent)
        and recipient in {None, arrow.recipient}
    ]
    named = [place for place in fitting if _tool_of(arrows[place]) == node.name]
    if recipient is None:
        return named[0] if len(named) == 1 else None
    return next(iter((*named, *fitting)), None)


def _tool_of(arrow: Arrow) -> str:
    return arrow.tool_name or ("" if arrow.message_class else DEFAULT_TOOL_NAME)


def _load_of(calls: Iterable[Node], *, is_handoff: bool) -> Load:
    nodes = list(calls)
    failures = sum(node.status in _FAILED for node in nodes)
    seconds = sum(node.seconds or 0 for node in nodes)
    totals = sum((node.totals for node in nodes), Totals())
    if is_handoff:
        # What the new agent does then is its own, and no answer to the one before.
        text = _words(counted(len(nodes), "handoff"), failures)
        return Load(len(nodes), failures, 0.0, Totals().known_cost_usd, text)
    text = _words(counted(len(nodes), "call"), failures)
    if nodes:
        text += f", {duration(seconds)}, {whole_cost(totals)}"
    return Load(len(nodes), failures, seconds, totals.known_cost_usd, text)


def _work_of(box: Box, by_agent: Mapping[str, Totals], tree: CallTree) -> Load:
    totals = by_agent.get(box.agent, Totals())
    own = [node for node in tree.nodes.values() if node.agent == box.agent]
    failures = sum(node.kind == "model" and node.status in _FAILED for node in own)
    seconds = sum(node.seconds or 0 for node in own if node.kind == "model")
    text = _words(counted(totals.turns, "turn"), failures)
    if totals.turns or failures:
        text += f", {whole_cost(totals)}"
    return Load(totals.turns, failures, seconds, totals.known_cost_usd, text)


def _words(text: str, failures: int) -> str:
    return f"{text}, {failures:,} failed" if failures else text


def _subtitle(tree: CallTree) -> str:
    started, ended = tree.started, tree.ended
    if started is None:
        return ""
    took = f", {duration(ended.seconds)}" if ended else ""
    status = ended.status if ended else "running"
    return f"run {started.run_id}, {status}{took}, {whole_cost(tree.totals)}"
