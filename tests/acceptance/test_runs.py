"""`agency runs` as it is typed: what happened is told again, and what it cost added up."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agency_runs import message
from command_line import Finished, agency, command, environment
from fake_server import FakeServer, Fault, Reply

TEAM = """\
version: 1
name: team
agents:
  boss: {instructions: You are the boss., model: gpt-5}
  worker: {instructions: You are the worker., model: gpt-5-mini}
flows: [boss > worker]
"""


@pytest.fixture
def team(tmp_path: Path) -> Path:
    path = tmp_path / "agency.yaml"
    path.write_text(TEAM)
    return path


@dataclass(frozen=True)
class Past:
    """Two runs of the past: what `run --json` printed of them, and the tokens that were served."""

    folder: Path
    first: dict[str, Any]
    second: dict[str, Any]
    tokens: int

    def runs(self, *arguments: str) -> Finished:
        return agency("runs", *arguments, folder=self.folder)

    @property
    def both(self) -> list[dict[str, Any]]:
        return [self.first, self.second]


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    folder = tmp_path_factory.mktemp("past")
    (folder / "agency.yaml").write_text(TEAM)
    with FakeServer() as server:
        when = server.when
        when(instructions="the boss", turn=0).calls("send_message", **message("worker", "Do it"))
        when(instructions="the boss").says("It is *done*.")
        when(instructions="the worker").says("Did it.")
        first, second = (
            json.loads(
                agency("run", "agency.yaml", text, "--json", folder=folder, environ=server.env).out
            )
            for text in ("First", "Second")
        )
        return Past(folder, first, second, server.counted.total.total)


def test_list_tells_every_run_the_latest_first(past):
    done = past.runs("list")
    lines = done.out.splitlines()
    assert re.match(r"RUN +STATUS +AGENCY +COST +AGE +MESSAGE$", lines[0])
    assert [line.split()[0] for line in lines[1:]] == [run["run_id"] for run in reversed(past.both)]
    assert re.match(r"\w+ +ok +team +\$0\.\d+ +\d+s +Second$", lines[1])
    (listed, _) = json.loads(past.runs("list", "--json").out)
    assert listed["cost_usd"] == pytest.approx(past.second["cost_usd"])
    assert listed["thread_id"] == past.second["thread_id"]
    assert listed["models"] == {"boss": "gpt-5", "worker": "gpt-5-mini"}


def test_list_keeps_to_a_status_and_an_agency(past):
    for option, number in (("--status=ok", 2), ("--status=killed", 0), ("--agency=other", 0)):
        done = past.runs("list", "--json", option)
        assert len(json.loads(done.out)) == number
    assert past.runs("list", "--status=killed").out == "no runs\n"
    assert past.runs("list", "--status=kiled").code == 2


def test_list_keeps_to_a_time_and_to_the_latest(past):
    latest = json.loads(past.runs("list", "--json", "--limit", "1").out)
    assert [run["run_id"] for run in latest] == [past.second["run_id"]]
    begun = past.second["tree"]["started_at"]
    for since, number in (("1h", 2), (begun, 0), ("2999-01-01", 0)):
        assert len(json.loads(past.runs("list", "--json", "--since", since).out)) == number
    for wrong in ("--since=yesterday", "--limit=0", "--limit=x"):
        done = past.runs("list", wrong)
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)


def test_the_file_of_the_store_alone_is_the_whole_store_when_all_are_done(past, tmp_path):
    (file,) = (past.folder / "store").glob("agency.db*")
    copy = tmp_path / "copy.db"
    shutil.copyfile(file, copy)
    listed = past.runs("list", "--json", "--store", f"sqlite:///{copy}")
    assert json.loads(listed.out) == json.loads(past.runs("list", "--json").out)


def test_a_page_goes_to_a_file_or_to_stdout_and_is_the_same(past):
    run_id = past.first["run_id"]
    wrote = past.runs("show", run_id, "--html", "page.html")
    assert (wrote.code, wrote.out, wrote.err) == (0, "", "wrote page.html\n")
    printed = past.runs("show", run_id, "--html", "-")
    assert (printed.code, printed.err) == (0, "")
    assert printed.out == (past.folder / "page.html").read_text(encoding="utf-8")
    both = past.runs("show", run_id, "--html", "-", "--json")
    assert (both.code, both.out, len(both.err.splitlines())) == (2, "", 1)


def test_show_prints_the_same_object_as_the_run_did(past):
    for run in past.both:
        shown = past.runs("show", run["run_id"], "--json")
        assert json.loads(shown.out) == run


def test_show_draws_the_tree_the_answer_and_the_costs_again(past):
    done = past.runs("show", past.first["run_id"], "--verbose")
    assert (done.code, done.err) == (0, "")
    for part in ("boss starts", "worker starts", "Did it.", "It is *done*.", "gpt-5-mini", "total"):
        assert part in done.out


def test_show_tells_why_a_run_failed(team, fake_server, tmp_path):
    fake_server.when(instructions="the boss").fails(Fault.status(401))
    failed = agency("run", team, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    done = agency("runs", "show", json.loads(failed.out)["run_id"], folder=tmp_path)
    assert "HTTP 401" in done.out.splitlines()[-1]
    assert done.code == 0


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("model", ["gpt-5", "gpt-5-mini"]),
        ("agent", ["team/boss", "team/worker"]),
        ("agency", ["team"]),
    ],
)
def test_costs_add_up_all_runs_by_what_is_asked(past, by, names):
    told = json.loads(past.runs("costs", "--by", by, "--json").out)
    assert sorted(part[by] for part in told["costs"]) == names
    assert told["cost_usd"] == pytest.approx(sum(run["cost_usd"] for run in past.both))
    assert sum(part["cost_usd"] for part in told["costs"]) == pytest.approx(told["cost_usd"])
    assert told["total_tokens"] == past.tokens
    text = past.runs("costs", "--by", by).out
    assert text.splitlines()[0].split() == [by, "requests", "input", "cached", "output", "cost"]
    assert text.splitlines()[-1].split()[0] == "total"


def test_costs_keep_to_the_time_that_is_asked(past):
    day = json.loads(past.runs("costs", "--by", "day", "--json").out)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day["costs"][0]["day"])
    assert past.runs("costs", "--since", "2999-01-01").out == ("no model calls\n")
    lately = past.runs("costs", "--since", "1h", "--json")
    assert json.loads(lately.out)["requests"] == day["requests"]
    wrong = past.runs("costs", "--since", "yesterday")
    assert (wrong.code, wrong.out) == (2, "")
    assert "--since yesterday is no time" in wrong.err


def test_delete_takes_one_run_away(past, tmp_path):
    past = replace(past, folder=shutil.copytree(past.folder, tmp_path / "copy"))
    assert past.runs("delete", past.first["run_id"]).code == 0
    (left,) = json.loads(past.runs("list", "--json").out)
    assert left["run_id"] == past.second["run_id"]


def test_delete_takes_all_that_are_named_or_none(past, tmp_path):
    past = replace(past, folder=shutil.copytree(past.folder, tmp_path / "copy"))
    ids = [run["run_id"] for run in past.both]
    assert past.runs("delete", *ids, "nope").code == 2
    assert len(json.loads(past.runs("list", "--json").out)) == 2
    done = past.runs("delete", *ids)
    assert (done.code, done.out) == (0, "")
    assert json.loads(past.runs("list", "--json").out) == []


@pytest.mark.parametrize("verb", ["show", "delete", "export"])
def test_a_run_that_is_not_there_is_a_clear_error(past, verb):
    done = past.runs(verb, "nope")
    assert (done.code, done.out) == (2, "")
    assert "there is no run 'nope'" in done.err


def test_without_a_store_the_error_says_where_it_was_looked_for(tmp_path):
    done = agency("runs", "list", folder=tmp_path)
    assert done.code == 1
    assert str(tmp_path / "store" / "agency.db") in done.err


def test_a_run_is_running_then_killed_with_its_process_then_resumed(team, fake_server, tmp_path):
    late, answer = Reply(text="Late.", delay=60), Reply(text="In time.")
    fake_server.when(instructions="the boss").replies(late, answer)
    process = subprocess.Popen(
        command("run", team, "Go"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(tmp_path, fake_server.env),
        cwd=tmp_path,
    )
    try:
        while not fake_server.requests:
            assert process.poll() is None
            time.sleep(0.05)
        (running,) = json.loads(agency("runs", "list", "--json", folder=tmp_path).out)
        assert running["status"] == "running"
        refused = agency("runs", "delete", running["run_id"], folder=tmp_path)
        assert refused.code == 2
        assert "is running" in refused.err
        refused = agency("runs", "export", running["run_id"], folder=tmp_path)
        assert (refused.code, refused.out) == (2, "")
        assert "is running" in refused.err
        others = agency("runs", "export", "--all", folder=tmp_path)
        assert others.code == 0
        assert running["run_id"] not in others.out
        assert f"run {running['run_id']} is running, and left out" in others.err
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    (killed,) = json.loads(agency("runs", "list", "--json", folder=tmp_path).out)
    assert killed["status"] == "killed"
    shown = json.loads(agency("runs", "show", killed["run_id"], "--json", folder=tmp_path).out)
    assert shown["status"] == shown["error"]["kind"] == "killed"
    assert shown["tree"]["status"] == "cancelled"
    assert shown["usage"]["requests"] == 1
    run_id = killed["run_id"]
    resumed = agency("runs", "resume", run_id, "--json", folder=tmp_path, environ=fake_server.env)
    done = json.loads(resumed.out)
    assert (done["status"], done["final_output"]) == ("ok", "In time.")
    assert done["usage"]["requests"] == len(fake_server.requests) == 2


def test_a_run_that_stopped_says_how_to_go_on_and_does_by_that_command(team, fake_server, tmp_path):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "Do it"))
    when(instructions="the boss").says("It is *done*.")
    when(instructions="the worker").fails(Fault.status(401, times=1))
    when(instructions="the worker").says("Did it.")
    text = team.read_text().replace("[boss > worker]", "[{from: boss, to: worker, on_error: fail}]")
    team.write_text(text)
    stopped = agency("run", team, "Go", folder=tmp_path, environ=fake_server.env)
    assert stopped.code == 6
    hint = next(line for line in stopped.err.splitlines() if line.startswith("to go on"))
    words = shlex.split(hint.partition(": ")[2])
    assert words[:3] == ["agency", "runs", "resume"]
    done = agency(*words[1:], folder=tmp_path, environ=fake_server.env)
    assert (done.code, done.out) == (0, "It is *done*.\n")
    assert "resumed: 1 model response and 0 results" in done.err
    assert [len(fake_server.requests), fake_server.counted.requests] == [4, 4]
    again = agency(*words[1:], folder=tmp_path, environ=fake_server.env)
    assert (again.code, again.out) == (2, "")
    assert "is done" in again.err


def test_a_missing_key_stops_a_resume_before_anything_changes(team, fake_server, tmp_path):
    fake_server.when(instructions="the boss").fails(Fault.status(401))
    failed = agency("run", team, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    run_id = json.loads(failed.out)["run_id"]
    before = agency("runs", "show", run_id, "--json", folder=tmp_path).out
    refused = agency("runs", "resume", run_id, folder=tmp_path)
    assert refused.code == 6
    assert "OPENAI_API_KEY" in refused.err
    assert agency("runs", "show", run_id, "--json", folder=tmp_path).out == before
