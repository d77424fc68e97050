"""One run at a time on a thread, also across processes, and across machines on a server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

from agency_cli.errors import RunFailed
from agency_cli.store.backend import ThreadLock
from agency_cli.store.database import Database

LONGEST_WAIT = 60.0
"""Seconds that a run waits for another one on the same thread."""
POLL = 0.1
"""Seconds between two looks whether the other one has ended."""


@asynccontextmanager
async def thread_lock(
    database: Database,
    thread_id: str,
    *,
    notify: Callable[[str], None],
    longest_wait: float = LONGEST_WAIT,
) -> AsyncIterator[None]:
    """Hold a thread for one run; the lock goes with the process, however that ends.

    Args:
        database: The store.
        thread_id: The thread.
        notify: Is told, once, that another run is waited for, and if the lock was lost.
        longest_wait: Seconds.

    Raises:
        RunFailed: Another run held it for longer than `longest_wait`.
        StoreFailed: The store takes no lock.
    """
    lock = database.lock(thread_id)
    try:
        await _wait_for(lock, database, thread_id, notify, longest_wait)
        yield
    except BaseException:
        # What went wrong is told already, a store that is gone too.
        lock.release()
        raise
    if not lock.release():
        notify(
            f"the store let go of thread {thread_id} before the run ended; another run may have"
            " come between"
        )


@contextmanager
def held_if_free(database: Database, thread_id: str) -> Iterator[bool]:
    """Hold a thread, and keep runs off it, unless a run holds it: that is told, not waited for.

    Raises:
        StoreFailed: The store takes no lock, or is gone.
    """
    lock = database.lock(thread_id)
    taken = _taken(lock, database)
    try:
        yield taken
    finally:
        if taken:
            lock.release()


def is_thread_busy(database: Database, thread_id: str) -> bool:
    """Tell whether a process that lives holds the thread for a run."""
    with database.explained():
        return database.lock(thread_id).is_held()


async def _wait_for(
    lock: ThreadLock,
    database: Database,
    thread_id: str,
    notify: Callable[[str], None],
    longest_wait: float,
) -> None:
    began, told = time.monotonic(), False
    while not _taken(lock, database):
        if time.monotonic() - began > longest_wait:
            raise RunFailed(
                f"another run on thread {thread_id} goes on for more than {longest_wait:g}"
                " seconds; try again when it has ended, or use another thread"
            )
        if not told:
            notify(f"waiting for another run on thread {thread_id}")
            told = True
        await asyncio.sleep(POLL)


def _taken(lock: ThreadLock, database: Database) -> bool:
    with database.explained():
        return lock.take()
