"""The journal: a run's tree, usage and cost come from what was written as it happened."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from sqlalchemy import select

from agency_cli.calltree import CallTree
from agency_cli.events import NodeStarted, Notice, RunEnded, RunStarted, TextDelta
from agency_cli.rendering.run_json import run_json
from agency_cli.store import (
    RunJournal,
    RunOrigin,
    StoreFailed,
    Threads,
    held_if_free,
    open_database,
)
from agency_cli.store.runs import Runs
from agency_cli.store.tables import SCHEMA_VERSION, journal
from agency_runs import message
from fake_server import Fault
from journalled import send_to, write

TEAM = """
entry: boss
agents:
  boss: {instructions: You are the boss.}
  worker: {instructions: You are the worker., tools: [add]}
tools: {add: {python: "tools.py:add"}}
flows: [boss > worker]
"""
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ORIGIN = RunOrigin(manifest="/a/agency.yaml", digest="d", options={}, models={})


@pytest.fixture
def team(tmp_path, fake_server):
    (tmp_path / "tools.py").write_text("def add(a: int, b: int) -> int:\n    return a + b\n")
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "Add"))
    when(instructions="the boss").says("It is 3.")
    when(instructions="the worker", turn=0).calls("add", a=1, b=2)
    when(instructions="the worker").says("3")
    return write(tmp_path, fake_server, TEAM)


def started(run_id: str = "r1", **changes) -> RunStarted:
    given = {"thread_id": "t", "agency": "a", "agent": "boss", "message": "go", "at": AT}
    return RunStarted(run_id=run_id, **{**given, **changes})


def test_the_journal_alone_tells_the_same_run_as_its_watchers_saw(team, fake_server, each_store):
    done = send_to(team)
    assert done.output == "It is 3."
    told = run_json(CallTree.of(done.events))
    assert told == run_json(done.tree)
    assert told["usage"]["total_tokens"] == fake_server.counted.total.total
    assert done.run.status == "ok"
    assert done.run.totals.cost_usd == done.tree.totals.cost_usd > 0
    assert done.run.models == {"boss": "fake/gpt-5-mini", "worker": "fake/gpt-5-mini"}


def test_pieces_of_text_are_not_written_but_whole_texts_are(team):
    events = send_to(team).events
    assert not any(isinstance(event, TextDelta) for event in events)
    assert CallTree.of(events).by_agent().keys() == {"boss", "worker"}
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)


def test_a_run_that_failed_is_journaled_with_its_reason_and_what_it_spent(tmp_path, fake_server):
    fake_server.when(instructions="the boss").fails(Fault.status(401))
    path = write(tmp_path, fake_server, "agents: {boss: {instructions: You are the boss.}}")
    failed = send_to(path)
    assert failed.error is not None
    assert failed.run.status == "error"
    tree = CallTree.of(failed.events)
    assert tree.ended is not None
    assert tree.ended.error is not None
    assert tree.ended.error.kind == "provider"
    assert tree.totals.usage.requests == 1


def test_each_row_can_be_read_as_soon_as_the_event_has_happened(store):
    database = open_database(store)
    writer, reader = RunJournal(database, ORIGIN), Runs(database)
    writer.add(started())
    assert [row.event for row in reader.recorded(reader.find("r1"))][:1] == [started()]
    node = NodeStarted(id="/boss", parent_id=None, kind="agent", name="boss", agent="boss", at=AT)
    writer.add(node)
    assert [row.event for row in reader.recorded(reader.find("r1"))][:2] == [started(), node]


def test_a_run_whose_process_is_gone_is_killed_and_its_open_nodes_are_ended(store):
    database = open_database(store)
    writer, reader = RunJournal(database, ORIGIN), Runs(database)
    writer.add(started())
    for node, parent, kind in (("/boss", None, "agent"), ("/model", "/boss", "model")):
        writer.add(NodeStarted(id=node, parent_id=parent, kind=kind, name="m", agent="boss", at=AT))
    run = reader.find("r1")
    assert run.status == "killed"
    tree = CallTree.of(row.event for row in reader.recorded(run))
    assert tree.ended is not None
    assert tree.ended.status == "killed"
    assert {node.status for node in tree.nodes.values()} == {"cancelled"}
    assert tree.totals.usage.requests == 1, "a call that was made counts"


def test_a_run_is_running_while_a_process_holds_its_thread(store):
    database = open_database(store)
    RunJournal(database, ORIGIN).add(started())
    with held_if_free(database, "t"):
        assert Runs(database).find("r1").status == "running"
        RunJournal(database, ORIGIN).add(started("r2", at=AT.replace(hour=13)))
        assert Runs(database).find("r1").status == "killed", "a later run has the thread"
    assert Runs(database).find("r2").status == "killed"


def test_keys_of_providers_never_get_into_the_journal(tmp_path, fake_server):
    fake_server.when(instructions="the boss").says("The key is sk-very-secret-1.")
    team = "agents: {boss: {instructions: You are the boss.}}"
    path = write(tmp_path, fake_server, team, key="sk-very-secret-1")
    done = send_to(path, "Is it sk-very-secret-1?")
    with done.runs.database.reading() as connection:
        rows = "".join(str(row) for row in connection.execute(select(journal)))
    assert "sk-very-secret" not in rows + done.run.message
    assert "The key is [secret]." in rows


def test_texts_that_are_no_unicode_are_journaled_as_they_are(store):
    database = open_database(store)
    half = "half \udc80 of a character, a \x00 and a \u2028"
    origin = RunOrigin(manifest="/\udcff/agency.yaml", digest="d", options={}, models={})
    writer, reader = RunJournal(database, origin), Runs(database)
    writer.add(started(message=half))
    writer.add(Notice(text=half, at=AT))
    run = reader.find("r1")
    assert (run.message, run.manifest) == (half, origin.manifest)
    assert reader.rows("r1")[1].event == Notice(text=half, at=AT)


def test_a_damaged_row_is_told_as_such(store):
    database = open_database(store)
    RunJournal(database, ORIGIN).add(started())
    with database.transaction() as damaged:
        damaged.exec_driver_sql("""UPDATE journal SET event = '{"event": "nonsense"}'""")
    with pytest.raises(StoreFailed, match="is damaged, or a newer agency"):
        Runs(database).rows("r1")


def test_after_a_write_that_failed_nothing_more_is_written(store):
    database = open_database(store)
    writer, reader = RunJournal(database, ORIGIN), Runs(database)
    writer.add(started())
    with database.transaction() as broken:
        broken.exec_driver_sql("ALTER TABLE journal RENAME TO elsewhere")
    with pytest.raises(StoreFailed, match="another program changed it"):
        writer.add(RunEnded(status="ok", at=AT, seconds=1))
    with database.transaction() as mended:
        mended.exec_driver_sql("ALTER TABLE elsewhere RENAME TO journal")
    writer.add(RunEnded(status="ok", at=AT, seconds=1))
    assert reader.find("r1").status == "killed"


def test_a_store_that_fails_ends_the_run_with_one_clear_error(team):
    with sqlite3.connect(team.parent / "runs.db") as small:
        open_database(f"sqlite:///{team.parent / 'runs.db'}")
        small.execute(
            "CREATE TRIGGER full BEFORE INSERT ON journal WHEN NEW.ordinal = 5"
            " BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
        )
    failed = send_to(team)
    assert isinstance(failed.error, StoreFailed)
    assert "disk is full" in str(failed.error)
    assert len(failed.runs.recorded(failed.run)) > 5, "what was written stays"
    assert failed.tree.ended is not None


def test_deleting_a_run_leaves_other_runs_and_the_thread(team, each_store):
    first = send_to(team, thread="one")
    second = send_to(team, thread="two")
    first.runs.delete(first.run.id)
    assert [run.id for run in first.runs.all()] == [second.run.id]
    with second.runs.database.reading() as connection:
        kept = set(connection.scalars(select(journal.c.run_id)))
    assert kept == {second.run.id}
    assert Threads(second.runs.database).history("one")


def test_calls_tell_what_every_model_call_of_every_run_cost(team, each_store):
    trees = [send_to(team).tree for _ in range(2)]
    last = send_to(team)
    calls = list(last.runs.calls())
    assert len(calls) == 12
    whole = last.tree.totals.cost_usd + sum((tree.totals.cost_usd for tree in trees), Decimal(0))
    assert sum((call.totals.cost_usd for call in calls), Decimal(0)) == whole
    assert list(last.runs.calls(since=calls[-1].at))[-1] == calls[-1]
    assert len(list(last.runs.calls(since=calls[-1].at))) < 12


def test_a_store_of_version_1_gains_the_journal_and_keeps_its_threads(tmp_path):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as old:
        old.executescript(VERSION_1)
    database = open_database(f"sqlite:///{path}")
    history = Threads(database).history("t1")
    assert [item.item["content"] for item in history] == ["hi"]
    RunJournal(database, ORIGIN).add(started())
    Threads(database).conversation("t1", "", "r1").append([{"content": "new"}], "boss", "/x")
    with sqlite3.connect(path) as now:
        assert now.execute("SELECT value FROM agency_meta").fetchall() == [(str(SCHEMA_VERSION),)]
        fresh = open_database(f"sqlite:///{tmp_path / 'fresh.db'}")
        assert fresh is not None
        with sqlite3.connect(tmp_path / "fresh.db") as made:
            assert columns(now) == columns(made)


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "new.db"
    with sqlite3.connect(path) as newer:
        newer.executescript(VERSION_1.replace("'version', '1'", "'version', '99'"))
    with pytest.raises(StoreFailed, match="version 99"):
        open_database(f"sqlite:///{path}")
    with sqlite3.connect(path) as untouched:
        assert "journal" not in columns(untouched)


def columns(connection: sqlite3.Connection) -> dict[str, list[tuple[str, str]]]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')")
    return {
        name: [tuple(row[1:3]) for row in connection.execute(f"PRAGMA table_info({name})")]
        for (name,) in names.fetchall()
        if not name.startswith("sqlite_")
    }


VERSION_1 = """
CREATE TABLE agency_meta (name VARCHAR(50) NOT NULL, value VARCHAR(200) NOT NULL,
  PRIMARY KEY (name));
CREATE TABLE threads (id VARCHAR(64) NOT NULL, agency VARCHAR(200) NOT NULL,
  active_agent VARCHAR(50), created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL,
  PRIMARY KEY (id));
CREATE TABLE thread_items (id INTEGER NOT NULL, thread_id VARCHAR(64) NOT NULL,
  conversation VARCHAR(120) NOT NULL, author VARCHAR(50) NOT NULL, item JSON NOT NULL,
  at DATETIME NOT NULL, PRIMARY KEY (id),
  FOREIGN KEY(thread_id) REFERENCES threads (id) ON DELETE CASCADE);
CREATE INDEX thread_items_by_conversation ON thread_items (thread_id, conversation, id);
INSERT INTO agency_meta VALUES ('version', '1');
INSERT INTO threads VALUES ('t1', 'a', 'boss', '2026-01-01 00:00:00.000000',
  '2026-01-01 00:00:00.000000');
INSERT INTO thread_items VALUES (1, 't1', '', '', '{"content": "hi"}',
  '2026-01-01 00:00:00.000000');
"""
