"""The lock of a thread beside a store that is a file."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from agency_cli.store.backend import FileIdentity
from agency_cli.store.failing import StoreFailed, StoreGone

GLANCES = 4
GLANCE = 0.01
"""Seconds between looks at a lock that may be held by somebody who only looks at it, too."""


class FileOfThread:
    """A file that is there only while it is held.

    Who holds it removes its file before letting go. Who has opened that file meanwhile gets a lock
    on a file without a name, which the library tells from one that counts. A process that is killed
    leaves a file, which the next one on the thread takes over.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = FileLock(file, thread_local=False)
        self._taken: FileIdentity | None = None

    def take(self) -> bool:
        for glance in range(GLANCES):
            if glance:
                time.sleep(GLANCE)
            if self._take():
                return True
        return False

    def release(self) -> bool:
        if self._taken is not None and identity_of(self._file) == self._taken:
            # On Windows nobody can remove a file that is open; the library does so a moment later.
            with suppress(OSError):
                self._file.unlink()
        self._taken = None
        self._lock.release()
        return True

    def is_held(self) -> bool:
        if not self._file.exists():
            return False
        if not self.take():
            return True
        self.release()
        return False

    def _take(self) -> bool:
        if not self._file.parent.is_dir():
            # Some versions of the library would make it.
            raise StoreGone(
                f"the store's folder {self._file.parent} was removed, and all that the store held"
                " is lost; start again, which begins a new one"
            )
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return False
        except OSError as error:
            self._lock.release()
            raise StoreFailed(
                f"the lock {self._file} cannot be taken ({error.strerror}); make it yours to write,"
                " or give another --store"
            ) from error
        self._taken = identity_of(self._file)
        return True


def identity_of(file: Path) -> FileIdentity | None:
    """Return what tells a file from another one of its name; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
