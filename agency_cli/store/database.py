"""Opening the database: where it is, what version it has, and what can go wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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


class StoreFailed(AgencyError):
    """The store cannot be read or written; what was written stays."""

    kind = "store"
    ends_run = True


@dataclass(frozen=True)
class Database:
    """An open store; files that belong to it, such as locks, go into `folder`."""

    engine: Engine
    url: URL
    folder: Path

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
            raise _explained(self.url, error) from error

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
    return database


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


def _explained(url: URL, error: Exception) -> StoreFailed:
    reason = _one_line(error)
    advice = next((f"; {what}" for part, what in ADVICE.items() if part in reason), "")
    return StoreFailed(
        f"the store {url.render_as_string()} failed: {reason}; nothing that was written is lost"
        f"{advice}"
    )


def _one_line(error: Exception) -> str:
    original = error.__cause__ or error
    return " ".join(str(original).split())
