"""What MCP servers write to their standard error: a log file each, without secrets."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, TextIO

from agency_cli.store import replace_secrets

LARGEST_LOG = 5_000_000
"""Bytes; a log that has grown beyond it is put aside when its server starts again."""
LONGEST_LINE = 8_192
LAST_LINES = 3
LONGEST_LAST = 400


class ServerLog:
    """The log of one server; what goes wrong with writing it keeps no server from running.

    A pipe lies between the server and the file, so that secrets stay out of it, it cannot grow
    without end, and nothing gets onto the terminal.
    """

    def __init__(self, path: Path | None, secrets: Sequence[str]) -> None:
        """Take the file, None where only the last words are wanted, and what must stay out."""
        self.path = path
        self._secrets = tuple(secrets)
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        self._thread: threading.Thread | None = None

    @contextmanager
    def opened(self) -> Iterator[TextIO]:
        """Give the standard error of a server that is about to start; close it once it has."""
        reading, writing = os.pipe()
        self._last.clear()
        pump = threading.Thread(target=self._pump, args=(os.fdopen(reading, "rb"),), daemon=True)
        self._thread = pump
        pump.start()
        with os.fdopen(writing, "w") as stderr:
            yield stderr

    def last_words(self) -> str:
        """Return the last lines, and where the rest is, as the end of a sentence; or nothing."""
        if self._thread is not None:
            # Of a server that has ended, everything is read in a moment.
            self._thread.join(0.5)
        if not self._last:
            return ""
        place = f" (in {self.path})" if self.path else ""
        return f"; its last words: {' / '.join(self._last)[-LONGEST_LAST:]}{place}"

    def _pump(self, pipe: BinaryIO) -> None:
        with pipe, suppress(OSError):
            file = self._file()
            try:
                while line := pipe.readline(LONGEST_LINE):
                    text = replace_secrets(line.decode(errors="replace").rstrip(), self._secrets)
                    if text:
                        self._last.append(" ".join(text.split()))
                    file = self._written(file, text)
            finally:
                if file is not None:
                    file.close()

    def _file(self) -> BinaryIO | None:
        try:
            file = None if self.path is None else _opened(self.path)
        except OSError:
            return None
        return self._written(file, f"--- started {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")

    def _written(self, file: BinaryIO | None, text: str) -> BinaryIO | None:
        """Write a line; return the file, or None where no more is written."""
        if file is None:
            return None
        try:
            if file.tell() <= 2 * LARGEST_LOG:
                file.write(f"{text}\n".encode())
                file.flush()
        except OSError:
            with suppress(OSError):
                file.close()
            return None
        return file


def _opened(path: Path) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > LARGEST_LOG:
        path.replace(path.with_suffix(".old.log"))
    # Only its owner may read what a server tells of its work.
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")
