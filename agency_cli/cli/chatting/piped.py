"""Lines that are piped in: each is a message or a command, and nothing is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import BinaryIO

from agency_cli.errors import UsageError


class PipedLines:
    """Reads one line after the other. Ctrl-C ends the whole command, as it ends any in a pipe."""

    is_person = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._count = 0

    async def line(self, agent: str) -> str | None:  # noqa: ARG002 - nobody sees a prompt
        """Return the next line; None at the end.

        Raises:
            UsageError: The line is not UTF-8.
        """
        read = await asyncio.to_thread(self._stream.readline)
        if not read:
            return None
        self._count += 1
        try:
            return read.decode("utf-8-sig" if self._count == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"line {self._count} of the input is not UTF-8 text ({error.reason})"
            ) from None

    async def attend(self, work: Coroutine[None, None, None]) -> None:
        """Do the work of one line."""
        await work
