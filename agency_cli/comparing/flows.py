"""Flows of two manifests, matched with each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agency_cli.comparing.approving import weaker
from agency_cli.comparing.numbers import is_raised, raised
from agency_cli.manifest import Flow, Manifest

FlowKey = tuple[str, str, str, int]
"""Sender, recipient, kind, and which of the flows that have these in common."""
_VERBS = {"message": "may ask", "handoff": "may hand over to"}


class Matched(NamedTuple):
    """One flow as it was and as it is; None where there is none."""

    key: FlowKey
    old: Flow | None
    new: Flow | None

    @property
    def name(self) -> str:
        sender, recipient, kind, number = self.key
        more = f" #{number + 1}" if number else ""
        return f"{sender} {'>' if kind == 'message' else '>>'} {recipient}{more}"


def matched(old: Manifest, new: Manifest) -> list[Matched]:
    """Return every flow of either, those of `new` first."""
    before, after = keyed(old), keyed(new)
    return [
        Matched(key, before.get(key), after.get(key)) for key in dict.fromkeys((*after, *before))
    ]


def said_of(flow: Flow) -> dict[str, Any]:
    """Return what the manifest says of a flow, beside who and to whom."""
    if flow.spec is None:
        return {}
    said = flow.spec.model_dump(mode="json", exclude_unset=True)
    return {key: value for key, value in said.items() if key not in {"sender", "to", "kind"}}


def wider_flows(sender: str, old: Manifest, new: Manifest) -> Iterator[tuple[str, str]]:
    """Yield what a sender may do on its flows that it might not, each with its place."""
    for pair in matched(old, new):
        if pair.key[0] != sender or pair.new is None:
            continue
        verb = f"{_VERBS[pair.key[2]]} {pair.key[1]}"
        place = f"flows[{pair.new.path[1]}]"
        if pair.old is None:
            tool = pair.new.spec.tool_name if pair.new.spec else None
            yield f"{verb}{f' with {tool}' if tool else ''}", place
        else:
            for words in _looser(pair.old, pair.new):
                yield f"{verb}: {words}", place


def _looser(old: Flow, new: Flow) -> Iterator[str]:
    approvals = [
        (flow.spec.approval if flow.spec and flow.spec.approval is not None else "never")
        for flow in (old, new)
    ]
    if change := weaker(approvals[0], approvals[1]):
        yield f"asks less: {change}"
    for key in ("max_calls", "timeout_seconds"):
        before, after = (getattr(flow.spec, key) if flow.spec else None for flow in (old, new))
        if is_raised(before, after):
            yield f"{key} {raised(before, after)}"


def keyed(manifest: Manifest) -> dict[FlowKey, Flow]:
    """Return every flow, in the order of the manifest, by what it is matched by."""
    found: dict[FlowKey, Flow] = {}
    for flow in manifest.single_flows:
        number = 0
        while (key := (flow.sender, flow.recipient, flow.kind, number)) in found:
            number += 1
        found[key] = flow
    return found
