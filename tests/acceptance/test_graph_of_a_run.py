"""`agency graph --run`: what a run did, on the picture of its agency."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agency_cli.graph import GRAPH_FORMATS
from agency_runs import message
from command_line import agency
from fake_server import FakeServer, ToolCall

TEAM = """\
version: 1
name: team
agents:
  boss: {description: Leads., instructions: You are the boss., model: gpt-5}
  worker: {description: Works., instructions: You are the worker., model: gpt-5-mini}
  helper: {description: Helps., instructions: You are the helper., model: home-made}
  idle: {description: Waits., instructions: You are idle., model: gpt-5}
flows:
  - boss > worker, idle
  - worker > helper
  - {from: boss, to: worker, tool_name: send_urgent, max_calls: 1}
  - {from: boss, to: helper, kind: handoff}
"""


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    """A run whose messages nest, fail and go by another tool, and that is handed over."""
    folder = tmp_path_factory.mktemp("team")
    (folder / "agency.yaml").write_text(TEAM)
    with FakeServer() as server:
        when = server.when
        urgent = ToolCall("send_urgent", message("worker", "Now"))
        asked = ToolCall("send_message", message("worker", "Do it"))
        when(instructions="the boss", tool_results=0).calls_raw(asked, urgent, urgent)
        when(instructions="the boss").calls("transfer_to_helper")
        when(instructions="the worker", tool_results=0).calls(
            "send_message", **message("helper", "Help")
        )
        when(instructions="the worker").says("Did it.")
        when(instructions="the helper").says("Helped.")
        done = agency("run", "agency.yaml", "Go", "--json", folder=folder, environ=server.env)
    assert done.code == 0, done.err
    return folder, json.loads(done.out)


def drawn(team: tuple[Path, dict[str, object]], *more: str):
    return agency("graph", "agency.yaml", *more, folder=team[0])


def test_each_flow_has_its_calls_failures_time_and_money(team):
    _, run = team
    found = json.loads(drawn(team, "--run", run["run_id"], "--format", "json").out)
    flows = {(f["from"], f["to"], f["tool_name"], f["kind"]): f["run"] for f in found["flows"]}
    plain = flows["boss", "worker", None, "message"]
    urgent = flows["boss", "worker", "send_urgent", "message"]
    assert (plain["calls"], plain["failures"]) == (1, 0)
    assert (urgent["calls"], urgent["failures"]) == (2, 1), "max_calls refused the second"
    assert flows["worker", "helper", None, "message"]["calls"] == 2
    assert flows["boss", "idle", None, "message"] == {
        "calls": 0,
        "failures": 0,
        "seconds": 0,
        "cost_usd": 0,
    }
    assert flows["boss", "helper", None, "handoff"]["calls"] == 1
    assert plain["seconds"] > 0
    assert plain["cost_usd"] is None, "the helper's model has no known price"


def test_turns_and_money_of_agents_are_those_of_the_run(team):
    _, run = team
    found = json.loads(drawn(team, "--run", "last", "--format", "json").out)
    drawn_costs = {a["agent"]: (a["run"]["turns"], a["run"]["cost_usd"]) for a in found["agents"]}
    assert drawn_costs.pop("idle") == (0, 0)
    told = {each["agent"]: each for each in run["agents"]}
    assert drawn_costs.keys() == told.keys()
    for agent, (turns, cost) in drawn_costs.items():
        assert turns == told[agent]["requests"]
        assert cost == told[agent]["cost_usd"]


@pytest.mark.parametrize("form", GRAPH_FORMATS)
def test_every_format_shows_it(team, form):
    _, run = team
    done = drawn(team, "--run", run["run_id"][:6], "--format", form)
    assert done.code == 0, done.err
    assert run["run_id"] in done.out
    if form != "json":
        assert "1 handoff" in done.out
        assert "2 turns" in done.out


def test_a_manifest_that_changed_since_is_told_of(team, tmp_path):
    folder, _ = team
    changed = folder / "changed.yaml"
    changed.write_text(TEAM.replace("  - worker > helper\n", ""))
    done = agency("graph", "changed.yaml", "--run", "last", folder=folder)
    assert done.code == 0
    assert "changed.yaml has changed since run" in done.err
    assert "not in the picture: worker > helper" in done.err


def test_a_run_of_another_agency_is_refused(team):
    folder, run = team
    (folder / "other.yaml").write_text(TEAM.replace("name: team", "name: other"))
    done = agency("graph", "other.yaml", "--run", run["run_id"], folder=folder)
    assert (done.code, done.out) == (2, "")
    assert "is of the agency 'team'" in done.err


@pytest.mark.parametrize("run", ["nothing", "", "%"])
def test_a_run_that_is_not_there_is_one_clear_error(team, run):
    done = drawn(team, "--run", run)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1


def test_the_name_of_a_file_says_its_format(team):
    folder, _ = team
    for name, begin in {
        "a.svg": "<svg",
        "a.dot": "digraph",
        "a.gv": "digraph",
        "a.mmd": "---",
    }.items():
        assert drawn(team, "-o", name).code == 0
        assert (folder / name).read_text().startswith(begin)
    assert drawn(team, "-o", "b.svg", "--format", "json").code == 0
    assert json.loads((folder / "b.svg").read_text())["name"] == "team"
    refused = drawn(team, "-o", "a.png")
    assert refused.code == 2
    assert "no format goes by .png" in refused.err
