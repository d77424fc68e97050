"""Bringing the database of an older version to the shape of this one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress

from sqlalchemy import Connection, insert, inspect, select, update
from sqlalchemy.schema import CreateIndex, CreateTable

from agency_cli.calltree import Totals
from agency_cli.event_json import event_from_json
from agency_cli.events import NodeEnded, Usage
from agency_cli.store.tables import SCHEMA_VERSION, journal, manifests, meta, metadata, runs


class UnknownVersion(Exception):
    """The database is of a version that this program does not know; its text is that version."""


class NotOurs(Exception):
    """The database is another program's; its text names the tables that would be taken for ours."""


def found_version(connection: Connection) -> str | None:
    """Return the database's version; None where it is no store yet."""
    if not inspect(connection).has_table(meta.name):
        return None
    return str(connection.scalar(select(meta.c.value).where(meta.c.name == "version")))


def bring_up_to_date(connection: Connection) -> None:
    """Make the tables in an empty database, and what newer versions added in an older one.

    Raises:
        UnknownVersion: The database is newer than this program; nothing was changed.
        NotOurs: It has tables of our names that are not ours; nothing was changed.
    """
    found = found_version(connection)
    if found is None:
        _require_free_names(connection)
        metadata.create_all(connection)
        connection.execute(insert(meta).values(name="version", value=str(SCHEMA_VERSION)))
        return
    if found == str(SCHEMA_VERSION):
        return
    if found not in _STEPS:
        raise UnknownVersion(found)
    for version, step in _STEPS.items():
        if int(version) >= int(found):
            step(connection)
    connection.execute(
        update(meta).where(meta.c.name == "version").values(value=str(SCHEMA_VERSION))
    )


def _require_free_names(connection: Connection) -> None:
    there = [name for name in sorted(metadata.tables) if inspect(connection).has_table(name)]
    if there:
        raise NotOurs(", ".join(there))


def _add_the_journal(connection: Connection) -> None:
    for table in (runs, journal):
        connection.execute(CreateTable(table))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.execute(CreateIndex(index))
    for column in ("run_id VARCHAR(64)", "path TEXT"):
        connection.exec_driver_sql(f"ALTER TABLE thread_items ADD COLUMN {column}")


def _add_the_manifests(connection: Connection) -> None:
    connection.execute(CreateTable(manifests))


def _add_what_was_cut_off(connection: Connection) -> None:
    if "cut_off" not in {column["name"] for column in inspect(connection).get_columns(runs.name)}:
        connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN cut_off INTEGER")
    cut_off = Counter[str]()
    calls = select(journal.c.run_id, journal.c.model, journal.c.event)
    for row in connection.execute(calls.where(journal.c.model.is_not(None))):
        # What is damaged is told when it is looked at.
        with suppress(ValueError):
            event = event_from_json(json.loads(row.event))
            if isinstance(event, NodeEnded):
                usage, status = event.usage or Usage(), event.status
                call = Totals.of_call(row.model, usage, event.cost_usd, status=status)
                cut_off[row.run_id] += call.cut_off
    connection.execute(update(runs).where(runs.c.status.is_not(None)).values(cut_off=0))
    for run_id, calls_of_run in cut_off.items():
        changed = update(runs).where(runs.c.id == run_id, runs.c.status.is_not(None))
        connection.execute(changed.values(cut_off=calls_of_run))


_STEPS: Mapping[str, Callable[[Connection], None]] = {
    "1": _add_the_journal,
    "2": _add_the_manifests,
    "3": _add_what_was_cut_off,
}
"""What leads from each version to the next; as the tables change, each must keep its old shape."""
