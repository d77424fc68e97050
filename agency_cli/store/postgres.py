"""The store on a server of Postgres."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from agency_cli.store.backend import Reason
from agency_cli.store.failing import StoreFailed, one_line
from agency_cli.store.places import FORMS, shown

BUSY_SECONDS = 10
"""How long a write waits for another process's write, and a connection for the server."""
READS = "agency_reads"
"""Names the execution option of a connection whose transactions do not write."""

# A server or a client that is cut off must not be waited for, nor hold a thread, for hours.
CONNECTING = {
    "connect_timeout": BUSY_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
    "fallback_application_name": "agency",
    "client_encoding": "utf8",
}
SESSION = {
    "timezone": "UTC",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}
# Locks are of a whole database, in which each schema may be a store.
KEY = "hashtextextended(format('agency %s %s', current_schema(), CAST(:what AS text)), 0)"
WRITE = "writes"
HELD = f"""
SELECT EXISTS (
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint) = {KEY}
)
"""  # noqa: S608 - made of constants

CODES = {
    "42501": "have that right granted to the user, or give another --store",
    "25006": "it takes no writes, as a standby does; give its primary as --store",
    "531": "make room on the server",
    "55P03": "another process holds it for long; try again",
    "57": "try again when the server is up",
}
"""What to do, by the beginning of the code that Postgres gives."""
WORDS = {
    "authentication failed": "give the password in PGPASSWORD, ~/.pgpass or a service file",
    "no password supplied": "give it in PGPASSWORD, ~/.pgpass or a service file",
    "does not exist": "make it on the server (createdb, createuser), or give another --store",
    "resolve": "see that the name of the host is right",
    "connection failed": "see that the server is up and takes connections from here",
    "connection": "try again when the server is up",
}
"""What to do, by a part of what is said where there is no code: before there is a session."""


@dataclass(frozen=True, slots=True)
class Postgres:
    """A database, reached through psycopg; what the URL leaves out, libpq's variables say."""

    url: URL

    folder: ClassVar[None] = None
    reading: ClassVar[Mapping[str, Any]] = {
        READS: True,
        "isolation_level": "REPEATABLE READ",
    }
    alone: ClassVar[Mapping[str, Any]] = {READS: True, "isolation_level": "AUTOCOMMIT"}

    def file(self) -> None:
        """Return nothing: a server looks after its files."""

    def engine(self, *, must_exist: bool) -> Engine:
        del must_exist  # a database is never made
        given = self.url.query.keys()
        told = {name: value for name, value in CONNECTING.items() if name not in given}
        if "PGCONNECT_TIMEOUT" in os.environ:
            told.pop("connect_timeout", None)
        try:
            engine = create_engine(
                self.url.set(drivername="postgresql+psycopg"),
                connect_args=told,
                # Between two messages of a chat a server may have been started anew.
                pool_pre_ping=True,
                use_native_hstore=False,
            )
            engine.dialect.create_connect_args(engine.url)
        except ImportError as error:
            raise StoreFailed(
                f"the store {shown(self.url)} needs a package that is not installed"
                f" ({one_line(error)}); install it: pip install 'agency-cli[postgres]'"
            ) from error
        except (ArgumentError, ValueError):
            raise StoreFailed(f"'{shown(self.url)}' is no store; {FORMS}") from None
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _keep_others_from_writing)
        return engine

    def lock(self, engine: Engine, thread_id: str) -> LockOfSession:
        return LockOfSession(engine, f"thread {thread_id}")

    def reason(self, error: Exception) -> Reason:
        said, code = one_line(error), ""
        if isinstance(error, DBAPIError):
            said, code = _told_by_server(error.orig, said)
        by_code = (what for start, what in CODES.items() if code.startswith(start))
        by_text = (what for part, what in WORDS.items() if part in said)
        return Reason(said, next(by_code, None) or next(by_text, ""))


@dataclass(slots=True)
class LockOfSession:
    """An advisory lock on a session of its own; the server frees it when the session ends."""

    _engine: Engine
    _what: str
    _session: Connection | None = field(default=None, init=False)

    def take(self) -> bool:
        if self._session is None:
            self._session = self._engine.execution_options(**Postgres.alone).connect()
        return self._ask(self._session, f"SELECT pg_try_advisory_lock({KEY})")

    def release(self) -> bool:
        session, self._session = self._session, None
        if session is None:
            return True
        try:
            held = self._ask(session, f"SELECT pg_advisory_unlock({KEY})")
        except SQLAlchemyError:
            # The session is gone, and the lock with it.
            held = False
            session.invalidate()
        session.close()
        return held

    def is_held(self) -> bool:
        with self._engine.execution_options(**Postgres.reading).connect() as connection:
            return self._ask(connection, HELD)

    def _ask(self, session: Connection, statement: str) -> bool:
        return bool(session.scalar(text(statement), {"what": self._what}))


def _prepare(connection: Any, _record: object) -> None:
    wanted = SESSION | {"lock_timeout": f"{int(BUSY_SECONDS * 1000)}ms"}
    if connection.info.server_version >= 140_000:  # noqa: PLR2004 - Postgres 14
        # A thread is held while a model is waited for, however long that takes.
        wanted["idle_session_timeout"] = "0"
    for name, value in wanted.items():
        connection.execute(f"SET {name} = '{value}'")
    connection.commit()


def _keep_others_from_writing(connection: Connection) -> None:
    if not connection.get_execution_options().get(READS):
        connection.execute(text(f"SELECT pg_advisory_xact_lock({KEY})"), {"what": WRITE})


def _told_by_server(error: BaseException | None, said: str) -> tuple[str, str]:
    """Return what the server said, without the statement and its values, and its code for it."""
    from psycopg import Error  # noqa: PLC0415 - an extra

    if not isinstance(error, Error):
        return said, ""
    return error.diag.message_primary or said, error.sqlstate or ""
