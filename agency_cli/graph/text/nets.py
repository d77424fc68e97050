"""Flows gathered into lines: each line is one net that connects boxes from above and below.

A net says that every agent at one of its plain ends may reach every agent at one of its
arrowheads. Flows share a net only where that is true of all of them, so that no picture says
more than the manifest. A net with arrowheads at both of its two ends is a pair of flows, there
and back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from agency_cli.graph.text.layers import Pair

Item = str | int
"""What stands in a row: an agent's box, by its key, or a net on its way through, by its index."""

Heads = Literal["lower", "upper", "both"]


class Net(NamedTuple):
    """One line of the picture.

    Attributes:
        kind: What tells it from other lines: the kind of its flows, it may be with more.
        heads: At which of its ends there are arrowheads.
        uppers: Agents whose boxes it touches at their lower border.
        lowers: Agents whose boxes it touches at their upper border.
    """

    kind: str
    heads: Heads
    uppers: tuple[str, ...]
    lowers: tuple[str, ...]

    def pairs(self) -> set[Pair]:
        """Return the flows that lead the one way; an agent at both ends does not reach itself."""
        down = {(upper, lower) for upper in self.uppers for lower in self.lowers}
        flows = down if self.heads != "upper" else {(sender, to) for to, sender in down}
        return {(sender, recipient) for sender, recipient in flows if sender != recipient}


def nets_of(
    flows: Mapping[str, Collection[Pair]], row: Mapping[str, int], *, two_way: bool
) -> list[Net]:
    """Return nets that together say exactly these flows.

    Args:
        flows: The pairs of sender and recipient, by kind.
        row: Each agent's row, counted downwards; no flow stays within one.
        two_way: Draw a pair of flows, there and back, as one line with two arrowheads.
    """
    nets: list[Net] = []
    for kind, pairs in flows.items():
        mutual = [pair for pair in pairs if two_way and pair[::-1] in pairs]
        single = [pair for pair in pairs if pair not in mutual]
        nets += [Net(kind, "both", (a,), (b,)) for a, b in mutual if row[a] < row[b]]
        nets += _gathered(kind, "lower", [pair for pair in single if row[pair[0]] < row[pair[1]]])
        nets += _gathered(kind, "upper", [pair for pair in single if row[pair[0]] > row[pair[1]]])
    return nets


def _gathered(kind: str, heads: Heads, pairs: Sequence[Pair]) -> list[Net]:
    """Return one net a sender, then those joined that have a recipient in common and may be."""
    nets = []
    for sender in dict.fromkeys(sender for sender, _ in pairs):
        recipients = tuple(recipient for other, recipient in pairs if other == sender)
        nets.append(_net(kind, heads, (sender,), recipients))
    said = set(pairs)
    while joined := _first_joined(nets, said):
        one, other, both = joined
        nets = [both if net is one else net for net in nets if net is not other]
    return nets


def _first_joined(nets: Sequence[Net], said: Collection[Pair]) -> tuple[Net, Net, Net] | None:
    for one, other in combinations(nets, 2):
        both = _joined(one, other)
        in_common = len(both.lowers) < len(one.lowers) + len(other.lowers)
        if one.heads == "upper":
            in_common = len(both.uppers) < len(one.uppers) + len(other.uppers)
        if in_common and all(pair in said for pair in both.pairs()):
            return one, other, both
    return None


def _joined(one: Net, other: Net) -> Net:
    uppers = tuple(dict.fromkeys(one.uppers + other.uppers))
    lowers = tuple(dict.fromkeys(one.lowers + other.lowers))
    return Net(one.kind, one.heads, uppers, lowers)


def _net(kind: str, heads: Heads, senders: tuple[str, ...], recipients: tuple[str, ...]) -> Net:
    if heads == "lower":
        return Net(kind, heads, senders, recipients)
    return Net(kind, heads, recipients, senders)


class Link(NamedTuple):
    """The part of a net between two rows: what it connects in the upper and in the lower one."""

    net: int
    tops: tuple[Item, ...]
    bottoms: tuple[Item, ...]


class Plan(NamedTuple):
    """Rows of items, and the links between each row and the next."""

    nets: tuple[Net, ...]
    rows: tuple[tuple[Item, ...], ...]
    links: tuple[tuple[Link, ...], ...]


def plan_of(
    agents: Sequence[Sequence[str]],
    flows: Mapping[str, Collection[Pair]],
    *,
    two_way: bool,
) -> Plan:
    """Return the rows with a place for every net that passes through, in no special order."""
    row = {agent: index for index, members in enumerate(agents) for agent in members}
    nets = nets_of(flows, row, two_way=two_way)
    spans = [
        range(min(row[end] for end in net.uppers) + 1, max(row[end] for end in net.lowers))
        for net in nets
    ]
    rows: list[tuple[Item, ...]] = []
    for index, members in enumerate(agents):
        passing = [net for net, span in enumerate(spans) if index in span]
        rows.append((*members, *passing))
    links = [
        tuple(_links(nets, row, upper, rows[upper], rows[upper + 1]))
        for upper in range(len(rows) - 1)
    ]
    return Plan(tuple(nets), tuple(rows), tuple(links))


def _links(
    nets: Sequence[Net],
    row: Mapping[str, int],
    upper: int,
    above: Collection[Item],
    below: Collection[Item],
) -> list[Link]:
    links = []
    for index, net in enumerate(nets):
        tops: list[Item] = [end for end in net.uppers if row[end] == upper]
        bottoms: list[Item] = [end for end in net.lowers if row[end] == upper + 1]
        tops += [index] if index in above else []
        bottoms += [index] if index in below else []
        if tops:
            links.append(Link(index, tuple(tops), tuple(bottoms)))
    return links
