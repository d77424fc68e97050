"""Code of an agency that is called: whatever it raises, a plain error comes of it."""

from __future__ import annotations

import asyncio
import functools
import inspect
import traceback
from collections.abc import Callable
from typing import Any

from agency_cli.errors import one_line

LONGEST_TRACEBACK = 20_000
"""Characters."""


class ForeignRaised(Exception):
    """What agency code raised that is no plain error, such as SystemExit; named in the text."""


class ToolRefused(Exception):
    """A tool's own word that it does not do what it was asked; its text is for the model."""


def contained(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function`, which now raises errors alone.

    SystemExit and its like would end the whole program for what one function did, and
    StopIteration would never reach the task that waits for the function's thread.
    """
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def contained_task(*args: Any, **kwargs: Any) -> Any:
            try:
                return await function(*args, **kwargs)
            except BaseException as error:  # foreign code, which may raise anything
                if is_cancelled(error) or _is_plain(error):
                    raise
                raise ForeignRaised(reason_of(error)) from error

        return contained_task

    @functools.wraps(function)
    def contained_call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:  # foreign code, which may raise anything
            if _is_plain(error):
                raise
            raise ForeignRaised(reason_of(error)) from error

    return contained_call


def is_cancelled(error: BaseException) -> bool:
    """Say whether `error` is that somebody cancelled the current task; code can raise it too."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def reason_of(error: BaseException) -> str:
    """Return what agency code raised, its name and its text, in one line."""
    if isinstance(error, ForeignRaised | ToolRefused):
        return one_line(error)
    return f"{type(error).__name__}: {one_line(error)}".removesuffix(": ")


def traceback_of(error: BaseException) -> str:
    """Return where agency code raised, for whoever mends it; of a long one, the end."""
    return "".join(traceback.format_exception(error))[-LONGEST_TRACEBACK:]


def _is_plain(error: BaseException) -> bool:
    return isinstance(error, Exception) and not isinstance(error, StopIteration)
