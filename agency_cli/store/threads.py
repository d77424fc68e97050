"""Threads: conversations that are remembered, by the user's and by each pair of agents."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from agency_cli.errors import UsageError
from agency_cli.store.database import Database
from agency_cli.store.failing import StoreGone
from agency_cli.store.places import shown
from agency_cli.store.secrets import value_without_secrets
from agency_cli.store.tables import items, threads

THREAD_ID = re.compile(r"[A-Za-z0-9._:@-]{1,64}")
USER = ""
"""Name of the user's conversation; pairs are `sender>recipient`."""
DELETED = "was deleted while it was in use, and what it remembered is lost"
ANOTHER = "begin another thread (in a chat: /new)"


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """One thread in a list; times are in UTC."""

    id: str
    agency: str
    active_agent: str | None
    created_at: datetime
    updated_at: datetime
    items: int


@dataclass(frozen=True, slots=True)
class StoredItem:
    """One item of a conversation.

    Attributes:
        conversation: Name of the conversation.
        author: The agent that wrote it; empty for what it was given.
        item: The item, as the SDK has it.
        at: When it was written.
        run_id: The run that brought it; None in what version 1 of the store wrote.
    """

    conversation: str
    author: str
    item: dict[str, Any]
    at: datetime
    run_id: str | None = None


@dataclass(frozen=True)
class Threads:
    """The threads of one store."""

    database: Database

    def begin(self, thread_id: str | None, agency: str) -> str:
        """Return the thread's id, after making it when it is missing or not named.

        Raises:
            UsageError: The thread is another agency's, or the id cannot be one.
        """
        if thread_id is not None and not THREAD_ID.fullmatch(thread_id):
            raise UsageError(
                f"{thread_id[:80]!r} is no id of a thread; use 1 to 64 letters, digits, `-`, `_`,"
                " `.`, `:` or `@`"
            )
        thread_id = thread_id or token_hex(6)
        now = datetime.now(UTC)
        with self.database.transaction() as connection:
            owner = connection.scalar(select(threads.c.agency).where(threads.c.id == thread_id))
            if owner not in {None, agency}:
                raise UsageError(f"thread {thread_id} belongs to {owner}, not to {agency}")
            if owner is None:
                connection.execute(
                    insert(threads).values(
                        id=thread_id, agency=agency, created_at=now, updated_at=now
                    )
                )
        return thread_id

    def active_agent(self, thread_id: str) -> str | None:
        """Return the agent that has the user's conversation; None where nobody had it yet."""
        with self.database.reading() as connection:
            return connection.scalar(
                select(threads.c.active_agent).where(threads.c.id == thread_id)
            )

    def set_active_agent(self, thread_id: str, agent: str) -> None:
        """Remember which agent gets the next message.

        Raises:
            StoreGone: The thread was deleted.
        """
        with self.database.transaction() as connection:
            _touch(connection, thread_id, active_agent=agent)

    def has(self, thread_id: str) -> bool:
        """Tell whether the thread is there."""
        with self.database.reading() as connection:
            found = connection.scalar(select(threads.c.id).where(threads.c.id == thread_id))
        return found is not None

    def require(self, thread_id: str) -> None:
        """Make sure that there is a thread to write to, before anything is paid for.

        Raises:
            StoreGone: The thread was deleted, or the store removed, since it was begun.
        """
        if self.database.is_gone:
            raise StoreGone(
                f"the store {shown(self.database.url)} was removed, or replaced, and"
                " what it held is lost; nothing was sent; start again, which begins a new store"
            )
        if not self.has(thread_id):
            raise StoreGone(f"thread {thread_id} {DELETED}; nothing was sent; {ANOTHER}")

    def all(self) -> list[ThreadSummary]:
        """Return every thread, the latest used first."""
        counted = (
            select(threads, func.count(items.c.id).label("items"))
            .outerjoin(items, items.c.thread_id == threads.c.id)
            .group_by(threads.c.id)
            .order_by(threads.c.updated_at.desc(), threads.c.id)
        )
        with self.database.reading() as connection:
            return [_summary(row) for row in connection.execute(counted)]

    def find(self, thread_id: str) -> ThreadSummary:
        """Return one thread.

        Raises:
            UsageError: There is no such thread.
        """
        for thread in self.all():
            if thread.id == thread_id:
                return thread
        raise UsageError(f"there is no thread {thread_id!r}; `agency threads list` tells them all")

    def history(self, thread_id: str) -> list[StoredItem]:
        """Return everything that the thread remembers, in the order it was written."""
        wanted = select(items).where(items.c.thread_id == thread_id).order_by(items.c.id)
        with self.database.reading() as connection:
            return [
                StoredItem(row.conversation, row.author, row.item, _utc(row.at), row.run_id)
                for row in connection.execute(wanted)
            ]

    def delete(self, thread_id: str) -> bool:
        """Delete a thread and all that it remembers; False where there is none."""
        with self.database.transaction() as connection:
            connection.execute(delete(items).where(items.c.thread_id == thread_id))
            return connection.execute(delete(threads).where(threads.c.id == thread_id)).rowcount > 0

    def conversation(
        self, thread_id: str, name: str, run_id: str | None = None, secrets: Sequence[str] = ()
    ) -> Conversation:
        """Return one conversation of a thread, by its name, for `run_id` to go on with."""
        return Conversation(self.database, thread_id, name, run_id, secrets)

    def take_back_last(self, thread_id: str, run_id: str) -> bool:
        """Take back all that a run brought, the conversations of pairs included.

        Returns:
            False, with nothing taken back, where the user's conversation went on since.
        """
        last = (
            select(items.c.run_id)
            .where(items.c.thread_id == thread_id, items.c.conversation == USER)
            .order_by(items.c.id.desc())
            .limit(1)
        )
        with self.database.transaction() as connection:
            if connection.scalar(last) != run_id:
                return False
            connection.execute(delete(items).where(items.c.run_id == run_id))
        return True

    def take_back(self, run_id: str, *, done: Callable[[str], bool]) -> None:
        """Take back what a run brought into its conversations.

        Args:
            run_id: The run.
            done: Tells of a place on the call path whether what it brought is to stay.
        """
        mine = items.c.run_id == run_id
        with self.database.transaction() as connection:
            places = connection.scalars(select(items.c.path).where(mine).distinct()).all()
            for path in places:
                if not done(path):
                    connection.execute(delete(items).where(mine, items.c.path == path))


