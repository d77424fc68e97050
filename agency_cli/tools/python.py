"""Tools that are Python functions, or tools made ready in Python."""

from __future__ import annotations

import copy
import inspect
from pathlib import Path

from agents import FunctionTool, UserError, function_tool

from agency_cli.foreign import contained
from agency_cli.importing import CannotImport, import_object
from agency_cli.manifest import PythonTool


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
    if inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
        raise CannotImport(f"{spec.python} yields; let it return its whole result instead")
    try:
        return [
            function_tool(
                contained(found),
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
