"""Threads: pairs and the user are remembered across runs, and never meet."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import update

from agency_cli.errors import RunFailed, UsageError
from agency_cli.store import StoreFailed, Threads, open_database, store_url, thread_lock
from agency_cli.store.tables import meta
from agency_runs import build, message, run

TEAM = """
entry: boss
agents:
  boss: {instructions: You are the boss.}
  worker: {instructions: You are the worker.}
flows: [boss > worker]
"""


@pytest.fixture
def threads(store: str) -> Threads:
    return Threads(open_database(store))


def on(threads: Threads, thread_id: str):
    return lambda name: threads.conversation(thread_id, name)


def test_pairs_and_the_user_are_remembered_in_the_next_run_of_the_thread(
    tmp_path, fake_server, threads
):
    when = fake_server.when
    when(instructions="the boss", turn=0, user="first").calls(
        "send_message", **message("worker", "w1")
    )
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "w2"))
    when(instructions="the boss").says("done")
    when(instructions="the worker").says("ok")
    thread = threads.begin(None, "test")
    for text in ("first", "second"):
        run(build(tmp_path, fake_server, TEAM), text, memory=on(threads, thread))
    last_worker = [r for r in fake_server.requests if "worker" in r.instructions][-1]
    assert [m.text for m in last_worker.messages] == ["w1", "ok", "w2"]
    last_boss = [r for r in fake_server.requests if "boss" in r.instructions][-1]
    assert [m.text for m in last_boss.messages if m.speaker == "user"] == ["first", "second"]
    history = threads.history(thread)
    assert {item.conversation for item in history} == {"", "boss>worker"}
    assert {(i.conversation, i.author) for i in history} == {
        ("", ""),
        ("", "boss"),
        ("boss>worker", ""),
        ("boss>worker", "worker"),
    }


def test_another_thread_knows_nothing_of_it(tmp_path, fake_server, threads):
    fake_server.when(instructions="the boss").says("hello")
    for _ in range(2):
        memory = on(threads, threads.begin(None, "test"))
        run(build(tmp_path, fake_server, TEAM), "a secret", memory=memory)
    assert [len(r.messages) for r in fake_server.requests] == [1, 1]


def test_each_item_is_kept_with_the_agent_that_wrote_it(tmp_path, fake_server, threads):
    fake_server.when(instructions="the boss").calls("transfer_to_worker")
    fake_server.when(instructions="the worker").says("mine now")
    text = TEAM.replace("[boss > worker]", "[{from: boss, to: worker, kind: handoff}]")
    thread = threads.begin(None, "test")
    run(build(tmp_path, fake_server, text), "hello", memory=on(threads, thread))
    kinds = [(item.author, item.item.get("type")) for item in threads.history(thread)]
    assert [author for author, _ in kinds] == ["", "boss", "boss", "worker"]


def test_a_run_that_failed_leaves_a_thread_that_can_go_on(tmp_path, fake_server, threads):
    when = fake_server.when
    when(instructions="the boss", user="first", turn=0).calls(
        "send_message", **message("worker", "w")
    )
    when(instructions="the boss", user="again").says("fine now")
    when(instructions="the worker").says("late").after(60)
    thread = threads.begin(None, "test")
    memory = on(threads, thread)
    failed = run(build(tmp_path, fake_server, TEAM), "first", memory=memory, max_seconds=0.3)
    assert failed.error is not None
    assert run(build(tmp_path, fake_server, TEAM), "again", memory=memory).output == "fine now"


def test_two_runs_on_one_thread_wait_for_each_other(threads):
    told: list[str] = []
    order: list[str] = []

    async def hold(name: str) -> None:
        async with thread_lock(threads.database, "t", notify=told.append):
            order.append(f"{name} begins")
            await asyncio.sleep(0.05)
            order.append(f"{name} ends")

    async def main() -> None:
        await asyncio.gather(hold("one"), hold("two"))

    asyncio.run(main())
    assert order in (
        ["one begins", "one ends", "two begins", "two ends"],
        ["two begins", "two ends", "one begins", "one ends"],
    )
    assert told == ["waiting for another run on thread t"]


def test_a_run_that_waits_too_long_for_its_thread_says_so(threads):
    async def main() -> None:
        held = thread_lock(threads.database, "t", notify=lambda _: None)
        wanted = thread_lock(threads.database, "t", notify=lambda _: None, longest_wait=0.05)
        async with held, wanted:
            pass

    with pytest.raises(RunFailed, match="another run on thread t"):
        asyncio.run(main())


def test_different_threads_do_not_wait_for_each_other(threads):
    async def main() -> None:
        held = thread_lock(threads.database, "t", notify=lambda _: None)
        wanted = thread_lock(threads.database, "u", notify=lambda _: None, longest_wait=0.0)
        async with held, wanted:
            pass

    asyncio.run(main())


def test_threads_are_listed_found_and_deleted(threads):
    first = threads.begin("one", "test")
    threads.begin("two", "test")
    threads.conversation(first, "").append([{"role": "user", "content": "hi"}], "")
    threads.set_active_agent(first, "boss")
    assert [(t.id, t.active_agent, t.items) for t in threads.all()] == [
        ("one", "boss", 1),
        ("two", None, 0),
    ]
    assert threads.delete("one")
    assert not threads.delete("one")
    assert [t.id for t in threads.all()] == ["two"]
    assert threads.history("one") == []
    with pytest.raises(UsageError, match="no thread 'one'"):
        threads.find("one")


def test_a_thread_belongs_to_one_agency(threads):
    threads.begin("mine", "test")
    with pytest.raises(UsageError, match="belongs to test"):
        threads.begin("mine", "other")


@pytest.mark.parametrize(
    ("content", "said"), [("no database at all, only text\n" * 99, "not a database")]
)
def test_a_file_that_is_no_store_is_left_as_it_is(tmp_path, content, said):
    file = tmp_path / "agency.db"
    file.write_text(content)
    with pytest.raises(StoreFailed, match=said):
        open_database(f"sqlite:///{file}")
    assert file.read_text() == content


def test_a_store_of_a_newer_version_is_not_touched(store):
    with open_database(store).transaction() as connection:
        connection.execute(update(meta).values(value="99"))
    with pytest.raises(StoreFailed, match="version 99"):
        open_database(store)


def test_the_store_is_where_it_was_asked_for(tmp_path):
    both = {"AGENCY_HOME": "/h", "AGENCY_STORE": "sqlite:///y.db"}
    assert store_url("sqlite:///x.db", tmp_path, both) == "sqlite:///x.db"
    assert store_url(None, tmp_path, both) == "sqlite:///y.db"
    assert store_url(None, tmp_path, {"AGENCY_HOME": "/h"}) == "sqlite:////h/agency.db"
    assert store_url(None, tmp_path, {}) == f"sqlite:///{tmp_path}/.agency/agency.db"
