"""Drives a coroutine to its end from the command line, Ctrl-C included."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from agency_cli.errors import Interrupted
from agency_cli.events import STOPPING

Result = TypeVar("Result")


@dataclass
class Stop:
    """A wish that a run ends in order.

    Attributes:
        wanted: Set once there is one.
    """

    wanted: asyncio.Event = field(default_factory=asyncio.Event)
    _notify: Callable[[str], None] | None = None

    def begin(self, notify: Callable[[str], None]) -> None:
        """Take in wishes from now on: a run is under way, whose watchers `notify` tells."""
        self._notify = notify

    def ask(self) -> bool:
        """Ask a run to end as soon as what is under way has; tell whether there is one to ask."""
        if self._notify is None or self.wanted.is_set():
            return False
        self.wanted.set()
        self._notify(STOPPING)
        return True


def drive(main: Coroutine[Any, Any, Result], stop: Stop | None = None) -> Result:
    """Run `main` to its end.

    Ctrl-C asks a run to stop, if there is one to ask; the next one cancels `main`, and a third
    raises KeyboardInterrupt. A request to terminate cancels it at once.

    Unlike `asyncio.run`, this does not wait for threads: a tool that hangs in one must not keep
    a person who pressed Ctrl-C waiting.

    Raises:
        Interrupted: Ctrl-C came where no run was going on.
    """
    loop = asyncio.new_event_loop()
    task = loop.create_task(main)
    _cancel_on_signals(loop, task, stop)
    try:
        return loop.run_until_complete(task)
    except asyncio.CancelledError:
        raise Interrupted("interrupted") from None
    finally:
        _cancel_rest(loop)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _cancel_on_signals(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any], stop: Stop | None
) -> None:
    def cancel() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        task.cancel()

    def interrupt() -> None:
        if stop is None or not stop.ask():
            cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
        loop.add_signal_handler(signal.SIGTERM, cancel)
    except NotImplementedError:
        # Windows: Ctrl-C raises KeyboardInterrupt at once.
        return


def _cancel_rest(loop: asyncio.AbstractEventLoop) -> None:
    rest = asyncio.all_tasks(loop)
    for task in rest:
        task.cancel()
    if rest:
        loop.run_until_complete(asyncio.gather(*rest, return_exceptions=True))
