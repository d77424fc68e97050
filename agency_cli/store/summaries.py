"""What runs came to, in one line each: those that ended, that run, that were killed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

from sqlalchemy import Row, select

from agency_cli.calltree import Totals
from agency_cli.event_json import event_from_json
from agency_cli.events import Event, NodeEnded, NodeStarted, RunStatus
from agency_cli.store.database import Database
from agency_cli.store.failing import StoreFailed
from agency_cli.store.journal import totals_of_call
from agency_cli.store.locking import is_thread_busy
from agency_cli.store.tables import journal, runs

MOST_VALUES = 500
"""How many values one statement is given."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run in a list; times are in UTC.

    Attributes:
        totals: The costs of its model calls, without their tokens.
        manifest: The manifest's absolute path, when the run began.
        digest: What the manifest and its files hashed to.
        options: What the command line said of models, params and limits.
    """

    id: str
    agency: str
    thread_id: str
    agent: str
    message: str
    status: RunStatus
    started_at: datetime
    ended_at: datetime | None
    totals: Totals
    manifest: str
    digest: str
    options: Mapping[str, Any]
    models: Mapping[str, str]


def summaries(database: Database, rows: Sequence[Row[Any]]) -> list[RunSummary]:
    """Return what the runs of these rows came to, in their order."""
    without_end = [row for row in rows if row.status is None]
    newest = _newest_of(database, dict.fromkeys(row.thread_id for row in without_end))
    # A run holds its thread as long as its process lives.
    busy = {
        row.id: row.id == newest[row.thread_id] and is_thread_busy(database, row.thread_id)
        for row in without_end
    }
    # Some may have ended meanwhile, and let their threads go.
    ended = _ended_of(database, busy)
    spent = _spent_by(database, [run_id for run_id in busy if run_id not in ended], busy)
    return [
        _summary(ended.get(row.id, row), spent.get(row.id), is_busy=busy.get(row.id, False))
        for row in rows
    ]


def read_event(line: str) -> Event:
    """Return the event of a row.

    Raises:
        StoreFailed: It is none.
    """
    try:
        return event_from_json(json.loads(line))
    except ValueError as error:
        raise StoreFailed(
            f"the journal of a run cannot be read ({error}); it is damaged, or a newer agency"
            " wrote it"
        ) from error


def _newest_of(database: Database, thread_ids: Iterable[str]) -> dict[str, str]:
    """Return the id of the latest run on each thread."""
    newest: dict[str, str] = {}
    with database.reading() as connection:
        for part in _parts(thread_ids):
            latest = select(runs.c.thread_id, runs.c.id).where(runs.c.thread_id.in_(part))
            for row in connection.execute(latest.order_by(runs.c.started_at.desc(), runs.c.id)):
                newest.setdefault(row.thread_id, row.id)
    return newest


def _ended_of(database: Database, run_ids: Iterable[str]) -> dict[str, Row[Any]]:
    with database.reading() as connection:
        return {
            row.id: row
            for part in _parts(run_ids)
            for row in connection.execute(
                select(runs).where(runs.c.id.in_(part), runs.c.status.is_not(None))
            )
        }


def _spent_by(
    database: Database, run_ids: Iterable[str], busy: Mapping[str, bool]
) -> dict[str, Totals]:
    """Return what each of these runs used, as far as its journal tells.

    A model call under way when a run was killed is one that was cut off.
    """
    spent = dict.fromkeys(run_ids, Totals())
    with database.reading() as connection:
        for part in _parts(spent):
            # Of the rows that begin something, those that may begin a model call.
            begins = journal.c.event.like('%"kind": "model"%')
            wanted = select(journal.c.run_id, journal.c.model, journal.c.event).where(
                journal.c.run_id.in_(part), journal.c.model.is_not(None) | begins
            )
            for row in connection.execute(wanted):
                match read_event(row.event):
                    case NodeEnded() as event:
                        call = totals_of_call(row.model, event)
                        spent[row.run_id] += replace(call, cut_off=call.cut_off - 1)
                    case NodeStarted(kind="model"):
                        spent[row.run_id] += Totals(cut_off=1)
                    case _:
                        pass
    # What a run that goes on has under way is not lost.
    return {
        run_id: replace(totals, cut_off=0) if busy[run_id] else totals
        for run_id, totals in spent.items()
    }


def _summary(row: Row[Any], spent: Totals | None, *, is_busy: bool) -> RunSummary:
    """Return what a run came to; `spent` is what one that has not ended used so far."""
    status = row.status
    if status is None and spent is not None:
        status = "running" if is_busy else "killed"
    return RunSummary(
        id=row.id,
        agency=row.agency,
        thread_id=row.thread_id,
        agent=row.agent,
        message=row.message,
        status=cast("RunStatus", status),
        started_at=_utc(row.started_at),
        ended_at=_utc(row.ended_at) if row.ended_at else None,
        totals=Totals(
            cost_usd=Decimal(row.cost_usd),
            unpriced_models=tuple(row.unpriced_models),
            cut_off=row.cut_off,
        )
        if spent is None
        else spent,
        manifest=row.manifest,
        digest=row.digest,
        options=row.options,
        models=row.models,
    )


def _parts(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield names in parts, as a statement takes only so many values."""
    left = list(names)
    while left:
        yield left[:MOST_VALUES]
        left = left[MOST_VALUES:]


def _utc(time: datetime) -> datetime:
    """SQLite forgets the zone; what is written is UTC."""
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
