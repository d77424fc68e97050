"""Flows: their short form, and what they must not say together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.manifest import DEFAULT_TOOL_NAME, Flow, Manifest

MOST_FLOWS: Final = 100_000
"""How many pairs of agents the flows of one manifest may connect."""

_NAMES: Final = r"\s*[A-Za-z][\w-]*\s*(?:,\s*[A-Za-z][\w-]*\s*)*"
_SHORT_FORM: Final = re.compile(rf"{_NAMES}(?:>{_NAMES})+", re.ASCII)


def well_formed(subject: Subject) -> Iterator[Flow]:
    """Yield each single flow, without those of lines that cannot be read."""
    # A line can stand for thousands of flows, so each is looked at once.
    unreadable = {index for index, _ in _unreadable(subject)}
    for flow in subject.manifest.single_flows:
        if flow.path[1] not in unreadable:
            yield flow


def too_many(manifest: Manifest) -> Iterator[Problem]:
    """Lists in chains multiply; what nobody could draw is not taken apart either."""
    pairs = 0
    for index, flow in enumerate(manifest.flows):
        if isinstance(flow, str):
            sizes = [stage.count(",") + 1 for stage in flow.split(">")]
            pairs += sum(senders * recipients for senders, recipients in pairwise(sizes))
        else:
            pairs += 1 if isinstance(flow.to, str) else len(flow.to)
        if pairs > MOST_FLOWS:
            what = f"with this line, the manifest has more than {MOST_FLOWS:,} flows"
            yield Problem(code="too-many-flows", message=what, path=("flows", index))
            return


def short_forms(subject: Subject) -> Iterator[Problem]:
    """A flow in one line reads `a > b, c`, or as a chain of such."""
    for index, flow in _unreadable(subject):
        what = f"{flow[:60]!r} is no flow; write `sender > recipient`, such as `ceo > developer`"
        yield Problem(code="bad-flow", message=what, path=("flows", index))


def empty_lists(subject: Subject) -> Iterator[Problem]:
    """A flow has a recipient, and a list of entries has an entry."""
    manifest = subject.manifest
    for index, flow in enumerate(manifest.flows):
        if not isinstance(flow, str) and flow.to == []:
            what = "the flow has no recipient; name one, or remove the flow"
            yield Problem(code="empty", message=what, path=("flows", index, "to"))
    if manifest.entry == []:
        what = "the list of entries is empty; name one, or remove the key"
        yield Problem(code="empty", message=what, path=("entry",))


def to_oneself(subject: Subject) -> Iterator[Problem]:
    """No agent asks itself."""
    for flow in well_formed(subject):
        if flow.sender == flow.recipient:
            what = f"{flow.sender!r} cannot have a flow to itself; remove it"
            yield Problem(
                code="self-flow",
                message=what,
                path=flow.path,
                within=flow.recipient,
                nth=_last(flow),
            )


def declared_twice(subject: Subject) -> Iterator[Problem]:
    """A pair of agents has each kind and tool once, in whatever form it is written."""
    first: dict[tuple[str, str, str, str], Flow] = {}
    for flow in well_formed(subject):
        spec = flow.spec
        tool = (spec.tool_name or spec.send_message if spec else None) or DEFAULT_TOOL_NAME
        other = first.setdefault((flow.sender, flow.recipient, flow.kind, tool), flow)
        if other is not flow:
            pair = f"{flow.sender} > {flow.recipient}"
            what = f"{pair} is declared a second time; the first is {_dotted(other.path)}"
            nth = _last(flow) if other.path == flow.path else 0
            yield Problem(
                code="duplicate-flow", message=what, path=flow.path, within=flow.recipient, nth=nth,
                others=(other.path,),
            )  # fmt: skip


def from_agents_without_outbound(subject: Subject) -> Iterator[Problem]:
    """An agent with `outbound: false` is the sender of no flow."""
    agents = subject.manifest.agents
    seen: set[Path] = set()
    for flow in well_formed(subject):
        path = (*flow.path[:2], "from") if flow.spec else flow.path
        if flow.sender in agents and not agents[flow.sender].outbound and path not in seen:
            seen.add(path)
            what = f"{flow.sender!r} says `outbound: false`, so it can be no sender"
            yield Problem(code="no-outbound", message=what, path=path, within=flow.sender)


def _unreadable(subject: Subject) -> Iterator[tuple[int, str]]:
    """Yield each line that is no flow, and its position."""
    for index, flow in enumerate(subject.manifest.flows):
        if isinstance(flow, str) and not _SHORT_FORM.fullmatch(flow):
            yield index, flow


def _last(flow: Flow) -> int:
    """Say which occurrence of the name is meant where a short form holds it twice."""
    return 0 if flow.spec else 1


def _dotted(path: Path) -> str:
    return Problem(code="", message="", path=path).dotted_path
