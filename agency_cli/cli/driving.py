"""Drives a coroutine to its end from the command line, Ctrl-C included."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from agency_cli.errors import Interrupted

Result = TypeVar("Result")


def drive(main: Coroutine[Any, Any, Result]) -> Result:
    """Run `main` to its end. Ctrl-C cancels it; a second one raises KeyboardInterrupt.

    Unlike `asyncio.run`, this does not wait for threads: a tool that hangs in one must not keep
    a person who pressed Ctrl-C waiting.

    Raises:
        Interrupted: Ctrl-C came where no run was going on.
    """
    loop = asyncio.new_event_loop()
    task = loop.create_task(main)
    _cancel_on_signals(loop, task)
    try:
        return loop.run_until_complete(task)
    except asyncio.CancelledError:
        raise Interrupted("interrupted") from None
    finally:
        _cancel_rest(loop)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _cancel_on_signals(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
    def cancel() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        task.cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, cancel)
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
