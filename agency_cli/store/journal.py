"""The journal: what happens in one run, written row by row as it happens."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, insert, update

from agency_cli.calltree import Totals
from agency_cli.event_json import event_json
from agency_cli.events import Event, NodeEnded, NodeStarted, RunEnded, RunStarted, TextDelta, Usage
from agency_cli.store.database import Database
from agency_cli.store.failing import StoreFailed
from agency_cli.store.manifests import note_facts
from agency_cli.store.secrets import value_without_secrets, without_secrets
from agency_cli.store.tables import journal, runs
from agency_cli.store.texts import escaped


def new_run_id() -> str:
    """Return an id that no other run has."""
    return secrets.token_hex(6)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrigin:
    """What a run was made of, beyond its message.

    Attributes:
        manifest: The manifest's absolute path.
        digest: SHA-256 of the manifest and its files.
        options: What the command line said of models, params and limits.
        models: The model of each agent, by its key.
        secrets: Texts that must not get into the journal.
        facts: What the manifest and its files say, by the place where they say it.
    """

    manifest: str
    digest: str
    options: Mapping[str, Any]
    models: Mapping[str, str]
    secrets: Sequence[str] = field(default=(), repr=False)
    facts: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(slots=True)
class RunJournal:
    """Writes the events of one run; a run that is resumed goes on where its rows end.

    After a write that failed nothing more is written, so that what is there stays true as far as
    it goes: the run is then one that was killed.

    Attributes:
        database: The store.
        origin: What the run was made of.
        totals: What the run has used so far.
    """

    database: Database
    origin: RunOrigin
    totals: Totals = field(default_factory=Totals)
    _run_id: str = ""
    _ordinal: int = 0
    _calls: dict[str, NodeStarted] = field(default_factory=dict)
    _kept: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _connection: Connection | None = None
    _failed: bool = False

    @classmethod
    def going_on(
        cls, database: Database, origin: RunOrigin, run_id: str, past: Sequence[Event]
    ) -> RunJournal:
        """Return the journal of a run of which `past` is written already."""
        journal = cls(database, origin, _run_id=run_id, _ordinal=len(past))
        for event in past:
            journal._count(event)
        return journal

    def keep(self, node_id: str, record: Mapping[str, Any]) -> None:
        """Have a record written in the row that tells of the node's end."""
        self._kept[node_id] = record

    def add(self, event: Event) -> None:
        """Write one event; pieces of text are left out, as the whole text comes at the end.

        Raises:
            StoreFailed: It could not be written; or, at the end, the store is gone with all of it.
        """
        if isinstance(event, TextDelta) or self._failed:
            return
        row = self._row(event)
        try:
            if isinstance(event, RunStarted | RunEnded):
                self._write_with_run(row, event)
            else:
                self._write(row)
        except StoreFailed:
            self._failed = True
            self._close()
            raise

    def _write(self, row: dict[str, Any]) -> None:
        """Write one row by the shortest way there is, as a run waits for it."""
        if self._connection is None:
            self._connection = self.database.connect()
        with self.database.explained():
            self._connection.exec_driver_sql(*_insertion(self._connection.dialect, row))

    def _write_with_run(self, row: dict[str, Any], event: RunStarted | RunEnded) -> None:
        with self.database.transaction() as connection:
            if isinstance(event, RunStarted):
                self._begin(connection, event)
            connection.exec_driver_sql(*_insertion(connection.dialect, row))
            if isinstance(event, RunEnded):
                self._end(connection, event)
        if isinstance(event, RunEnded):
            self._close()
            # A file that was removed takes rows as before, for as long as it is open.
            self.database.require_there()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _row(self, event: Event) -> dict[str, Any]:
        if isinstance(event, RunStarted):
            self._run_id = event.run_id
        line, call = event_json(event), self._count(event)
        kept = self._kept.pop(event.id, None) if isinstance(event, NodeEnded) else None
        self._ordinal += 1
        return {
            "run_id": self._run_id,
            "ordinal": self._ordinal - 1,
            "kind": line["event"],
            "event": self._text(line),
            "agent": call.agent if call else None,
            "model": escaped(call.name) if call else None,
            "kept": None if kept is None else self._text(kept),
        }

    def _count(self, event: Event) -> NodeStarted | None:
        """Count what the event tells of a model call; return its start where it has ended."""
        match event:
            case NodeStarted(kind="model"):
                self._calls[event.id] = event
            case NodeEnded() if event.id in self._calls:
                call = self._calls.pop(event.id)
                self.totals += totals_of_call(call.name, event)
                return call
            case _:
                pass
        return None

    def _begin(self, connection: Connection, event: RunStarted) -> None:
        note_facts(connection, self.origin.digest, self._text(self.origin.facts))
        if event.resumed:
            self._go_on(connection)
            return
        origin = self.origin
        connection.execute(
            insert(runs).values(
                id=event.run_id,
                agency=event.agency,
                thread_id=event.thread_id or "",
                agent=event.agent,
                message=value_without_secrets(event.message, origin.secrets),
                manifest=origin.manifest,
                digest=origin.digest,
                options=origin.options,
                models=origin.models,
                started_at=event.at,
            )
        )

    def _go_on(self, connection: Connection) -> None:
        connection.execute(
            update(runs)
            .where(runs.c.id == self._run_id)
            .values(
                status=None,
                ended_at=None,
                digest=self.origin.digest,
                options=self.origin.options,
                models=self.origin.models,
            )
        )

    def _end(self, connection: Connection, event: RunEnded) -> None:
        connection.execute(
            update(runs)
            .where(runs.c.id == self._run_id)
            .values(
                status=event.status,
                ended_at=event.at,
                cost_usd=str(self.totals.cost_usd),
                unpriced_models=list(self.totals.unpriced_models),
                cut_off=self.totals.cut_off,
            )
        )

    def _text(self, value: Mapping[str, Any]) -> str:
        # Escaped, as a model can write halves of characters, which no database takes.
        return without_secrets(json.dumps(value), self.origin.secrets)


@cache
def _statement(dialect: Dialect) -> tuple[str, tuple[str, ...]]:
    """Return the insertion of a row for a database, and the columns where it has them in order."""
    compiled = insert(journal).compile(dialect=dialect)
    return str(compiled), tuple(compiled.positiontup or ())


def _insertion(
    dialect: Dialect, row: Mapping[str, Any]
) -> tuple[str, tuple[Any, ...] | Mapping[str, Any]]:
    statement, columns = _statement(dialect)
    return statement, tuple(row[column] for column in columns) or row


def totals_of_call(model: str, ended: NodeEnded) -> Totals:
    """Return what one model call used."""
    usage = ended.usage or Usage()
    return Totals.of_call(model, usage, ended.cost_usd, status=ended.status)
