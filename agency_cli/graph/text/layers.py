"""Which agents belong to one picture, and in which row of it each stands."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence

Pair = tuple[str, str]


def parts_of(agents: Sequence[str], pairs: Collection[Pair]) -> list[list[str]]:
    """Return the agents in groups that no flow connects, each in the order given."""
    near: dict[str, set[str]] = {agent: set() for agent in agents}
    for sender, recipient in pairs:
        near[sender].add(recipient)
        near[recipient].add(sender)
    parts: list[list[str]] = []
    seen: set[str] = set()
    for agent in agents:
        if agent not in seen:
            part = _reached([agent], near).keys()
            seen |= part
            parts.append([member for member in agents if member in part])
    return parts


def rows_of(
    agents: Sequence[str], pairs: Collection[Pair], entries: Collection[str]
) -> list[list[str]]:
    """Return the agents in rows so that no flow stays within a row, most flows leading down.

    Flows are first told apart into those that lead down and those that lead up: entry agents
    come before others; an agent comes before those that it reaches without being reached back;
    within a cycle the agents nearest to an entry come first. Each agent then stands one row
    below the lowest of those that lead down to it.
    """
    order = _order(agents, pairs, entries)
    place = {agent: index for index, agent in enumerate(order)}
    below: dict[str, set[str]] = {agent: set() for agent in agents}
    above: dict[str, set[str]] = {agent: set() for agent in agents}
    for pair in pairs:
        upper, lower = sorted(pair, key=place.__getitem__)
        below[upper].add(lower)
        above[lower].add(upper)
    row: dict[str, int] = {}
    for agent in order:
        row[agent] = max((row[upper] + 1 for upper in above[agent]), default=0)
    for agent in reversed(order):
        if not above[agent] and below[agent] and agent not in entries:
            row[agent] = min(row[lower] for lower in below[agent]) - 1
    rows: list[list[str]] = [[] for _ in range(max(row.values()) + 1)]
    for agent in agents:
        rows[row[agent]].append(agent)
    return rows


def _order(agents: Sequence[str], pairs: Collection[Pair], entries: Collection[str]) -> list[str]:
    onward: dict[str, set[str]] = {agent: set() for agent in agents}
    for sender, recipient in pairs:
        onward[sender].add(recipient)
    reach = {agent: len(_reached([agent], onward)) for agent in agents}
    roots = [agent for agent in agents if agent in entries]
    depth = _reached(roots, onward)
    for agent in sorted(agents, key=lambda agent: -reach[agent]):
        if agent not in depth:
            depth.update(_reached([agent], onward, stop=depth))
    # What an agent reaches, it reaches whoever reaches it: a larger number comes first.
    return sorted(agents, key=lambda agent: (agent not in entries, -reach[agent], depth[agent]))


def _reached(
    roots: Iterable[str], onward: dict[str, set[str]], *, stop: Collection[str] = ()
) -> dict[str, int]:
    depth = dict.fromkeys(roots, 0)
    waiting = deque(depth)
    while waiting:
        agent = waiting.popleft()
        for other in onward[agent]:
            if other not in depth and other not in stop:
                depth[other] = depth[agent] + 1
                waiting.append(other)
    return depth
