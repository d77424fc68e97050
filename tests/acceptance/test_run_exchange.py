"""Runs that move: exported on one machine, imported, shown and resumed on another."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agency_runs import message
from command_line import Finished, agency
from fake_server import FakeServer, Fault

TEAM = """\
version: 1
name: team
agents:
  boss: {instructions: You are the boss., model: gpt-5}
  worker: {instructions: You are the worker., model: gpt-5-mini}
flows: [{from: boss, to: worker, on_error: fail}]
"""


@dataclass(frozen=True)
class Machine:
    """A folder with the manifest and a store of its own."""

    folder: Path
    server: FakeServer

    def agency(self, *arguments: str | Path, stdin: str | None = None) -> Finished:
        return agency(*arguments, folder=self.folder, environ=self.server.env, stdin=stdin)

    def runs(self, *arguments: str | Path, stdin: str | None = None) -> Finished:
        return self.agency("runs", *arguments, stdin=stdin)

    def told(self, *arguments: str) -> Any:
        done = self.agency(*arguments, "--json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    def send(self, text: str, *options: str) -> dict[str, Any]:
        return json.loads(self.agency("run", "agency.yaml", text, "--json", *options).out)


@pytest.fixture
def home(tmp_path: Path, fake_server: FakeServer) -> Machine:
    return machine(tmp_path / "home", fake_server)


@pytest.fixture
def away(tmp_path: Path, fake_server: FakeServer) -> Machine:
    return machine(tmp_path / "away", fake_server)


def machine(folder: Path, server: FakeServer) -> Machine:
    folder.mkdir()
    (folder / "agency.yaml").write_text(TEAM)
    return Machine(folder, server)


def answer_well(server: FakeServer) -> None:
    when = server.when
    when(instructions="the boss", user="Go", turn=0).calls(
        "send_message", **message("worker", "Do it")
    )
    when(instructions="the boss").says("It is done.")
    when(instructions="the worker").says("Did it.")


def test_an_imported_run_is_told_just_as_at_home(home, away, fake_server):
    answer_well(fake_server)
    runs = [home.send("Go"), home.send("Hello")]
    exported = home.runs("export", "--all")
    assert exported.code == 0
    assert all(isinstance(json.loads(line), dict) for line in exported.out.splitlines())
    imported = away.runs("import", "-", stdin=exported.out)
    assert (imported.code, imported.out) == (0, "")
    for run in runs:
        assert f"imported run {run['run_id']}" in imported.err
        assert away.told("runs", "show", run["run_id"]) == run
        of_thread = ("threads", "show", run["thread_id"])
        assert away.told(*of_thread) == home.told(*of_thread)
    assert away.told("runs", "list") == home.told("runs", "list")
    assert away.told("runs", "costs") == home.told("runs", "costs")


def test_an_imported_run_is_resumed_with_what_its_thread_knew(home, away, fake_server):
    when = fake_server.when
    when(instructions="the boss", user="Remember").says("I remember 42.")
    when(instructions="the boss", user="Go", tool_results=0).calls(
        "send_message", **message("worker", "Do it")
    )
    when(instructions="the boss").says("It is done.")
    when(instructions="the worker").fails(Fault.status(401, times=1))
    when(instructions="the worker").says("Did it.")
    home.send("Remember 42", "--thread=t")
    failed = home.send("Go", "--thread=t")
    assert failed["status"] == "error"
    run_id = failed["run_id"]
    assert home.runs("export", run_id, "-o", "run.jsonl").code == 0
    shutil.copy(home.folder / "run.jsonl", away.folder)
    (home.folder / "agency.yaml").unlink()
    assert away.runs("import", "run.jsonl").code == 0
    lost = away.runs("resume", run_id)
    assert (lost.code, lost.out) == (2, "")
    assert "is not there; say where it is with --manifest" in lost.err
    before = len(fake_server.requests)
    done = away.runs("resume", run_id, "-m", "agency.yaml")
    assert (done.code, done.out) == (0, "It is done.\n")
    asked = fake_server.requests[before:]
    assert len(asked) == 2, "the boss had been answered at home"
    assert "I remember 42." in json.dumps(asked[-1].body)
    assert [run["run_id"] for run in away.told("runs", "list")] == [run_id]


def test_an_imported_answer_that_is_none_is_told_as_damaged_when_it_is_needed(
    home, away, fake_server
):
    when = fake_server.when
    when(instructions="the boss").calls("send_message", **message("worker", "Do it"))
    when(instructions="the worker").fails(Fault.status(401))
    run_id = home.send("Go")["run_id"]
    lines = [json.loads(line) for line in home.runs("export", run_id).out.splitlines()]
    (answered,) = [line for line in lines if (line.get("kept") or {}).get("response")]
    answered["kept"]["response"]["output"] = [{"type": "nonsense"}]
    file = "".join(json.dumps(line) + "\n" for line in lines)
    assert away.runs("import", "-", stdin=file).code == 0
    done = away.runs("resume", run_id, "-m", "agency.yaml")
    assert (done.code, done.out) == (1, "")
    last = done.err.splitlines()[-1]
    assert last.startswith("error: an answer of gpt-5 in the journal cannot be read; it is damaged")


def test_a_run_takes_its_thread_along_as_it_was_then(home, away, fake_server):
    answer_well(fake_server)
    first = home.send("First", "--thread=t")
    home.send("Second", "--thread=t")
    file = home.runs("export", first["run_id"]).out
    assert away.runs("import", "-", stdin=file).code == 0
    history = json.dumps(away.told("threads", "show", "t"))
    assert "First" in history
    assert "Second" not in history
    later = home.runs("export", "--agency", "team").out
    again = away.runs("import", "-", stdin=later)
    assert again.code == 0
    assert f"run {first['run_id']} was here already" in again.err
    assert away.told("threads", "show", "t") == home.told("threads", "show", "t")
    assert away.told("runs", "list") == home.told("runs", "list")


def test_importing_twice_changes_nothing_and_another_run_is_never_overwritten(
    home, away, fake_server
):
    answer_well(fake_server)
    run = home.send("Go")
    file = home.runs("export", run["run_id"]).out
    assert away.runs("import", "-", stdin=file).code == 0
    before = (away.told("runs", "list"), away.told("threads", "show", run["thread_id"]))
    again = away.runs("import", "-", stdin=file)
    assert (again.code, again.out) == (0, "")
    assert "was here already, just the same" in again.err
    other = away.runs("import", "-", stdin=file.replace("Did it.", "Did nothing."))
    assert (other.code, other.out) == (2, "")
    assert len(other.err.splitlines()) == 1
    assert "is in this store already, and went another way there" in other.err
    assert (away.told("runs", "list"), away.told("threads", "show", run["thread_id"])) == before


def test_a_thread_of_the_same_name_with_another_conversation_is_not_mixed_up(
    home, away, fake_server
):
    answer_well(fake_server)
    run = home.send("Hello", "--thread=mine")
    away.send("Good day", "--thread=mine")
    before = away.told("threads", "show", "mine")
    refused = away.runs("import", "-", stdin=home.runs("export", run["run_id"]).out)
    assert refused.code == 2
    assert "thread mine is in this store already, with another conversation" in refused.err
    assert away.told("threads", "show", "mine") == before
    assert len(away.told("runs", "list")) == 1


@pytest.mark.parametrize("wanted", [(), ("--all", "--agency=team"), ("nope",), ("--agency=nope",)])
def test_what_cannot_be_exported_is_a_clear_error(home, fake_server, wanted):
    answer_well(fake_server)
    home.send("Hello")
    done = home.runs("export", *wanted, "-o", "x.jsonl")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert not (home.folder / "x.jsonl").exists()


def test_a_file_that_is_not_there_or_is_a_folder_is_a_clear_error(home):
    for name in ("nope.jsonl", "."):
        done = home.runs("import", name)
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
        assert f"{name} cannot be read" in done.err
