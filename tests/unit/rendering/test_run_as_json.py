"""A run as JSON: the object of `--json`, the lines of `--jsonl`."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from replays import NOON, REPLAYS, at, failing, long_run, three_levels
from terminals import AsciiTerminal, ClosedPipe, Pipe

from agency_cli.calltree import CallTree
from agency_cli.event_json import event_from_json, event_json
from agency_cli.events import NodeStarted, TextDelta
from agency_cli.rendering.jsonl import JsonlWatcher
from agency_cli.rendering.run_json import print_json, run_json

NAMES = sorted(REPLAYS)
USAGE = [
    *("requests", "input_tokens", "cached_input_tokens"),
    *("output_tokens", "reasoning_tokens", "total_tokens"),
]


def nodes_of(node):
    yield node
    for child in node["children"]:
        yield from nodes_of(child)


def whole(recording):
    return run_json(CallTree.of(recording.events))


def test_the_object_has_exactly_the_documented_keys():
    value = whole(failing())
    assert list(value) == [
        *("run_id", "thread_id", "status", "final_output", "final_agent", "error", "usage"),
        *("cost_usd", "unpriced_models", "calls_cut_off", "models", "agents", "seconds", "tree"),
    ]
    assert list(value["error"]) == ["kind", "message", "agent"]
    assert list(value["usage"]) == USAGE
    assert list(value["models"][0]) == ["model", *USAGE, "cost_usd"]
    assert list(value["agents"][0]) == ["agent", *USAGE, "cost_usd"]
    for node in nodes_of(value["tree"]):
        assert list(node) == [
            *("id", "kind", "name", "agent", "model", "status", "error", "started_at"),
            *("seconds", "usage", "cost_usd", "children"),
        ]
        assert list(node["usage"]) == USAGE


@pytest.mark.parametrize("name", NAMES)
def test_models_agents_and_the_trees_model_nodes_sum_up_to_the_same(name):
    value = whole(REPLAYS[name]())
    calls = [node for node in nodes_of(value["tree"]) if node["kind"] == "model"]
    for key in USAGE:
        total = value["usage"][key]
        assert sum(model[key] for model in value["models"]) == total
        assert sum(agent[key] for agent in value["agents"]) == total
        assert sum(node["usage"][key] for node in calls) == total
        assert value["tree"]["usage"][key] == total


def test_a_cost_that_is_unknown_is_null_and_says_of_which_model():
    value = whole(failing())
    assert value["cost_usd"] is None
    assert value["unpriced_models"] == ["llama3.3:70b"]
    assert {model["model"]: model["cost_usd"] for model in value["models"]} == {
        "gpt-5.6": 0.0123,
        "llama3.3:70b": None,
    }
    assert value["tree"]["cost_usd"] is None


def test_a_failed_run_has_its_error_and_no_output():
    value = whole(failing())
    assert (value["status"], value["final_output"], value["final_agent"]) == ("error", None, None)
    assert value["error"]["kind"] == "provider"
    assert value["error"]["agent"] == "developer"


def test_times_are_in_utc():
    started_at = whole(three_levels())["tree"]["started_at"]
    assert started_at == "2026-03-01T12:00:00Z"
    assert datetime.fromisoformat(started_at) == NOON


def test_a_run_that_goes_on_can_be_told_too():
    value = run_json(three_levels().until(2.2))
    assert value["status"] == "running"
    assert value["seconds"] is None
    assert value["tree"]["status"] == "running"


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_rebuild_the_same_tree(name):
    recording, stream = REPLAYS[name](), Pipe()
    tree = CallTree()
    with JsonlWatcher(tree, stream) as watcher:
        for event in recording.events:
            watcher.on_event(event)
    lines = stream.getvalue().splitlines()
    events = [event_from_json(json.loads(line)) for line in lines]
    assert events == recording.events
    assert CallTree.of(events) == tree == CallTree.of(recording.events)
    assert run_json(CallTree.of(events)) == run_json(tree)


def test_each_event_is_one_line_that_names_its_kind():
    kinds = [event_json(event)["event"] for event in three_levels().events]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_ended"
    assert set(kinds) == {"run_started", "node_started", "text_delta", "node_ended", "run_ended"}


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"event": "nothing"},
        {"event": ["run_started"]},
        {"event": "notice", "text": "no time"},
        {"event": "notice", "text": "x", "at": "yesterday"},
        {"event": "text_delta", "node_id": "1", "text": "x", "more": 1},
        {"event": "node_ended", "cost_usd": "dear"},
    ],
)
def test_what_is_no_event_is_refused(line):
    with pytest.raises(ValueError, match=r"."):
        event_from_json(line)


def test_text_that_the_stream_cannot_write_is_escaped_and_comes_back_whole():
    event = TextDelta(node_id="é", text="漢字 \ud83d alone \u2028 \x9b")
    for stream in (Pipe(), AsciiTerminal()):
        print_json(event_json(event), stream)
        assert event_from_json(json.loads(stream.getvalue())) == event
        assert len(stream.getvalue().splitlines()) == 1
        assert "\x9b" not in stream.getvalue()


def test_a_reader_that_goes_away_does_not_disturb_the_run():
    tree = CallTree()
    watcher = JsonlWatcher(tree, ClosedPipe())
    for event in long_run().events:
        watcher.on_event(event)
    assert tree == CallTree.of(long_run().events)


def test_a_tree_of_any_depth_becomes_an_object():
    recording = three_levels()
    tree = recording.until(0)
    above = "n1"
    for number in range(3_000):
        event = NodeStarted(
            id=f"deep{number}", parent_id=above, kind="agent", name="a", agent="a", at=at(0)
        )
        tree.add(event)
        above = event.id
    node = run_json(tree)["tree"]
    depth = 0
    while node["children"]:
        node, depth = node["children"][-1], depth + 1
    assert depth == 3_000
