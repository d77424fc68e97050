"""The models of the file format."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from agency_cli.manifest import Manifest


def manifest(**rest):
    agents = {key: {"instructions": "Work."} for key in ("a", "b", "c", "d")}
    return Manifest.model_validate({"version": 1, "name": "demo", "agents": agents, **rest})


def pairs(flows):
    return [(flow.sender, flow.recipient) for flow in manifest(flows=flows).single_flows]


@pytest.mark.parametrize(
    ("flows", "expected"),
    [
        (["a > b"], [("a", "b")]),
        (["a > b, c"], [("a", "b"), ("a", "c")]),
        (["a > b > c"], [("a", "b"), ("b", "c")]),
        (["a, b > c, d"], [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]),
        ([" a>b "], [("a", "b")]),
        ([{"from": "a", "to": "b"}], [("a", "b")]),
        ([{"from": "a", "to": ["b", "c"]}], [("a", "b"), ("a", "c")]),
        ([], []),
    ],
)
def test_each_form_of_flows_is_taken_apart_into_pairs(flows, expected):
    assert pairs(flows) == expected


def test_a_single_flow_says_where_it_is_written():
    flows = ["a > b", {"from": "a", "to": "c"}, {"from": "b", "to": ["a", "c"]}]
    paths = [flow.path for flow in manifest(flows=flows).single_flows]
    assert paths == [
        ("flows", 0),
        ("flows", 1, "to"),
        ("flows", 2, "to", 0),
        ("flows", 2, "to", 1),
    ]


def test_without_entry_the_agents_that_no_flow_reaches_are_the_entries():
    assert manifest(flows=["a > b, c"]).entries == ("a", "d")
    assert manifest(flows=["a > b, c"], entry="c").entries == ("c",)
    assert manifest(flows=["a > b, c"], entry=["c", "b"]).entries == ("c", "b")


def test_reached_agents_come_nearest_first_and_cycles_end():
    assert manifest(flows=["a > b > c > a"]).reached_from("b") == ["b", "c", "a"]


@pytest.mark.parametrize(
    "rest",
    [
        {"tracing": "true"},
        {"limits": {"max_turns": 3.0}},
        {"limits": {"max_seconds": float("inf")}},
        {"agents": {}},
        {"agents": {"a b": {"instructions": "Work."}}},
        {"entries": "a"},
    ],
)
def test_values_are_taken_as_they_are_or_not_at_all(rest):
    with pytest.raises(ValidationError):
        manifest(**rest)


def test_a_manifest_cannot_be_changed():
    with pytest.raises(ValidationError):
        manifest().name = "other"
