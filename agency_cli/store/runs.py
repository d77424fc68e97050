"""Past runs: listed, found, told again, added up, deleted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

from sqlalchemy import Row, delete, select

from agency_cli.calltree import CallTree, Totals
from agency_cli.errors import UsageError
from agency_cli.event_json import event_from_json
from agency_cli.events import ApprovalAsked, Event, NodeEnded, RunEnded, RunStatus
from agency_cli.store.database import Database
from agency_cli.store.failing import StoreFailed
from agency_cli.store.journal import totals_of_call
from agency_cli.store.killed import left_open
from agency_cli.store.locking import is_thread_busy
from agency_cli.store.manifests import facts_of_digest, forget_unused
from agency_cli.store.tables import journal, runs

MOST_VALUES = 500
"""How many values one statement is given."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run in a list; times are in UTC.

    Attributes:
        cost_usd: Of the model calls whose price is known.
        unpriced_models: Models that counted tokens and have no known price.
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
    cost_usd: Decimal
    unpriced_models: tuple[str, ...]
    manifest: str
    digest: str
    options: Mapping[str, Any]
    models: Mapping[str, str]

    @property
    def known_cost_usd(self) -> Decimal | None:
        """The whole cost, or None where a part of it is unknown."""
        return None if self.unpriced_models else self.cost_usd


@dataclass(frozen=True, slots=True)
class Recorded:
    """One row of a journal: an event, and what was kept with it."""

    event: Event
    kept: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PastCall:
    """One model call of any run: who called what, when, and what it used."""

    agency: str
    agent: str
    model: str
    at: datetime
    totals: Totals


@dataclass(frozen=True)
class Runs:
    """The runs of one store."""

    database: Database

    def all(self) -> list[RunSummary]:
        """Return every run, the latest first."""
        wanted = select(runs).order_by(runs.c.started_at.desc(), runs.c.id)
        with self.database.reading() as connection:
            rows = connection.execute(wanted).all()
        newest: dict[str, str] = {}
        for row in rows:
            newest.setdefault(row.thread_id, row.id)
        return self._summaries(rows, newest)

    def find(self, run_id: str) -> RunSummary:
        """Return one run.

        Raises:
            UsageError: There is no such run.
        """
        row = self._row(run_id)
        if row is None:
            raise UsageError(f"there is no run {run_id!r}; `agency runs list` tells them all")
        newest = {row.thread_id: self.newest_of(row.thread_id)}
        return self._summaries([row], newest)[0]

    def meant(self, text: str, agency: str) -> RunSummary:
        """Return the run of an id, of the only id that begins so, or the `last` of an agency.

        Raises:
            UsageError: There is no such run, or there are several.
        """
        if text == "last":
            newest = select(runs.c.id).where(runs.c.agency == agency)
            wanted = newest.order_by(runs.c.started_at.desc()).limit(1)
        elif not text:
            raise UsageError("name a run by its id; `agency runs list` tells them all")
        else:
            wanted = select(runs.c.id).where(runs.c.id.startswith(text, autoescape=True)).limit(2)
        with self.database.reading() as connection:
            found = list(connection.scalars(wanted))
        if text == "last" and not found:
            raise UsageError(f"the store has no run of {agency!r}")
        if len(found) > 1 and text not in found:
            raise UsageError(f"several runs begin with {text!r}; write more of the id")
        return self.find(found[0] if len(found) == 1 else text)

    def newest_of(self, thread_id: str) -> str:
        """Return the id of the latest run on a thread; it has one."""
        latest = select(runs.c.id).where(runs.c.thread_id == thread_id)
        with self.database.reading() as connection:
            newest = connection.scalar(latest.order_by(runs.c.started_at.desc()).limit(1))
        return newest or ""

    def recorded(self, run: RunSummary) -> list[Recorded]:
        """Return what the journal tells of a run, with the ends that a killed one lacks."""
        rows = self.rows(run.id)
        return rows if run.status == "running" else closed(rows)

    def facts(self, run: RunSummary) -> Mapping[str, str]:
        """Return what the manifest of a run said, by places; nothing where that is not known."""
        with self.database.reading() as connection:
            return facts_of_digest(connection, run.digest)

    def waiting(self, run: RunSummary) -> list[ApprovalAsked]:
        """Return the calls of a run that wait for a person to agree to them."""
        return waiting_in(self.rows(run.id))

    def rows(self, run_id: str) -> list[Recorded]:
        """Return a journal as it was written."""
        wanted = (
            select(journal.c.event, journal.c.kept)
            .where(journal.c.run_id == run_id)
            .order_by(journal.c.ordinal)
        )
        with self.database.reading() as connection:
            return [
                Recorded(
                    _event(row.event),
                    json.loads(row.kept) if row.kept is not None else None,
                )
                for row in connection.execute(wanted)
            ]

    def calls(self, since: datetime | None = None) -> Iterator[PastCall]:
        """Yield every model call that has ended, of all runs; those after `since` if given."""
        wanted = (
            select(runs.c.agency, journal.c.agent, journal.c.model, journal.c.event)
            .join_from(journal, runs)
            .where(journal.c.model.is_not(None))
            .order_by(runs.c.started_at, runs.c.id, journal.c.ordinal)
        )
        with self.database.reading() as connection:
            for row in connection.execute(wanted):
                event = _event(row.event)
                assert isinstance(event, NodeEnded)
                if since is None or event.at >= since:
                    totals = totals_of_call(row.model, event)
                    yield PastCall(row.agency, row.agent, row.model, event.at, totals)

    def delete(self, *run_ids: str) -> None:
        """Delete runs and their journals, all at once; what their threads remember stays."""
        with self.database.transaction() as connection:
            connection.execute(delete(journal).where(journal.c.run_id.in_(run_ids)))
            connection.execute(delete(runs).where(runs.c.id.in_(run_ids)))
            forget_unused(connection)

    def _summaries(self, rows: Sequence[Row[Any]], newest: Mapping[str, str]) -> list[RunSummary]:
        """Return what runs came to; `newest` holds the latest run of each of their threads."""
        # A run holds its thread as long as its process lives.
        busy = {
            row.id: row.id == newest[row.thread_id] and is_thread_busy(self.database, row.thread_id)
            for row in rows
            if row.status is None
        }
        # Some may have ended meanwhile, and let their threads go.
        ended = self._ended_of(busy)
        spent = self._spent_by([run_id for run_id in busy if run_id not in ended])
        return [
            _summary(ended.get(row.id, row), spent.get(row.id), is_busy=busy.get(row.id, False))
            for row in rows
        ]

    def _ended_of(self, run_ids: Iterable[str]) -> dict[str, Row[Any]]:
        with self.database.reading() as connection:
            return {
                row.id: row
                for part in _parts(run_ids)
                for row in connection.execute(
                    select(runs).where(runs.c.id.in_(part), runs.c.status.is_not(None))
                )
            }

    def _spent_by(self, run_ids: Iterable[str]) -> dict[str, Totals]:
        """Return what each of these runs used, as far as its journal tells."""
        spent = dict.fromkeys(run_ids, Totals())
        with self.database.reading() as connection:
            for part in _parts(spent):
                wanted = select(journal.c.run_id, journal.c.model, journal.c.event).where(
                    journal.c.run_id.in_(part), journal.c.model.is_not(None)
                )
                for row in connection.execute(wanted):
                    event = _event(row.event)
                    assert isinstance(event, NodeEnded)
                    spent[row.run_id] += totals_of_call(row.model, event)
        return spent

    def _row(self, run_id: str) -> Row[Any] | None:
        with self.database.reading() as connection:
            return connection.execute(select(runs).where(runs.c.id == run_id)).first()


