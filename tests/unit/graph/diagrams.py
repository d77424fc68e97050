"""Diagrams for tests, written as flows are written."""

from __future__ import annotations

from itertools import pairwise

from agency_cli.graph import Arrow, Box, Diagram


def diagram(*flows, entry=None, agents=(), names=None):
    """Build a diagram from `a > b, c` for messages and `a >> b` for handoffs; chains work."""
    arrows = [arrow for flow in flows for arrow in _arrows(flow)]
    reached = [agent for arrow in arrows for agent in (arrow.sender, arrow.recipient)]
    keys = list(dict.fromkeys([*agents, *reached]))
    entries = entry or keys[:1]
    boxes = [Box(agent=key, name=(names or {}).get(key, key), entry=key in entries) for key in keys]
    return Diagram(name="agency", boxes=tuple(boxes), arrows=tuple(dict.fromkeys(arrows)))


def _arrows(flow):
    words = flow.replace(">>", "> handoff:").split(">")
    stages = [word.strip() for word in words]
    for senders, recipients in pairwise(stages):
        kind = "handoff" if recipients.startswith("handoff:") else "message"
        for sender in _names(senders):
            for recipient in _names(recipients):
                yield Arrow(sender=sender, recipient=recipient, kind=kind)


def _names(stage):
    return [name.strip() for name in stage.removeprefix("handoff:").split(",")]
