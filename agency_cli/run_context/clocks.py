"""Timeouts that stand still while a person is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Clock:
    """A timeout, entered, that can be stopped for a while; stops may overlap."""

    timeout: asyncio.Timeout
    _stops: int = 0
    _left: float | None = None

    @property
    def has_expired(self) -> bool:
        return self.timeout.expired()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let no time pass on this clock."""
        loop = asyncio.get_running_loop()
        if self._stops == 0 and not self.has_expired:
            ends = self.timeout.when()
            self._left = None if ends is None else ends - loop.time()
            self.timeout.reschedule(None)
        self._stops += 1
        try:
            yield
        finally:
            self._stops -= 1
            if self._stops == 0 and self._left is not None and not self.has_expired:
                self.timeout.reschedule(loop.time() + self._left)
