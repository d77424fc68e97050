"""Streams that say they are terminals, for tests."""

from __future__ import annotations

import io
import re

from rich.cells import cell_len
from rich.console import Console, Group

STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\]8;[^\x1b]*\x1b\\")


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    encoding = "utf-8"

    def isatty(self):
        return True

    @property
    def shown(self):
        """What was written, without colours and movements of the cursor."""
        return STEERING.sub("", self.getvalue())


class AsciiTerminal(Terminal):
    encoding = "ascii"

    def write(self, text):
        text.encode("ascii")
        return super().write(text)


class Pipe(io.StringIO):
    """A stream that is no terminal."""

    encoding = "utf-8"


class ClosedPipe(Pipe):
    """A stream whose reader went away."""

    def write(self, _text):
        raise BrokenPipeError


def environ(width=80, height=24, **others):
    return {"TERM": "xterm-256color", "COLUMNS": str(width), "LINES": str(height), **others}


def drawn(lines, *, width, height=24):
    """Return what Rich writes on a terminal for these lines, line by line."""
    terminal = Terminal()
    console = Console(file=terminal, width=width, height=height, force_terminal=True)
    console.print(Group(*lines))
    return terminal.shown.removesuffix("\n").split("\n")


def widest(lines):
    return max(cell_len(line) for line in lines)
