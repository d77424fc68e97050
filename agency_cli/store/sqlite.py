"""The store in a file of SQLite."""

from __future__ import annotations

import atexit
import hashlib
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import URL, Connection, Engine, create_engine, event

from agency_cli.store.backend import FileIdentity, Reason, read_json
from agency_cli.store.failing import ELSEWHERE, StoreFailed, one_line
from agency_cli.store.file_lock import FileOfThread, identity_of
from agency_cli.store.tables import meta

BUSY_SECONDS = 10
"""How long a write waits for another process's write."""
BEGIN = "agency_begin"
"""Names the execution option of a connection that says how its transactions begin."""
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"

ADVICE = {
    "unable to open": ELSEWHERE,
    "readonly": ELSEWHERE,
    "full": f"make room, or {ELSEWHERE}",
    "locked": "another process holds it for long; try again",
    "not a database": "give another --store",
    "malformed": "keep a copy of the file, and give another --store",
}
"""What to do, by a part of what SQLite says."""
DAMAGED = ("not a database", "malformed")
"""Parts of what SQLite says of a file of which something may be lost already."""


@dataclass(frozen=True, slots=True)
class SQLite:
    """A file, in a folder that is made when it is missing."""

    url: URL

    reading: ClassVar[Mapping[str, Any]] = {BEGIN: "BEGIN"}
    alone: ClassVar[Mapping[str, Any]] = {BEGIN: ""}

    @property
    def folder(self) -> Path:
        return self._file.absolute().parent

    @property
    def _file(self) -> Path:
        return Path(self.url.database or "")

    def file(self) -> FileIdentity | None:
        return identity_of(self._file)

    def engine(self, *, must_exist: bool) -> Engine:
        if self.url.database in {None, "", ":memory:"}:
            raise StoreFailed(f"'{self.url}' is not a file of SQLite; write sqlite:///FILE")
        if must_exist and not self._file.exists():
            raise StoreFailed(
                f"there is no store {self.url.database}; name the manifest that it belongs to"
                " with --manifest, or the store with --store"
            )
        if self._file.is_dir():
            raise StoreFailed(
                f"the store {self._file} is a folder; name a file in it: sqlite:///{self._file}/agency.db"
            )
        _make(self.folder, self.url)
        engine = create_engine(self.url, json_deserializer=read_json)
        event.listen(engine, "connect", self._prepare)
        event.listen(engine, "begin", _begin_at_once)
        # The last connection that closes folds the log in: the file alone is the whole store then.
        atexit.register(_close, weakref.ref(engine))
        return engine

    def lock(self, engine: Engine, thread_id: str) -> FileOfThread:
        del engine  # a lock of files can be held beside any number of connections
        # An id may hold characters that a file's name may not.
        name = hashlib.sha256(thread_id.encode()).hexdigest()[:24]
        return FileOfThread(self.folder / f"thread-{name}.lock")

    def reason(self, error: Exception) -> Reason:
        text = one_line(error)
        advice = next((what for part, what in ADVICE.items() if part in text), "")
        if any(part in text for part in DAMAGED):
            return Reason(text, advice, "the file was left as it is")
        return Reason(text, advice)

    def _prepare(self, connection: Any, _record: object) -> None:
        # The driver must begin nothing by itself: it begins too late, and not before DDL.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        # Before anything is set that changes the file.
        tables = {name for (name,) in connection.execute(TABLES)}
        if tables and meta.name not in tables:
            connection.close()
            raise StoreFailed(
                f"the database {self.url} is no store of agency, but another program's, with"
                f" {len(tables)} tables of its own; it was left as it is; give another --store"
            )
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")


def _close(opened: weakref.ref[Engine]) -> None:
    engine = opened()
    if engine is not None:
        engine.dispose()


def _make(folder: Path, url: URL) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if folder.name == ".agency" and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreFailed(
            f"the store {url.database} cannot be made ({error.strerror}); {ELSEWHERE}"
        ) from error


def _begin_at_once(connection: Connection) -> None:
    """Take the right to write first: what a transaction reads stays true until it writes."""
    options: Mapping[str, Any] = connection.get_execution_options()
    begin = options.get(BEGIN, "BEGIN IMMEDIATE")
    if begin:
        connection.exec_driver_sql(begin)
