"""What every kind of database promises: who waits for whom, what texts it keeps, whose it is."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import inspect

from agency_cli.events import NodeEnded, NodeStarted, RunEnded, RunStarted, Usage
from agency_cli.store import (
    RunJournal,
    RunOrigin,
    Runs,
    StoreFailed,
    Threads,
    held_if_free,
    open_database,
    postgres,
    sqlite,
    thread_lock,
    without_password,
)
from agency_cli.store.locking import is_thread_busy
from agency_cli.store.tables import SCHEMA_VERSION, metadata
from agency_runs import LONGEST

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ODD = "call\0 \ud800 \x1a0000 ü"


def test_reading_blocks_no_writing_and_sees_one_state(store):
    threads = Threads(open_database(store))
    threads.begin("one", "test")
    count = "SELECT count(*) FROM threads"
    with threads.database.reading() as reader:
        assert reader.exec_driver_sql(count).scalar() == 1
        assert threads.begin("two", "test") == "two"
        assert [thread.id for thread in Threads(open_database(store)).all()] == ["two", "one"]
        assert reader.exec_driver_sql(count).scalar() == 1
    assert len(threads.all()) == 2


def test_what_a_transaction_has_read_stays_true_until_it_has_written(store):
    one, two = Threads(open_database(store)), Threads(open_database(store))
    one.begin("mine", "test")
    entered, done = threading.Event(), []

    def rename() -> None:
        entered.set()
        two.set_active_agent("mine", "late")
        done.append("late")

    other = threading.Thread(target=rename)
    with one.database.transaction() as connection:
        other.start()
        assert entered.wait(LONGEST)
        other.join(0.3)
        read = "SELECT active_agent FROM threads"
        assert (connection.exec_driver_sql(read).scalar(), done) == (None, [])
        connection.exec_driver_sql("UPDATE threads SET active_agent = 'early'")
    other.join(LONGEST)
    assert one.active_agent("mine") == "late"


def test_a_write_that_waits_for_too_long_is_an_error_and_loses_nothing(store, monkeypatch):
    for backend in (sqlite, postgres):
        monkeypatch.setattr(backend, "BUSY_SECONDS", 0.05)
    threads, other = Threads(open_database(store)), Threads(open_database(store))
    with other.database.transaction():
        with pytest.raises(StoreFailed, match="another process holds it for long; try again"):
            threads.begin("refused", "test")
        assert threads.all() == [], "who only reads does not wait"
    assert threads.begin("refused", "test") == "refused"


def test_places_and_models_may_hold_any_text(store):
    database = open_database(store)
    threads = Threads(database)
    threads.begin("t", "test")
    conversation = threads.conversation("t", "a>b", "r1")
    item = {"role": "user", "content": ODD}
    conversation.append([item], "a", f"/{ODD}")
    asked = []
    threads.take_back("r1", done=lambda path: bool(asked.append(path)) or True)
    assert asked == [f"/{ODD}"]
    assert (conversation.read(), threads.history("t")[0].item) == ([item], item)
    threads.take_back("r1", done=lambda _: False)
    assert conversation.read() == []
    name = ODD + "x" * 300
    journal = RunJournal(
        database, RunOrigin(manifest=ODD, digest="d", options={"params": [ODD]}, models={"a": name})
    )
    journal.add(RunStarted(run_id="r1", thread_id="t", agency="a", agent="b", message=ODD, at=AT))
    journal.keep(f"/{ODD}", {"response": ODD})
    journal.add(
        NodeStarted(id=f"/{ODD}", parent_id=None, kind="model", name=name, agent="a", at=AT)
    )
    ended = NodeEnded(
        id=f"/{ODD}", status="ok", at=AT, seconds=1, usage=Usage(requests=1), output=ODD
    )
    journal.add(ended)
    runs = Runs(open_database(store))
    assert (runs.rows("r1")[-1].event, runs.rows("r1")[-1].kept) == (ended, {"response": ODD})
    assert [call.model for call in runs.calls()] == [name]
    assert (runs.find("r1").message, runs.find("r1").models) == (ODD, {"a": name})


@pytest.mark.parametrize("name", ["\udcff", "\0", "'; DROP TABLE runs; --"])
def test_an_id_that_cannot_be_is_only_not_there(store, name):
    database = open_database(store)
    with pytest.raises(Exception, match="there is no run"):
        Runs(database).find(name)
    assert not Threads(database).delete(name)
    assert Threads(database).active_agent(name) is None


def cut_off_in(url: str) -> dict[str, int]:
    return {run.id: run.totals.cut_off for run in Runs(open_database(url)).all()}


def test_calls_that_were_cut_off_are_counted_in_a_store_of_version_3_too(store):
    database = open_database(store)
    for run_id, status, usage in (
        ("r1", "cancelled", Usage(requests=1)),
        ("r2", "ok", Usage(requests=1, input_tokens=1)),
        ("r3", "cancelled", Usage(requests=1)),
    ):
        journal = RunJournal(database, RunOrigin(manifest="", digest="d", options={}, models={}))
        journal.add(
            RunStarted(
                run_id=run_id, thread_id=run_id, agency="a", agent="boss", message="go", at=AT
            )
        )
        for node, kind in (("/boss", "agent"), ("/m", "model")):
            journal.add(
                NodeStarted(id=node, parent_id=None, kind=kind, name="m", agent="boss", at=AT)
            )
        journal.add(NodeEnded(id="/m", status=status, at=AT, seconds=1.0, usage=usage))
        if run_id != "r3":
            journal.add(RunEnded(status=status, at=AT, seconds=1.0))
    # A run that was killed while its model answered.
    journal.add(NodeStarted(id="/n", parent_id=None, kind="model", name="m", agent="boss", at=AT))
    counted = {"r1": 1, "r2": 0, "r3": 2}
    assert cut_off_in(store) == counted
    with database.transaction() as old:
        old.exec_driver_sql("ALTER TABLE runs DROP COLUMN cut_off")
        old.exec_driver_sql("UPDATE agency_meta SET value = '3'")
    assert cut_off_in(store) == counted


def test_a_list_is_of_those_runs_alone_that_are_wanted(store):
    database = open_database(store)
    runs, hours = Runs(database), range(6)
    for hour in hours:
        journal = RunJournal(database, RunOrigin(manifest="", digest="d", options={}, models={}))
        at, agency = AT.replace(hour=hour), "even" if hour % 2 == 0 else "odd"
        journal.add(
            RunStarted(
                run_id=f"r{hour}", thread_id=f"t{hour}", agency=agency, agent="boss",
                message="go", at=at,
            )
        )  # fmt: skip
        if hour < 4:
            journal.add(RunEnded(status="ok" if hour < 2 else "error", at=at, seconds=1.0))
    with held_if_free(database, "t5"):
        for wanted, found in (
            ({}, "543210"),
            ({"limit": 2}, "54"),
            ({"status": "ok"}, "10"),
            ({"status": "ok", "limit": 1}, "1"),
            ({"status": "running"}, "5"),
            ({"status": "killed", "limit": 1}, "4"),
            ({"agency": "odd", "limit": 2}, "53"),
            ({"agency": "even", "status": "killed"}, "4"),
            ({"since": AT.replace(hour=3)}, "543"),
            ({"since": AT.replace(hour=3), "agency": "odd", "status": "error"}, "3"),
        ):
            assert "".join(run.id[1:] for run in runs.all(**wanted)) == found, wanted


def test_a_store_of_version_1_is_brought_up_to_date(store):
    database = open_database(store)
    with database.transaction() as old:
        for table in ("journal", "runs", "manifests"):
            old.exec_driver_sql(f"DROP TABLE {table}")
        for column in ("run_id", "path"):
            old.exec_driver_sql(f"ALTER TABLE thread_items DROP COLUMN {column}")
        old.exec_driver_sql("UPDATE agency_meta SET value = '1'")
        old.exec_driver_sql(
            "INSERT INTO threads VALUES ('t1', 'a', 'boss', %s, %s)".replace(
                "%s", "'2026-01-01 00:00:00.000000'"
            )
        )
    again = open_database(store)
    with again.reading() as now:
        assert now.exec_driver_sql("SELECT value FROM agency_meta").scalar() == str(SCHEMA_VERSION)
        for name, table in metadata.tables.items():
            found = {column["name"] for column in inspect(now).get_columns(name)}
            assert found == set(table.columns.keys())
            indexes = {index["name"] for index in inspect(now).get_indexes(name)}
            assert indexes == {index.name for index in table.indexes}
    threads = Threads(again)
    threads.conversation("t1", "", "r1").append([{"content": "new"}], "boss", "/x")
    assert [thread.id for thread in threads.all()] == ["t1"]


def test_a_database_with_tables_of_another_program_is_left_as_it_is(store):
    database = open_database(store)
    with database.transaction() as connection:
        metadata.drop_all(connection)
        connection.exec_driver_sql("CREATE TABLE runs (distance INTEGER)")
        connection.exec_driver_sql("CREATE TABLE other (name INTEGER)")
    with pytest.raises(StoreFailed, match="is no store of agency"):
        open_database(store)
    with database.reading() as connection:
        assert set(inspect(connection).get_table_names()) == {"runs", "other"}


def test_a_lock_is_seen_from_everywhere_and_given_back(store):
    database, other = open_database(store), open_database(store)
    lock = database.lock("mine")
    assert not is_thread_busy(other, "mine")
    assert lock.take()
    assert is_thread_busy(database, "mine")
    assert is_thread_busy(other, "mine")
    assert not other.lock("mine").take()
    assert not is_thread_busy(other, "yours")
    assert lock.release()
    assert not is_thread_busy(other, "mine")
    assert lock.release(), "what is not held is not lost"


def test_the_stores_of_one_server_do_not_share_their_locks(postgres_server):
    one, two = (open_database(postgres_server.database()) for _ in range(2))
    held = one.lock("mine")
    assert held.take()
    assert not is_thread_busy(two, "mine")
    with one.transaction():
        assert Threads(two).begin("mine", "test") == "mine"
    assert held.release()


def test_a_lock_that_the_server_let_go_of_is_told(postgres_server):
    url = postgres_server.database()
    database, told = open_database(url), []

    async def hold() -> None:
        async with thread_lock(database, "mine", notify=told.append):
            postgres_server.psql(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'",
                url.rpartition("/")[2],
            )

    asyncio.run(hold())
    assert told == [
        "the store let go of thread mine before the run ended; another run may have come between"
    ]
    assert database.lock("mine").take()


def test_a_chat_goes_on_after_the_server_was_started_anew(postgres_server):
    threads = Threads(open_database(postgres_server.database()))
    threads.begin("one", "test")
    postgres_server.stop()
    with pytest.raises(StoreFailed, match=r"failed: .*; nothing that was written is lost; .*up"):
        threads.begin("two", "test")
    postgres_server.start()
    assert threads.begin("two", "test") == "two"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////a b/ü?.db", "sqlite:////a b/ü?.db"),
        ("postgresql://u:p@h:1/d?sslmode=require", "postgresql://u@h:1/d?sslmode=require"),
        ("postgresql+psycopg://h/d?user=u&password=p", "postgresql+psycopg://h/d?user=u"),
        ("postgresql://u:p%40x@/d?host=/run", "postgresql://u@/d?host=%2Frun"),
        ("nonsense://u:p@x:y/z", "nonsense://x:y/z"),
        ("p@h", "p@h"),
    ],
)
def test_a_url_is_shown_without_its_password(url, shown):
    assert without_password(url) == shown
