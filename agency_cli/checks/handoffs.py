"""A warning about handoffs that lead where nobody can help."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from agency_cli.checks.nearest import listed
from agency_cli.checks.subject import Subject
from agency_cli.errors import Problem

_Links = Mapping[str, list[str]]


def handoff_traps(subject: Subject) -> Iterator[Problem]:
    """Circles of handoffs with no way out, whose agents can do nothing but hand over.

    One agent that keeps the conversation is what a handoff is for, and so is a circle whose agents
    have tools, or others to ask.
    """
    manifest = subject.manifest
    if not {*manifest.entries, *manifest.flow_names} <= manifest.agents.keys():
        return
    links: dict[str, list[str]] = {key: [] for key in manifest.agents}
    back: dict[str, list[str]] = {key: [] for key in manifest.agents}
    # The user's messages reach an entry whoever had the conversation before.
    able = {*manifest.entries, *(key for key, agent in manifest.agents.items() if agent.tools)}
    for flow in manifest.single_flows:
        if flow.kind == "handoff":
            links[flow.sender].append(flow.recipient)
            back[flow.recipient].append(flow.sender)
        else:
            able.add(flow.sender)
    traps = []
    for circle in _circles(links, back):
        members = set(circle)
        leads_out = any(to not in members for key in circle for to in links[key])
        leads_in = any(of not in members for key in circle for of in back[key])
        if leads_in and not leads_out and members.isdisjoint(able):
            traps.append([key for key in manifest.agents if key in members])
    order = list(manifest.agents)
    yield from map(_trap, sorted(traps, key=lambda trap: order.index(trap[0])))


def _trap(members: list[str]) -> Problem:
    what = (
        f"handoffs lead to {listed(members)}, who can only hand over to each other: none has tools,"
        " asks anybody, or hands back; add such a handoff, or the tools to answer"
    )
    return Problem(
        code="handoff-trap",
        message=what,
        path=("agents", members[0]),
        severity="warning",
        at_key=True,
        others=tuple(("agents", key) for key in members[1:]),
    )


def _circles(links: _Links, back: _Links) -> Iterator[list[str]]:
    """Yield each set of two or more agents, each of which leads to all others of it.

    Kosaraju's algorithm; `back` has the links turned round.
    """
    finished: dict[str, None] = {}
    for key in links:
        finished |= dict.fromkeys(_behind_all(key, links, finished))
    seen: dict[str, None] = {}
    for key in reversed(finished):
        members = list(_behind_all(key, back, seen))
        seen |= dict.fromkeys(members)
        if len(members) > 1:
            yield members


def _behind_all(start: str, links: _Links, done: Container[str]) -> Iterator[str]:
    """Yield what `start` leads to and is not done, each after all that it leads to itself."""
    if start in done:
        return
    entered = {start}
    way = [(start, iter(links[start]))]
    while way:
        key, rest = way[-1]
        following = next((each for each in rest if each not in entered and each not in done), None)
        if following is None:
            way.pop()
            yield key
        else:
            entered.add(following)
            way.append((following, iter(links[following])))