def _summary(row: Row[Any], spent: Totals | None, *, is_busy: bool) -> RunSummary:
    """Return what a run came to; `spent` is what one that has not ended used so far."""
    status, cost, unpriced = row.status, row.cost_usd, row.unpriced_models
    if status is None and spent is not None:
        status = "running" if is_busy else "killed"
        cost, unpriced = spent.cost_usd, spent.unpriced_models
    return RunSummary(
        id=row.id,
        agency=row.agency,
        thread_id=row.thread_id,
        agent=row.agent,
        message=row.message,
        status=cast("RunStatus", status),
        started_at=_utc(row.started_at),
        ended_at=_utc(row.ended_at) if row.ended_at else None,
        cost_usd=Decimal(cost),
        unpriced_models=tuple(unpriced),
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


def closed(rows: list[Recorded]) -> list[Recorded]:
    """Return a journal with the ends that it lacks where the run's process was killed."""
    if isinstance(rows[-1].event, RunEnded):
        return rows
    return [*rows, *(Recorded(event) for event in left_open([row.event for row in rows]))]


def waiting_in(rows: Iterable[Recorded]) -> list[ApprovalAsked]:
    """Return the calls in a journal that wait for a person to agree to them."""
    return CallTree.of(row.event for row in rows).waiting()


def _event(line: str) -> Event:
    try:
        return event_from_json(json.loads(line))
    except ValueError as error:
        raise StoreFailed(
            f"the journal of a run cannot be read ({error}); it is damaged, or a newer agency"
            " wrote it"
        ) from error


def _utc(time: datetime) -> datetime:
    """SQLite forgets the zone; what is written is UTC."""
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
