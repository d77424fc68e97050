"""The call tree: folding events, adding up what calls used."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from agency_cli.calltree import CallTree, Totals
from agency_cli.events import NodeEnded, NodeStarted, TextDelta, Usage
from agency_cli.rendering.figures import cost
from agency_cli.rendering.glyphs import UNICODE
from agency_cli.rendering.summary import cost_lines

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def started(node_id, parent_id, kind, name, agent):
    return NodeStarted(id=node_id, parent_id=parent_id, kind=kind, name=name, agent=agent, at=NOON)


def ended(node_id, *, usage=None, cost=None, status="ok"):
    return NodeEnded(
        id=node_id,
        status=status,
        at=NOON,
        seconds=1.0,
        usage=usage,
        cost_usd=None if cost is None else Decimal(cost),
    )


def test_a_call_that_was_cut_off_before_it_told_its_usage_is_not_free():
    usage = Usage(1, 100, 0, 0, 20, 0)
    whole = [
        started("ceo", None, "agent", "ceo", "ceo"),
        started("c1", "ceo", "model", "large", "ceo"),
        ended("c1", usage=usage, cost="0.10", status="cancelled"),
        started("c2", "ceo", "model", "large", "ceo"),
        ended("c2", usage=Usage(requests=1), status="error"),
    ]
    assert CallTree.of(whole).totals.cut_off == 0
    cut = [
        *whole,
        started("c3", "ceo", "model", "large", "ceo"),
        ended("c3", usage=Usage(requests=1), status="cancelled"),
    ]
    totals = CallTree.of(cut).totals
    assert totals.cut_off == 1
    assert cost(totals) == "≥ $0.1000"
    assert (
        "1 model call ended before"
        in [line.text for line in cost_lines({"m": totals}, {}, UNICODE)][-1]
    )


@pytest.fixture
def events():
    """Give a run of three agents below each other, the calls of one at an unknown price."""
    return [
        started("ceo", None, "agent", "ceo", "ceo"),
        started("c1", "ceo", "model", "large", "ceo"),
        ended("c1", usage=Usage(1, 100, 10, 0, 20, 5), cost="0.10"),
        started("m1", "ceo", "message", "send_message", "ceo"),
        started("developer", "m1", "agent", "developer", "developer"),
        started("c2", "developer", "model", "small", "developer"),
        ended("c2", usage=Usage(1, 50, 0, 0, 5, 0), cost="0.01"),
        started("m2", "developer", "message", "send_message", "developer"),
        started("assistant", "m2", "agent", "assistant", "assistant"),
        started("c3", "assistant", "model", "own", "assistant"),
        ended("c3", usage=Usage(1, 7, 0, 0, 3, 0)),
        started("c4", "assistant", "model", "small", "assistant"),
        ended("c4", usage=Usage(requests=1), status="error"),
        ended("assistant"),
        ended("m2"),
        ended("developer"),
        ended("m1"),
        ended("ceo"),
    ]


def test_models_agents_tree_and_root_add_up_to_the_same(events):
    tree = CallTree.of(events)
    whole = tree.totals
    calls = [node for node in tree.nodes.values() if node.kind == "model"]
    for parts in (tree.by_model().values(), tree.by_agent().values(), [tree.root.totals]):
        added = sum(parts, Totals())
        assert added.usage == whole.usage == Totals.of(calls).usage
        assert added.cost_usd == whole.cost_usd == Decimal("0.11")
        assert added.turns == whole.turns == 3
    assert whole.usage == Usage(4, 157, 10, 0, 28, 5)


def test_every_node_holds_what_was_used_below_it(events):
    nodes = CallTree.of(events).nodes
    for node in nodes.values():
        assert node.totals == Totals.of(node.walk())
    assert nodes["developer"].totals.usage.requests == 3
    assert nodes["c2"].totals.cost_usd == Decimal("0.01")


def test_an_unknown_price_makes_every_cost_above_it_unknown_and_none_beside_it(events):
    tree = CallTree.of(events)
    assert tree.totals.known_cost_usd is None
    assert tree.totals.unpriced_models == ("own",)
    assert tree.nodes["developer"].totals.known_cost_usd is None
    assert tree.by_agent()["ceo"].known_cost_usd == Decimal("0.10")
    assert tree.by_model()["small"].known_cost_usd == Decimal("0.01")


def test_a_failed_call_is_a_request_but_no_turn(events):
    totals = CallTree.of(events).by_model()["small"]
    assert (totals.usage.requests, totals.turns) == (2, 1)


def test_nodes_come_out_each_before_those_below_it(events):
    tree = CallTree.of(events)
    order = [node.id for node in tree.root.walk()]
    assert order == ["ceo", "c1", "m1", "developer", "c2", "m2", "assistant", "c3", "c4"]


def test_streamed_text_is_kept_and_its_end_is_at_hand():
    tree = CallTree.of([started("c", None, "model", "small", "ceo")])
    for piece in ("one ", "two ", "three"):
        tree.add(TextDelta(node_id="c", text=piece))
    node = tree.nodes["c"]
    assert node.text == "one two three"
    assert node.last_text(7) == "two three"
    assert node.last_text(100) == "one two three"


def test_a_chain_of_a_thousand_agents_is_no_trouble():
    events = [started("0", None, "agent", "a", "a")]
    events += [started(str(i), str(i - 1), "agent", "a", "a") for i in range(1, 2_000)]
    events += [started("call", "1999", "model", "small", "a")]
    events += [ended("call", usage=Usage(1, 1, 0, 0, 1, 0), cost="0.5")]
    tree = CallTree.of(events)
    assert tree.root.totals.cost_usd == Decimal("0.5")
    assert sum(1 for _ in tree.root.walk()) == 2_001


def test_trees_of_the_same_events_are_equal_and_others_are_not(events):
    assert CallTree.of(events) == CallTree.of(events)
    assert CallTree.of(events) != CallTree.of(events[:-1])
    assert "parent" not in repr(CallTree.of(events).root)
