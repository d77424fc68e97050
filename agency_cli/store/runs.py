"""Past runs: listed, found, told again, added up, deleted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, select

from agency_cli.calltree import CallTree, Totals
from agency_cli.errors import UsageError
from agency_cli.events import ApprovalAsked, Event, NodeEnded, RunEnded
from agency_cli.store.database import Database
from agency_cli.store.journal import totals_of_call
from agency_cli.store.killed import left_open
from agency_cli.store.manifests import facts_of_digest, forget_unused
from agency_cli.store.summaries import RunSummary, read_event, summaries
from agency_cli.store.tables import journal, runs

IN_ONE_ROW = {"ok", "error", "limit", "cancelled", "paused"}
"""How runs stand that their rows alone tell; the others take looking at their threads."""


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

    def all(
        self,
        *,
        agency: str | None = None,
        status: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> list[RunSummary]:
        """Return every run, or those that are wanted, the latest first; `limit` is of those."""
        wanted = select(runs).order_by(runs.c.started_at.desc(), runs.c.id)
        if agency is not None:
            wanted = wanted.where(runs.c.agency == agency)
        if since is not None:
            wanted = wanted.where(runs.c.started_at >= since)
        if status is None:
            wanted = wanted.limit(limit)
        elif status in IN_ONE_ROW:
            wanted = wanted.where(runs.c.status == status).limit(limit)
        else:
            wanted = wanted.where(runs.c.status.is_(None))
        with self.database.reading() as connection:
            rows = connection.execute(wanted).all()
        found = summaries(self.database, rows)
        return [run for run in found if status in {None, run.status}][:limit]

    def find(self, run_id: str) -> RunSummary:
        """Return one run.

        Raises:
            UsageError: There is no such run.
        """
        row = self._row(run_id)
        if row is None:
            raise UsageError(f"there is no run {run_id!r}; `agency runs list` tells them all")
        return summaries(self.database, [row])[0]

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
                    read_event(row.event),
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
                event = read_event(row.event)
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

    def _row(self, run_id: str) -> Row[Any] | None:
        with self.database.reading() as connection:
            return connection.execute(select(runs).where(runs.c.id == run_id)).first()


def closed(rows: list[Recorded]) -> list[Recorded]:
    """Return a journal with the ends that it lacks where the run's process was killed."""
    if isinstance(rows[-1].event, RunEnded):
        return rows
    return [*rows, *(Recorded(event) for event in left_open([row.event for row in rows]))]


def waiting_in(rows: Iterable[Recorded]) -> list[ApprovalAsked]:
    """Return the calls in a journal that wait for a person to agree to them."""
    return CallTree.of(row.event for row in rows).waiting()
