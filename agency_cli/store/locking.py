"""One run at a time on a thread, also across processes."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from agency_cli.errors import RunFailed
from agency_cli.store.database import StoreFailed, StoreGone

LONGEST_WAIT = 60.0
"""Seconds that a run waits for another one on the same thread."""
POLL = 0.1
"""Seconds between two looks whether the other one has ended."""
GLANCES = 4
GLANCE = 0.01
"""Seconds between looks at a lock that may be held by somebody who only looks at it, too."""


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
        StoreFailed: The store's folder takes no lock, or is gone.
    """
    lock = _ThreadLock(folder, thread_id)
    began, told = time.monotonic(), False
    while not lock.take_if_free():
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
        lock.let_go()


@contextmanager
def held_if_free(folder: Path, thread_id: str) -> Iterator[bool]:
    """Hold a thread, and keep runs off it, unless a run holds it: that is told, not waited for.

    Raises:
        StoreFailed: The store's folder takes no lock, or is gone.
    """
    lock = _ThreadLock(folder, thread_id)
    taken = lock.take_if_free()
    try:
        yield taken
    finally:
        if taken:
            lock.let_go()


def is_thread_busy(folder: Path, thread_id: str) -> bool:
    """Tell whether a process that lives holds the thread for a run."""
    if not _ThreadLock(folder, thread_id).file.exists():
        return False
    with held_if_free(folder, thread_id) as free:
        return not free


class _ThreadLock:
    """The lock of one thread: a file that is there only while it is held.

    Who holds it removes its file before letting go. Who has opened that file meanwhile gets a lock
    on a file without a name, which the library tells from one that counts. A process that is killed
    leaves a file, which the next one on the thread takes over.
    """

    def __init__(self, folder: Path, thread_id: str) -> None:
        # An id may hold characters that a file's name may not.
        name = hashlib.sha256(thread_id.encode()).hexdigest()[:24]
        self.file = folder / f"thread-{name}.lock"
        self._lock = FileLock(self.file, thread_local=False)
        self._taken: tuple[int, int] | None = None

    def take_if_free(self) -> bool:
        for glance in range(GLANCES):
            if glance:
                time.sleep(GLANCE)
            if self._take():
                return True
        return False

    def let_go(self) -> None:
        # On Windows nobody can remove a file that is open; the library does so a moment later.
        with suppress(OSError):
            if _identity(self.file) == self._taken:
                self.file.unlink()
        self._lock.release()

    def _take(self) -> bool:
        if not self.file.parent.is_dir():
            # Some versions of the library would make it.
            raise StoreGone(
                f"the store's folder {self.file.parent} was removed, and all that the store held is"
                " lost; start again, which begins a new one"
            )
        try:
            self._lock.acquire(blocking=False)
            self._taken = _identity(self.file)
        except Timeout:
            return False
        except OSError as error:
            self._lock.release()
            raise StoreFailed(
                f"the lock {self.file} cannot be taken ({error.strerror}); make it yours to write,"
                " or give another --store"
            ) from error
        return True


def _identity(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_dev, found.st_ino
