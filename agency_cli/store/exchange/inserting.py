"""The runs of an export written into a store: all of them, or none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from agency_cli.events import RunEnded
from agency_cli.store.database import Database
from agency_cli.store.exchange.journals import GivenRun
from agency_cli.store.exchange.reading import Export, GivenThread
from agency_cli.store.exchange.records import ItemLine
from agency_cli.store.manifests import note_facts
from agency_cli.store.runs import Runs
from agency_cli.store.tables import items, journal, runs, threads


@dataclass(frozen=True, slots=True)
class Imported:
    """Ids of the runs that were written, and of those that were there before, just the same."""

    new: tuple[str, ...]
    known: tuple[str, ...]


def insert_runs(database: Database, export: Export) -> Imported:
    """Write the runs that the store lacks, and what their agents knew.

    Raises:
        StoreFailed: The store cannot be read or written; nothing of the export was.
        UsageError: A run or a thread of the same id is there, and is another one.
    """
    new, known = [], []
    with database.transaction() as connection:
        for run in export.runs.values():
            row = connection.execute(select(runs).where(runs.c.id == run.line.id)).first()
            if row is None:
                new.append(run)
            else:
                _require_same(connection, export, run, row)
                known.append(run.line.id)
        for thread_id in dict.fromkeys(run.started.thread_id or "" for run in new):
            first = next(run for run in new if run.started.thread_id == thread_id)
            _write_thread(connection, database, export, thread_id, first)
        for run in new:
            note_facts(connection, run.line.digest, json.dumps(run.line.facts))
            connection.execute(insert(runs).values(_values(run)))
            connection.execute(insert(journal), run.rows)
    return Imported(tuple(run.line.id for run in new), tuple(known))


def _require_same(connection: Connection, export: Export, run: GivenRun, row: Row[Any]) -> None:
    line = run.line
    found: tuple[object, ...] = (row.manifest, row.digest, row.options, row.models)
    same = found == (line.manifest, line.digest, line.options, line.models)
    wanted = select(journal.c.event, journal.c.kept).where(journal.c.run_id == line.id)
    there = connection.execute(wanted.order_by(journal.c.ordinal)).all()
    given = [(row["event"], row["kept"]) for row in run.rows]
    if not same or [(_value(e), _value(k)) for e, k in there] != [
        (_value(e), _value(k)) for e, k in given
    ]:
        raise export.refused(
            run.number,
            f"run {line.id} is in this store already, and went another way there; give another"
            f" --store, or delete it with `agency runs delete {line.id}`",
        )


def _value(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _write_thread(
    connection: Connection, database: Database, export: Export, thread_id: str, run: GivenRun
) -> None:
    """Write a thread, or what is new on it; it must be one conversation with what is there."""
    given = export.threads.get(thread_id)
    there = connection.execute(select(threads).where(threads.c.id == thread_id)).first()
    if given is None:
        if there is not None:
            raise export.refused(run.number, _other_thread(thread_id))
        return
    if given.line.agency != run.started.agency:
        raise export.refused(
            run.number, f"the run is of {run.started.agency}, its thread of {given.line.agency}"
        )
    if there is None:
        connection.execute(insert(threads).values(**_thread_values(given), id=thread_id))
        _write_items(connection, given.items)
        return
    wanted = select(items).where(items.c.thread_id == thread_id).order_by(items.c.id)
    kept = [_of_row(row) for row in connection.execute(wanted)]
    told = [_of_line(line) for line in given.items]
    shorter = min(len(kept), len(told))
    if there.agency != given.line.agency or kept[:shorter] != told[:shorter]:
        raise export.refused(given.number, _other_thread(thread_id))
    if len(told) > len(kept):
        _require_idle(database, export, given)
        changed = update(threads).where(threads.c.id == thread_id)
        connection.execute(changed.values(**_thread_values(given)))
        _write_items(connection, given.items[len(kept) :])


def _other_thread(thread_id: str) -> str:
    return (
        f"thread {thread_id} is in this store already, with another conversation; give another"
        f" --store, or delete it with `agency threads delete {thread_id}`"
    )


def _require_idle(database: Database, export: Export, thread: GivenThread) -> None:
    there = Runs(database)
    newest = there.newest_of(thread.line.id)
    if newest and there.find(newest).status == "running":
        raise export.refused(
            thread.number, f"run {newest} is at work on thread {thread.line.id}; wait for its end"
        )


def _thread_values(thread: GivenThread) -> dict[str, Any]:
    return thread.line.model_dump(exclude={"record", "id"})


def _write_items(connection: Connection, new: list[ItemLine]) -> None:
    if new:
        connection.execute(insert(items), [line.model_dump(exclude={"record"}) for line in new])


def _of_row(row: Row[Any]) -> tuple[object, ...]:
    return (row.conversation, row.author, row.item, row.run_id, row.path)


def _of_line(line: ItemLine) -> tuple[object, ...]:
    return (line.conversation, line.author, line.item, line.run_id, line.path)


def _values(run: GivenRun) -> dict[str, Any]:
    """Return the row of a run, as its journal tells it."""
    started, ended = run.started, run.tree.ended
    values = {
        **run.line.model_dump(exclude={"record", "facts"}),
        "agency": started.agency,
        "thread_id": started.thread_id,
        "agent": started.agent,
        "message": started.message,
        "started_at": started.at,
    }
    if isinstance(ended, RunEnded):
        totals = run.tree.totals
        values |= {
            "status": ended.status,
            "ended_at": ended.at,
            "cost_usd": str(totals.cost_usd),
            "unpriced_models": list(totals.unpriced_models),
            "cut_off": totals.cut_off,
        }
    return values
