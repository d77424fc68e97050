"""A person at a terminal: types keys into a command, and waits for what it shows."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from command_line import LONGEST, command, environment

STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")
# The terminal must be the process's own, so that Ctrl-C reaches it as a signal.
OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Person:
    """Use it as a context manager; what is still running at its end is killed."""

    def __init__(
        self,
        *arguments: str | Path,
        folder: Path,
        environ: Mapping[str, str],
        width: int = 80,
        height: int = 24,
    ) -> None:
        self._master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        variables = {
            **environment(folder, environ),
            "TERM": "xterm-256color",
            # Nobody here answers where the cursor is.
            "PROMPT_TOOLKIT_NO_CPR": "1",
        }
        for name in ("COLUMNS", "LINES", "NO_COLOR"):
            variables.pop(name, None)
        self._process = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, *command(*arguments)],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=variables,
            cwd=folder,
            start_new_session=True,
        )
        os.close(terminal)
        self._written = b""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    @property
    def shown(self) -> str:
        """All that the terminal was sent, without colours and movements of the cursor."""
        return STEERING.sub("", self._written.decode(errors="replace"))

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def sees(self, *texts: str) -> None:
        """Wait until each text was shown, one after the other, after all that was seen before."""
        for text in texts:
            deadline = time.monotonic() + LONGEST
            while (found := self.shown.find(text, self._seen)) < 0:
                if not self._reads(deadline):
                    raise AssertionError(f"{text!r} was not shown: {self.shown[self._seen :]!r}")
            self._seen = found + len(text)

    def leaves(self) -> int:
        """Wait for the end of the command, and return its exit code."""
        deadline = time.monotonic() + LONGEST
        while self._reads(deadline):
            pass
        return self._process.wait(LONGEST)

    def _reads(self, deadline: float) -> bool:
        """Wait for something to be written; False at the end, or where nothing comes."""
        patience = max(deadline - time.monotonic(), 0)
        if not select.select([self._master], [], [], patience)[0]:
            return False
        try:
            piece = os.read(self._master, 65536)
        except OSError:
            # Linux: the other side was closed.
            return False
        self._written += piece
        return bool(piece)