@dataclass(frozen=True)
class Conversation:
    """What is remembered of one conversation, in order; no `secrets` get into it."""

    database: Database
    thread_id: str
    name: str
    run_id: str | None = None
    secrets: Sequence[str] = field(default=(), repr=False)

    def read(self, limit: int | None = None) -> list[Any]:
        """Return all items, or the latest `limit`, the oldest first."""
        wanted = self._mine(select(items.c.item)).order_by(items.c.id.desc())
        with self.database.reading() as connection:
            return list(reversed(connection.scalars(wanted.limit(limit)).all()))

    def append(self, new: Sequence[Any], author: str, path: str = "") -> None:
        """Remember items that `author` wrote at `path` of the run, in one piece.

        Raises:
            StoreGone: The thread was deleted.
        """
        now = datetime.now(UTC)
        rows = [
            {
                "thread_id": self.thread_id,
                "conversation": self.name,
                "author": "" if _is_input(item) else author,
                "item": value_without_secrets(item, self.secrets),
                "at": now,
                "run_id": self.run_id,
                "path": path,
            }
            for item in new
        ]
        if not rows:
            return
        with self.database.transaction() as connection:
            _touch(connection, self.thread_id)
            connection.execute(insert(items), rows)

    def pop(self) -> Any | None:
        """Take the latest item back; None where there is none."""
        latest = self._mine(select(items.c.id, items.c.item)).order_by(items.c.id.desc()).limit(1)
        with self.database.transaction() as connection:
            row = connection.execute(latest).first()
            if row is None:
                return None
            connection.execute(delete(items).where(items.c.id == row.id))
            return row.item

    def clear(self) -> None:
        """Forget everything."""
        with self.database.transaction() as connection:
            connection.execute(self._mine(delete(items)))

    def _mine(self, statement: Any) -> Any:
        return statement.where(
            items.c.thread_id == self.thread_id, items.c.conversation == self.name
        )


def _touch(connection: Connection, thread_id: str, **values: str) -> None:
    """Note that the thread was used, and what changed of it."""
    row = update(threads).where(threads.c.id == thread_id)
    if not connection.execute(row.values(updated_at=datetime.now(UTC), **values)).rowcount:
        raise StoreGone(f"thread {thread_id} {DELETED}; {ANOTHER}")


def _is_input(item: object) -> bool:
    return isinstance(item, dict) and item.get("role") == "user"


def _summary(row: Row[Any]) -> ThreadSummary:
    return ThreadSummary(
        id=row.id,
        agency=row.agency,
        active_agent=row.active_agent,
        created_at=_utc(row.created_at),
        updated_at=_utc(row.updated_at),
        items=row.items,
    )


def _utc(time: datetime) -> datetime:
    """SQLite forgets the zone; what is written is UTC."""
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
