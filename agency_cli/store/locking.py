"""One run at a time on a thread, also across processes."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from agency_cli.errors import RunFailed
from agency_cli.store.database import StoreFailed

LONGEST_WAIT = 60.0
"""Seconds that a run waits for another one on the same thread."""
POLL = 0.1
"""Seconds between two looks whether the other one has ended."""


@asynccontextmanager
async def thread_lock(
    folder: Path,
    thread_id: str,
    *,
    notify: Callable[[str], None],
    longest_wait: float = LONGEST_WAIT,
) -> AsyncIterator[None]:
    """Hold a thread for one run; the lock goes with the process, however that ends.

    Args:
        folder: The store's folder.
        thread_id: The thread.
        notify: Is told, once, that another run is waited for.
        longest_wait: Seconds.

    Raises:
        RunFailed: Another run held it for longer than `longest_wait`.
        StoreFailed: The store's folder takes no lock.
    """
    lock = _lock_of(folder, thread_id)
    began, told = time.monotonic(), False
    while not _taken(lock):
        if time.monotonic() - began > longest_wait:
            raise RunFailed(
                f"another run on thread {thread_id} goes on for more than {longest_wait:g}"
                " seconds; try again when it has ended, or use another thread"
            )
        if not told:
            notify(f"waiting for another run on thread {thread_id}")
            told = True
        await asyncio.sleep(POLL)
    try:
        yield
    finally:
        lock.release()


def is_thread_busy(folder: Path, thread_id: str) -> bool:
    """Tell whether a process that lives holds the thread for a run."""
    lock = _lock_of(folder, thread_id)
    if not Path(lock.lock_file).exists():
        return False
    if not _taken(lock):
        return True
    lock.release()
    return False


def _lock_of(folder: Path, thread_id: str) -> FileLock:
    # An id may hold characters that a file's name may not.
    name = hashlib.sha256(thread_id.encode()).hexdigest()[:24]
    return FileLock(folder / f"thread-{name}.lock", thread_local=False)


def _taken(lock: FileLock) -> bool:
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    except OSError as error:
        raise StoreFailed(
            f"the lock {lock.lock_file} cannot be taken ({error.strerror}); make it yours to write,"
            " or give another --store"
        ) from error
    return True
