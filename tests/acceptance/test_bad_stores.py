"""Stores that cannot be read or written: one clear line, nothing overwritten, a way on."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agency_cli.store import Threads, open_database
from agency_runs import message
from command_line import LONGEST, Finished, agency, command, environment

TEAM = """\
version: 1
name: team
defaults: {model: gpt-5-mini}
entry: boss
agents:
  boss: {instructions: You are the boss.}
  worker: {instructions: You are the worker.}
flows: [boss > worker]
"""
COMMANDS = (
    ("threads", "list"),
    ("threads", "show", "kept"),
    ("threads", "delete", "kept"),
    ("runs", "list"),
    ("runs", "show", "none"),
    ("runs", "costs"),
    ("runs", "resume", "none"),
    ("runs", "delete", "none"),
    ("run", "agency.yaml", "Go", "--thread", "kept"),
    ("chat", "agency.yaml"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agency.yaml").write_text(TEAM)
    return tmp_path


def good(file: Path) -> None:
    """Make a store with a thread of some size, all in one file."""
    threads = Threads(open_database(f"sqlite:///{file}"))
    conversation = threads.conversation(threads.begin("kept", "team"), "")
    for number in range(40):
        conversation.append([{"role": "user", "content": f"{number} " * 500}], "")
    with threads.database.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    threads.database.engine.dispose()


def text(file: Path) -> None:
    file.write_text("no database at all, only text\n" * 99)


def random(file: Path) -> None:
    file.write_bytes(hashlib.shake_256(b"seed").digest(20_000))


def cut(file: Path) -> None:
    good(file)
    os.truncate(file, 30_000)


def cut_in_its_head(file: Path) -> None:
    good(file)
    os.truncate(file, 60)


def newer(file: Path) -> None:
    good(file)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE agency_meta SET value = '99'")
    connection.close()


def foreign(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
        connection.execute("INSERT INTO bookmarks VALUES ('https://example.org')")
    connection.close()


def directory(file: Path) -> None:
    file.mkdir()


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (text, ("not a database", "left as it is", "another --store")),
        (random, ("not a database", "left as it is", "another --store")),
        (cut, ("malformed", "left as it is", "keep a copy")),
        (cut_in_its_head, ("malformed", "left as it is")),
        (newer, ("version 99", "use a newer agency")),
        (foreign, ("another program's", "left as it is", "another --store")),
        (directory, ("is a folder", "name a file in it")),
    ],
    ids=lambda each: each.__name__ if callable(each) else "",
)
def test_what_is_no_store_of_this_version_is_told_and_left_as_it_is(
    folder, fake_server, make: Callable[[Path], None], parts
):
    file = folder / "bad.db"
    make(file)
    before = content(file)
    for words in COMMANDS:
        line = (*words, "--store", f"sqlite:///{file}")
        done = agency(*line, folder=folder, environ=fake_server.env, stdin="")
        refused_in_one_line(done, *parts)
        assert content(file) == before, words
    assert fake_server.requests == []


def test_a_store_that_another_process_keeps_locked_is_told_and_read_all_the_same(
    folder, fake_server
):
    file = folder / "busy.db"
    good(file)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    line = ("run", "agency.yaml", "Go", "--thread", "new", "--store", f"sqlite:///{file}")
    done = agency(*line, folder=folder, environ=fake_server.env)
    refused_in_one_line(done, "locked", "nothing that was written is lost", "try again")
    listed = agency("threads", "list", "--json", "--store", f"sqlite:///{file}", folder=folder)
    assert [thread["thread_id"] for thread in json.loads(listed.out)] == ["kept"]
    other.close()
    fake_server.when(instructions="the boss").says("Now.")
    done = agency(*line, folder=folder, environ=fake_server.env)
    assert (done.code, done.out) == (0, "Now.\n")


@dataclass
class Disk:
    """A folder on a disk of its own, which is small, and can be made large or read-only."""

    folder: Path

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", self.folder], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", "size=600k", "agency-test", str(folder)]
    try:
        subprocess.run(line, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root can mount a small disk; that of a limited size is tested for all")
    yield Disk(folder)
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_disk_that_becomes_full_stops_the_run_and_it_goes_on_when_there_is_room(
    folder, fake_server, disk
):
    play(fake_server)
    store = f"sqlite:///{disk.folder / 'agency.db'}"
    line = ("run", "agency.yaml", "Go", "--thread", "t", "--store", store)
    full = agency(*line, folder=folder, environ=fake_server.env)
    stopped_by_size(full, "disk is full")
    kept = the_run(folder, store)
    disk.remount("size=100m")
    goes_on(folder, fake_server, store, kept)


def test_a_file_that_may_not_grow_stops_the_run_and_it_goes_on_when_it_may(folder, fake_server):
    play(fake_server)
    store = f"sqlite:///{folder / 'agency.db'}"
    line = command("run", "agency.yaml", "Go", "--thread", "t", "--store", store)
    # No file may grow over 600 blocks of 512 bytes, which is what a quota does.
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 600; exec {shlex.join(line)}"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env=environment(folder, fake_server.env),
        cwd=folder,
        timeout=LONGEST,
        text=True,
        check=False,
    )
    stopped_by_size(Finished(done.returncode, done.stdout, done.stderr), "")
    goes_on(folder, fake_server, store, the_run(folder, store))


def test_a_disk_that_is_read_only_is_told_and_left_as_it_is(folder, fake_server, disk):
    file = disk.folder / "agency.db"
    disk.remount("size=10m")
    good(file)
    before = content(file)
    disk.remount("ro")
    for words in (("run", "agency.yaml", "Go"), ("threads", "list")):
        line = (*words, "--store", f"sqlite:///{file}")
        done = agency(*line, folder=folder, environ=fake_server.env)
        refused_in_one_line(done, "AGENCY_HOME", "give --store")
    assert content(file) == before
    assert fake_server.requests == []


def play(server) -> None:
    """The boss asks the worker, whose answer is too long for a small disk."""
    when = server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "Do it"))
    when(instructions="the boss").says("It is done.")
    when(instructions="the worker").says("w" * 400_000)


def stopped_by_size(done: Finished, *parts: str) -> None:
    assert (done.code, done.out) == (1, "")
    assert "Traceback" not in done.err
    (error,) = [line for line in done.err.splitlines() if line.startswith("error: ")]
    for part in ("the store ", "nothing that was written is lost", *parts):
        assert part in error


def the_run(folder: Path, store: str) -> str:
    (run,) = json.loads(agency("runs", "list", "--json", "--store", store, folder=folder).out)
    assert run["status"] == "killed"
    return run["run_id"]


def goes_on(folder: Path, server, store: str, run_id: str) -> None:
    asked = sum("the boss" in request.instructions for request in server.requests)
    line = ("runs", "resume", run_id, "--store", store, "--json")
    done = agency(*line, folder=folder, environ=server.env)
    result = json.loads(done.out)
    assert (done.code, result["final_output"]) == (0, "It is done.")
    boss = [request for request in server.requests if "the boss" in request.instructions]
    assert (asked, len(boss)) == (1, 2), "what was written is not asked for again"


def refused_in_one_line(done: Finished, *parts: str) -> None:
    assert (done.code, done.out) == (1, "")
    (line,) = done.err.splitlines()
    assert line.startswith("error: ")
    for part in parts:
        assert part in line


def content(file: Path) -> object:
    return sorted(file.iterdir()) if file.is_dir() else file.read_bytes()
