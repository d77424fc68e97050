"""An open store: its transactions, its version, and what can go wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from json import JSONDecodeError
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from agency_cli.store.backend import Backend, FileIdentity, ThreadLock
from agency_cli.store.failing import OWN_WORDS, REMOVED, StoreFailed, StoreGone
from agency_cli.store.migrations import NotOurs, UnknownVersion, bring_up_to_date, found_version
from agency_cli.store.places import FORMS, parsed_url, shown
from agency_cli.store.postgres import Postgres
from agency_cli.store.sqlite import SQLite
from agency_cli.store.tables import SCHEMA_VERSION

BACKENDS: dict[str, type[SQLite | Postgres]] = {
    "sqlite": SQLite,
    "sqlite+pysqlite": SQLite,
    "postgresql+psycopg": Postgres,
    "postgresql": Postgres,
    "postgres": Postgres,
}
"""What a URL can begin with."""


@dataclass(frozen=True)
class Database:
    """An open store.

    Attributes:
        engine: Makes connections.
        backend: Knows the kind of database.
        file: What tells its file from another one of the name; None where it has none.
    """

    engine: Engine
    backend: Backend
    file: FileIdentity | None = None

    @property
    def url(self) -> URL:
        return self.engine.url

    @property
    def folder(self) -> Path | None:
        """The folder of its files; None where it is on a server."""
        return self.backend.folder

    @property
    def is_gone(self) -> bool:
        """Whether its file was removed, or replaced; what is written then is stored nowhere."""
        return self.file is not None and self.file != self.backend.file()

    def require_there(self) -> None:
        """Make sure that the file of the store is still there.

        Raises:
            StoreGone: It was removed, or replaced; what is written then is stored nowhere.
        """
        if self.is_gone:
            raise StoreGone(f"the store {shown(self.url)} {REMOVED}")

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Begin, and commit at the end; what is read stays true until then.

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
        with self._begun(self.engine.execution_options(**self.backend.reading)) as connection:
            yield connection

    def connect(self) -> Connection:
        """Return a connection on which each statement is a transaction of its own."""
        with self.explained():
            return self.engine.execution_options(**self.backend.alone).connect()

    def lock(self, thread_id: str) -> ThreadLock:
        """Return the lock of a thread; what it does is to be `explained`."""
        return self.backend.lock(self.engine, thread_id)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what the database refuses into StoreFailed."""
        try:
            yield
        except (SQLAlchemyError, JSONDecodeError) as error:
            # What stands in a column of JSON is read within the transaction too.
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> StoreFailed:
        store = shown(self.url)
        if self.is_gone:
            return StoreGone(f"the store {store} {REMOVED}")
        reason, advice, kept = self.backend.reason(error)
        for part, (failure, what) in OWN_WORDS.items():
            if part in reason.lower():
                return failure(f"the store {store} {what}")
        return StoreFailed(f"the store {store} failed: {reason}; {kept}{advice and f'; {advice}'}")

    @contextmanager
    def _begun(self, engine: Engine) -> Iterator[Connection]:
        with self.explained(), engine.begin() as connection:
            yield connection


def open_database(url: str, *, must_exist: bool = False) -> Database:
    """Open the store at `url`; made when it is missing, unless it must exist.

    Raises:
        StoreFailed: It cannot be opened, is no store, is of another version, or is missing.
    """
    parsed = parsed_url(url)
    if parsed.drivername not in BACKENDS:
        raise StoreFailed(f"'{shown(parsed)}' is no store; {FORMS}")
    backend = BACKENDS[parsed.drivername](parsed)
    database = Database(backend.engine(must_exist=must_exist), backend)
    _require_version(database, must_exist=must_exist)
    return replace(database, file=backend.file())


def _require_version(database: Database, *, must_exist: bool) -> None:
    place = shown(database.url)
    with database.reading() as connection:
        found = found_version(connection)
    if found == str(SCHEMA_VERSION):
        return
    if found is None and must_exist and database.folder is None:
        raise StoreFailed(f"there is no store in {place}; the first `agency run` makes one there")
    try:
        with database.transaction() as connection:
            bring_up_to_date(connection)
    except UnknownVersion as version:
        raise StoreFailed(
            f"the store {place} is of version {version}, and this program reads version"
            f" {SCHEMA_VERSION}; use a newer agency, or another --store"
        ) from None
    except NotOurs as tables:
        raise StoreFailed(
            f"the database {place} is no store of agency, and has tables of its own that are named"
            f" {tables}; nothing was changed; give another --store"
        ) from None
