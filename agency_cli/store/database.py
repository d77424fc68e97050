"""Opening the database: where it is, what version it has, and what can go wrong with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from agency_cli.errors import AgencyError
from agency_cli.store.migrations import UnknownVersion, bring_up_to_date, is_current
from agency_cli.store.tables import SCHEMA_VERSION

BUSY_SECONDS = 10
"""How long a write waits for another process's write."""
BEGIN = "agency_begin"
"""Names the execution option of a connection that says how its transactions begin."""

ELSEWHERE = "set AGENCY_HOME to a folder that can be written, or give --store"
ADVICE = {
    "unable to open": ELSEWHERE,
    "readonly": ELSEWHERE,
    "full": f"make room, or {ELSEWHERE}",
    "locked": "another process holds it for long; try again",
    "not a database": "give another --store",
    "malformed": "keep a copy of the file, and give another --store",
}
"""What to do, by a part of what SQLite says."""
REMOVED = (
    "was removed, or replaced, while it was in use: what it held is lost, and this run is not"
    " stored; keep its answer if it has one, and start again"
)


class StoreFailed(AgencyError):
    """The store cannot be read or written; what was written stays."""

    kind = "store"
    ends_run = True


class StoreGone(StoreFailed):
    """What a run belongs to was deleted while it was in use; there is nothing to go on with."""


_DELETED = (
    "lost a run while it was at work: another process deleted it; what it did is not stored; send"
    " its message again"
)
_TAKEN = "has a row already that was to be written: another process is at work on the same run"
_CHANGED = (
    "lacks a part that every store has: another program changed it; keep a copy of it, and give"
    " another --store"
)
OWN_WORDS: Mapping[str, tuple[type[StoreFailed], str]] = {
    # Rows belong to a run, and runs to nothing but themselves.
    "foreign key": (StoreGone, _DELETED),
    "unique constraint": (StoreGone, _TAKEN),
    "no such table": (StoreFailed, _CHANGED),
    "no such column": (StoreFailed, _CHANGED),
}
"""What to say, by a part of what a database says that only its programmers understand."""


@dataclass(frozen=True)
class Database:
    """An open store; files that belong to it, such as locks, go into `folder`.

    Attributes:
        engine: Makes connections.
        url: Where it is.
        folder: Where its other files are.
        file: Device and number of its file: another file of its name is not this store.
    """

    engine: Engine
    url: URL
    folder: Path
    file: tuple[int, int] | None = None

    @property
    def is_gone(self) -> bool:
        """Whether its file was removed, or replaced; what is written then is stored nowhere."""
        return self.file is not None and self.file != _file_of(self.url)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Begin, and commit at the end.

        Raises:
            StoreFailed: The database refused; nothing of the transaction was written.
        """
        with self._begun(self.engine) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that reads, and sees the store as it is now; others may write.

        Raises:
            StoreFailed: The database refused.
        """
        with self._begun(self.engine.execution_options(**{BEGIN: "BEGIN"})) as connection:
            yield connection

    def connect(self) -> Connection:
        """Return a connection on which each statement is a transaction of its own."""
        with self.explained():
            return self.engine.execution_options(**{BEGIN: ""}).connect()

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what the database refuses into StoreFailed."""
        try:
            yield
        except (SQLAlchemyError, JSONDecodeError) as error:
            # What stands in a column of JSON is read within the transaction too.
            raise _explained(self, error) from error

    @contextmanager
    def _begun(self, engine: Engine) -> Iterator[Connection]:
        with self.explained(), engine.begin() as connection:
            yield connection


def store_url(wanted: str | None, folder: Path, environ: Mapping[str, str]) -> str:
    """Return the store to use: `--store`, else `$AGENCY_HOME`, else beside the manifest."""
    if wanted:
        return wanted
    home = environ.get("AGENCY_HOME")
    place = Path(home).expanduser() if home else folder / ".agency"
    return str(URL.create("sqlite", database=str(place / "agency.db")))


def open_database(url: str, *, must_exist: bool = False) -> Database:
    """Open the store at `url`; made when it is missing, unless it must exist.

    Raises:
        StoreFailed: It cannot be opened, is no store, is of another version, or is missing.
    """
    try:
        parsed = make_url(url)
        engine = create_engine(parsed)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreFailed(
            f"{url!r} is no store ({_one_line(error)}); write sqlite:///FILE"
        ) from error
    if parsed.get_backend_name() != "sqlite" or parsed.database in {None, "", ":memory:"}:
        raise StoreFailed(f"{url!r} is not a file of SQLite; write sqlite:///FILE")
    if must_exist and not Path(parsed.database or "").exists():
        raise StoreFailed(
            f"there is no store {parsed.database}; name the manifest that it belongs to with"
            " --manifest, or the store with --store"
        )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_at_once)
    database = Database(engine, parsed, _folder_of(parsed))
    _require_version(database)
    return replace(database, file=_file_of(parsed))


def _folder_of(url: URL) -> Path:
    folder = Path(url.database or "").absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if folder.name == ".agency" and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreFailed(
            f"the store {url.database} cannot be made ({error.strerror}); {ELSEWHERE}"
        ) from error
    return folder


def _file_of(url: URL) -> tuple[int, int] | None:
    try:
        found = os.stat(url.database or "")  # noqa: PTH116 - asked for at each row, where it counts
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver must begin nothing by itself: it begins too late, and not before DDL.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_SECONDS * 1000}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_at_once(connection: Connection) -> None:
    """Take the right to write first: what a transaction reads stays true until it writes."""
    begin = connection.get_execution_options().get(BEGIN, "BEGIN IMMEDIATE")
    if begin:
        connection.exec_driver_sql(begin)


def _require_version(database: Database) -> None:
    with database.reading() as connection:
        if is_current(connection):
            return
    try:
        with database.transaction() as connection:
            bring_up_to_date(connection)
    except UnknownVersion as found:
        raise StoreFailed(
            f"the store {database.url.render_as_string()} is of version {found}, and this program"
            f" reads version {SCHEMA_VERSION}; use a newer agency, or another --store"
        ) from None


def _explained(database: Database, error: Exception) -> StoreFailed:
    store = database.url.render_as_string()
    if database.is_gone:
        return StoreGone(f"the store {store} {REMOVED}")
    reason = _one_line(error)
    for part, (failure, what) in OWN_WORDS.items():
        if part in reason.lower():
            return failure(f"the store {store} {what}")
    advice = next((f"; {what}" for part, what in ADVICE.items() if part in reason), "")
    return StoreFailed(
        f"the store {store} failed: {reason}; nothing that was written is lost{advice}"
    )


def _one_line(error: Exception) -> str:
    original = error.__cause__ or error
    # SQLAlchemy's own errors carry the statement, which tells nobody anything.
    said = original.args[0] if isinstance(original, SQLAlchemyError) else original
    return " ".join(str(said).split())
