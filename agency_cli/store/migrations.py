"""Bringing the database of an older version to the shape of this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, insert, inspect, select, update
from sqlalchemy.schema import CreateIndex, CreateTable

from agency_cli.store.tables import SCHEMA_VERSION, journal, meta, metadata, runs


class UnknownVersion(Exception):
    """The database is of a version that this program does not know; its text is that version."""


def is_current(connection: Connection) -> bool:
    """Tell whether the database is of this program's version."""
    return _version(connection) == str(SCHEMA_VERSION)


def bring_up_to_date(connection: Connection) -> None:
    """Make the tables in an empty database, and what newer versions added in an older one.

    Raises:
        UnknownVersion: The database is newer than this program; nothing was changed.
    """
    found = _version(connection)
    if found is None:
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


def _version(connection: Connection) -> str | None:
    """Return the database's version; None where it is no store yet."""
    if not inspect(connection).has_table(meta.name):
        return None
    return str(connection.scalar(select(meta.c.value).where(meta.c.name == "version")))


def _add_the_journal(connection: Connection) -> None:
    for table in (runs, journal):
        connection.execute(CreateTable(table))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.execute(CreateIndex(index))
    for column in ("run_id VARCHAR(64)", "path TEXT"):
        connection.exec_driver_sql(f"ALTER TABLE thread_items ADD COLUMN {column}")


_STEPS: Mapping[str, Callable[[Connection], None]] = {"1": _add_the_journal}
"""What leads from each version to the next; as the tables change, each must keep its old shape."""
