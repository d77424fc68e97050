"""Tools that are Python functions, or tools made ready in Python."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents import FunctionTool, UserError, function_tool

from agency_cli.importing import CannotImport, import_object
from agency_cli.manifest import PythonTool


class ToolRaised(Exception):
    """What a function raised that is no plain error, such as SystemExit; named in the text."""


def python_tools(spec: PythonTool, folder: Path) -> list[FunctionTool]:
    """Return the one tool that `spec` names.

    Raises:
        CannotImport: It cannot be imported, or is nothing that a model could call.
    """
    found = import_object(spec.python, folder)
    if isinstance(found, FunctionTool):
        return [_renamed(found, spec)]
    if isinstance(found, type) or not callable(found):
        raise CannotImport(
            f"{spec.python} is {type(found).__name__}, not a function or a FunctionTool"
        )
    try:
        return [
            function_tool(
                _contained(found),
                name_override=spec.name,
                description_override=spec.description,
                # What goes wrong is told by the tool around it, with its reason.
                failure_error_function=None,
            )
        ]
    except (UserError, TypeError, ValueError, NameError) as error:
        text = " ".join(str(error).split())
        raise CannotImport(f"{spec.python} cannot be a tool: {text}") from error


def _renamed(tool: FunctionTool, spec: PythonTool) -> FunctionTool:
    named = copy.copy(tool)
    named.name = spec.name or tool.name
    named.description = spec.description or tool.description
    return named


def _contained(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function`, which now raises errors alone.

    SystemExit and its like would end the whole program for what one tool did, and StopIteration
    would never reach the task that waits for the function's thread.
    """
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def contained(*args: Any, **kwargs: Any) -> Any:
            try:
                return await function(*args, **kwargs)
            except asyncio.CancelledError as error:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                raise _plain_error(error) from error
            except BaseException as error:  # foreign code, which may raise anything
                raise _plain_error(error) from error

        return contained

    @functools.wraps(function)
    def contained_in_thread(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:  # foreign code, which may raise anything
            raise _plain_error(error) from error

    return contained_in_thread


def _plain_error(error: BaseException) -> Exception:
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    return ToolRaised(type(error).__name__)
