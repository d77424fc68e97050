"""One store, several processes: nothing is lost, and what is in the way is said."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agency_cli.errors import RunFailed
from agency_cli.store import (
    StoreFailed,
    StoreGone,
    Threads,
    held_if_free,
    open_database,
    sqlite,
    thread_lock,
)
from agency_cli.store.locking import is_thread_busy
from agency_runs import LONGEST

WRITER = """
import sys
from agency_cli.store import Threads, open_database
import sqlalchemy.dialects.sqlite, sqlalchemy.dialects.postgresql

url, name = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
threads = Threads(open_database(url))
thread = threads.begin("shared", "test")
for number in range(20):
    pair = threads.conversation(thread, name)
    pair.append([{"role": "user", "content": str(number)}, {"type": "reply"}], name)
    threads.set_active_agent(thread, name)
print(len(threads.conversation(thread, name).read()))
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'agency.db'}"


def test_processes_that_make_one_store_and_write_one_thread_lose_nothing(store):
    lines = [[sys.executable, "-c", WRITER, store, f"writer{number}"] for number in range(6)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    processes = [subprocess.Popen(line, text=True, **pipes) for line in lines]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 6
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    ended = [(*process.communicate(timeout=60), process.returncode) for process in processes]
    assert ended == [("40\n", "", 0)] * 6
    history = Threads(open_database(store)).history("shared")
    assert len(history) == 6 * 40
    for number in range(6):
        name = f"writer{number}"
        mine = [item.item for item in history if item.conversation == name]
        assert [item["content"] for item in mine[::2]] == [str(count) for count in range(20)]
        assert mine[1::2] == [{"type": "reply"}] * 20


def test_a_process_that_is_killed_while_it_writes_leaves_a_sound_store(url, tmp_path):
    endless = WRITER.replace("range(20)", "iter(int, 1)")
    line = [sys.executable, "-c", endless, url, "writer"]
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + LONGEST
        while not (tmp_path / "agency.db").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        _until_written(url, deadline)
        process.kill()
    threads = Threads(open_database(url))
    written = threads.conversation("shared", "writer").read()
    assert len(written) % 2 == 0
    threads.conversation("shared", "writer").append([{"role": "user", "content": "next"}], "")
    assert threads.conversation("shared", "writer").read() == [
        *written,
        {"role": "user", "content": "next"},
    ]
    with threads.database.transaction() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def _until_written(url: str, deadline: float) -> None:
    while time.monotonic() < deadline:
        if Threads(open_database(url)).all() and Threads(open_database(url)).history("shared"):
            return
    pytest.fail("nothing was written")


def test_a_write_waits_for_the_write_of_another_process(url, tmp_path):
    threads = Threads(open_database(url))
    other = sqlite3.connect(tmp_path / "agency.db", check_same_thread=False, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = threading.Event()

    def release() -> None:
        began.wait(LONGEST)
        time.sleep(0.1)
        other.execute("COMMIT")

    releasing = threading.Thread(target=release)
    releasing.start()
    began.set()
    assert threads.begin("waited", "test") == "waited"
    releasing.join()
    other.close()


def test_a_store_that_stays_busy_is_an_error_and_loses_nothing(url, tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    threads = Threads(open_database(url))
    threads.begin("kept", "test")
    other = sqlite3.connect(tmp_path / "agency.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="database is locked; nothing that was written is lost"):
        threads.begin("refused", "test")
    other.close()
    assert [thread.id for thread in threads.all()] == ["kept"]
    assert threads.begin("refused", "test") == "refused"


def test_a_full_store_is_an_error_and_what_was_written_stays(url):
    threads = Threads(open_database(url))
    thread = threads.begin(None, "test")
    conversation = threads.conversation(thread, "")
    conversation.append([{"role": "user", "content": "kept"}], "")
    engine = threads.database.engine
    with engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        # What SQLite says when the disk is full, it says at this size too.
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreFailed, match="full"):
        conversation.append([{"role": "user", "content": "x" * 100_000}] * 2, "")
    assert conversation.read() == [{"role": "user", "content": "kept"}]


@pytest.mark.parametrize("broken", ["{", "\udcff"])
def test_an_item_that_cannot_be_read_is_an_error_and_erases_nothing(url, tmp_path, broken):
    threads = Threads(open_database(url))
    thread = threads.begin(None, "test")
    conversation = threads.conversation(thread, "")
    conversation.append([{"role": "user", "content": "first"}, {"content": "second"}], "")
    with sqlite3.connect(tmp_path / "agency.db") as connection:
        connection.execute(
            "UPDATE thread_items SET item = CAST(? AS TEXT) WHERE id = 2",
            (broken.encode("utf-8", "surrogateescape"),),
        )
    connection.close()
    with pytest.raises(StoreFailed, match=r"failed: .*; nothing that was written is lost"):
        conversation.read()
    with pytest.raises(StoreFailed, match=r"failed: .*; nothing that was written is lost"):
        threads.history(thread)
    assert [summary.items for summary in threads.all()] == [2]


@pytest.mark.parametrize("name", ["a file/agency.db", "a file/below/agency.db"])
def test_a_folder_that_cannot_be_made_says_where_else_the_store_may_be(tmp_path, name):
    (tmp_path / "a file").write_text("text")
    with pytest.raises(StoreFailed, match="AGENCY_HOME"):
        open_database(f"sqlite:///{tmp_path / name}")
    assert (tmp_path / "a file").read_text() == "text"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_is_read_only_is_an_error(tmp_path):
    folder = tmp_path / "sealed"
    folder.mkdir(mode=0o500)
    with pytest.raises(StoreFailed, match="unable to open"):
        open_database(f"sqlite:///{folder / 'agency.db'}")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_store_that_is_read_only_is_left_as_it_is(url, tmp_path):
    Threads(open_database(url)).begin("kept", "test")
    for file in (*tmp_path.iterdir(), tmp_path):
        file.chmod(0o500)
    try:
        with pytest.raises(StoreFailed, match=r"readonly|read-only|unable to open"):
            Threads(open_database(url)).begin("refused", "test")
    finally:
        tmp_path.chmod(0o700)


def test_a_thread_that_is_deleted_takes_nothing_of_another_with_it(store):
    threads = Threads(open_database(store))
    for name in ("one", "two"):
        threads.begin(name, "test")
        for conversation in ("", "boss>worker"):
            threads.conversation(name, conversation).append([{"content": name}], "boss")
    threads.conversation("one", "").clear()
    assert [item.conversation for item in threads.history("one")] == ["boss>worker"]
    assert threads.delete("one")
    assert [item.item for item in threads.history("two")] == [{"content": "two"}] * 2


def test_a_conversation_gives_its_latest_items_and_takes_them_back(store):
    threads = Threads(open_database(store))
    conversation = threads.conversation(threads.begin(None, "test"), "")
    assert conversation.pop() is None
    conversation.append([], "boss")
    conversation.append([{"n": number} for number in range(5)], "boss")
    assert conversation.read(2) == [{"n": 3}, {"n": 4}]
    assert conversation.pop() == {"n": 4}
    assert [item["n"] for item in conversation.read()] == [0, 1, 2, 3]


def test_a_lock_that_is_not_ours_to_write_is_an_error(url, tmp_path):
    async def hold() -> None:
        async with thread_lock(open_database(url), "mine", notify=lambda _: None):
            pass

    async def hold_and_look() -> Path:
        async with thread_lock(open_database(url), "mine", notify=lambda _: None):
            (lock,) = tmp_path.glob("*.lock")
        return lock

    asyncio.run(hold_and_look()).mkdir()
    with pytest.raises(StoreFailed, match="cannot be taken"):
        asyncio.run(hold())


CONTENDER = """
import asyncio, pathlib, sys
from agency_cli.store import file_lock, locking, open_database, thread_lock

store, folder = open_database(sys.argv[1]), pathlib.Path(sys.argv[2])
locking.POLL = file_lock.GLANCE = 0

async def main():
    for _ in range(150):
        async with thread_lock(store, "mine", notify=lambda _: None):
            with (folder / "alone").open("x"):
                await asyncio.sleep(0)
            (folder / "alone").unlink()

asyncio.run(main())
"""


def test_of_processes_that_want_one_thread_one_has_it_and_no_lock_is_left_behind(store, tmp_path):
    open_database(store).engine.dispose()
    line = [sys.executable, "-c", CONTENDER, store, str(tmp_path)]
    pipes = {"stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(line, **pipes) for _ in range(4)]
    ended = [
        (process.communicate(timeout=LONGEST * 4)[1], process.returncode) for process in processes
    ]
    assert ended == [("", 0)] * 4
    assert not list(tmp_path.glob("*.lock"))


def test_a_lock_in_a_folder_that_is_gone_makes_no_new_folder(tmp_path):
    database = open_database(f"sqlite:///{tmp_path / 'gone' / 'agency.db'}")
    shutil.rmtree(tmp_path / "gone")
    with pytest.raises(StoreGone, match="was removed"), held_if_free(database, "mine"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_process_that_was_killed_is_free_again(store, tmp_path):
    holder = """
import asyncio, sys
from agency_cli.store import open_database, thread_lock

async def main():
    async with thread_lock(open_database(sys.argv[1]), "mine", notify=print):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""

    database = open_database(store)

    async def hold(longest_wait: float) -> None:
        async with thread_lock(database, "mine", notify=lambda _: None, longest_wait=longest_wait):
            pass

    line = [sys.executable, "-c", holder, store]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(RunFailed, match="another run on thread mine"):
            asyncio.run(hold(0.0))
        process.kill()
    asyncio.run(hold(LONGEST))
    assert not is_thread_busy(database, "mine")
    assert not list(tmp_path.glob("*.lock"))
