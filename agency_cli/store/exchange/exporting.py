"""Runs and what their agents knew, as the lines of an export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from agency_cli import __version__
from agency_cli.event_json import time_json
from agency_cli.store.database import Database
from agency_cli.store.exchange.records import FORMAT, VERSION
from agency_cli.store.manifests import facts_of_digest
from agency_cli.store.tables import items, journal, runs, threads

Lines = Iterator[dict[str, Any]]


def export_lines(database: Database, run_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the objects of an export, one a line, of runs that are there and have ended.

    Each thread comes with what it remembered up to the latest of the runs, so that a run can be
    resumed wherever it is imported. All is read in one transaction.

    Raises:
        StoreFailed: The store cannot be read.
    """
    lines: list[dict[str, Any]] = [
        {
            "record": "header",
            "format": FORMAT,
            "version": VERSION,
            "written_by": f"agency {__version__}",
        }
    ]
    with database.reading() as connection:
        # One by one: a statement takes only so many values.
        found = (
            row
            for run_id in run_ids
            for row in connection.execute(select(runs).where(runs.c.id == run_id))
        )
        by_thread: dict[str, list[Row[Any]]] = {}
        for row in sorted(found, key=lambda row: (row.started_at, row.id)):
            by_thread.setdefault(row.thread_id, []).append(row)
        for thread_id, its_runs in by_thread.items():
            lines += _thread(connection, thread_id, its_runs[-1])
            for run in its_runs:
                lines += _run(connection, run)
    return [*lines, {"record": "end", "lines": len(lines) + 1}]


def _thread(connection: Connection, thread_id: str, last: Row[Any]) -> Lines:
    """Yield a thread as it was after a run; nothing where it was deleted."""
    thread = connection.execute(select(threads).where(threads.c.id == thread_id)).first()
    if thread is None:
        return
    newest = connection.scalar(
        select(runs.c.id)
        .where(runs.c.thread_id == thread_id)
        .order_by(runs.c.started_at.desc(), runs.c.id)
        .limit(1)
    )
    whole = newest == last.id
    yield {
        "record": "thread",
        "id": thread.id,
        "agency": thread.agency,
        "active_agent": thread.active_agent if whole else _last_agent(connection, last),
        "created_at": _time(thread.created_at),
        "updated_at": _time(thread.updated_at if whole else last.ended_at or last.started_at),
    }
    remembered = select(items).where(items.c.thread_id == thread_id).order_by(items.c.id)
    if not whole:
        remembered = remembered.where(_until(connection, last))
    for row in connection.execute(remembered):
        yield {
            "record": "item",
            "thread_id": thread_id,
            "conversation": row.conversation,
            "author": row.author,
            "item": row.item,
            "at": _time(row.at),
            "run_id": row.run_id,
            "path": row.path,
        }


def _until(connection: Connection, run: Row[Any]) -> Any:
    """Return what holds for what a thread remembered when a run had ended.

    Runs on a thread follow each other, and so do the items that they bring.
    """
    last = connection.scalar(select(func.max(items.c.id)).where(items.c.run_id == run.id))
    return items.c.at < run.started_at if last is None else items.c.id <= last


def _last_agent(connection: Connection, run: Row[Any]) -> str:
    """Return who had the conversation when a run had ended."""
    row = connection.execute(
        select(journal.c.event)
        .where(journal.c.run_id == run.id, journal.c.kind == "run_ended")
        .order_by(journal.c.ordinal.desc())
        .limit(1)
    ).first()
    ended = json.loads(row.event) if row is not None else {}
    agent: str = ended.get("final_agent") or run.agent
    return agent


def _run(connection: Connection, run: Row[Any]) -> Lines:
    yield {
        "record": "run",
        "id": run.id,
        "manifest": run.manifest,
        "digest": run.digest,
        "options": run.options,
        "models": run.models,
        "facts": facts_of_digest(connection, run.digest),
    }
    rows = select(journal).where(journal.c.run_id == run.id).order_by(journal.c.ordinal)
    for row in connection.execute(rows):
        yield {
            "record": "row",
            "run_id": run.id,
            "event": json.loads(row.event),
            "kept": None if row.kept is None else json.loads(row.kept),
        }


def _time(at: datetime) -> str:
    # SQLite forgets the zone; what is written is UTC.
    return time_json(at if at.tzinfo else at.replace(tzinfo=UTC))
