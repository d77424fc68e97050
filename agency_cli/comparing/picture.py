"""Both states in one diagram, with what changed marked."""

from __future__ import annotations

from agency_cli.comparing.changes import Comparison
from agency_cli.comparing.flows import keyed, matched
from agency_cli.graph import Arrow, Box, Change, Diagram, diagram_of


def picture_of(comparison: Comparison) -> Diagram:
    """Return the diagram of the later state, with what is gone in it too."""
    old, new = diagram_of(comparison.old.manifest), diagram_of(comparison.new.manifest)
    changed = {
        each.name
        for each in comparison.differences
        if each.section in {"agents", "instructions", "output schemas"}
    }
    agents = {box.agent for box in old.boxes}
    boxes = [_box(box, agents, changed) for box in new.boxes]
    kept = {box.agent for box in new.boxes}
    boxes += [
        box._replace(change="removed", entry=False) for box in old.boxes if box.agent not in kept
    ]
    title = f"{comparison.old.shown} → {comparison.new.shown}"
    return Diagram(new.name, tuple(boxes), _arrows(comparison, old, new), subtitle=title)


def _box(box: Box, before: set[str], changed: set[str]) -> Box:
    if box.agent not in before:
        return box._replace(change="added")
    return box._replace(change="changed") if box.agent in changed else box


def _arrows(comparison: Comparison, old: Diagram, new: Diagram) -> tuple[Arrow, ...]:
    """Return all flows; a diagram has its arrows in the order of its manifest's flows."""
    manifests = comparison.old.manifest, comparison.new.manifest
    before = dict(zip(keyed(manifests[0]), old.arrows, strict=True))
    after = dict(zip(keyed(manifests[1]), new.arrows, strict=True))
    changed = {each.name for each in comparison.differences if each.section == "flows"}
    arrows = []
    for pair in matched(*manifests):
        change: Change | None = "changed" if pair.name in changed else None
        if pair.old is None:
            change = "added"
        elif pair.new is None:
            change = "removed"
        arrow = after[pair.key] if pair.new else before[pair.key]
        arrows.append(arrow._replace(change=change))
    return tuple(arrows)
