"""Tools that are written in Python: functions, classes, ready tools; one, or all of a file."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents import FunctionTool, UserError, function_tool
from agents.strict_schema import ensure_strict_json_schema
from pydantic import BaseModel, PydanticUserError

from agency_cli.foreign import contained
from agency_cli.importing import CannotImport, import_object
from agency_cli.manifest import PythonTool
from agency_cli.tools.python_class import class_tool, is_tool_class
from agency_cli.tools.python_files import public_objects

HOW_TO_BE_LOOSE = "set `strict: false` on it"


def python_tools(spec: PythonTool, folder: Path) -> list[FunctionTool]:
    """Return the tools that `spec` names: one object, or all public ones of a file or a folder.

    Raises:
        CannotImport: It cannot be imported, or is nothing that a model could call.
    """
    if not spec.is_whole:
        found = import_object(spec.python, folder)
        return [python_tool(found, spec, spec.python)]
    objects = public_objects(folder / spec.python)
    if not objects:
        raise CannotImport(
            f"{spec.python} defines no public function, FunctionTool or class with `run`"
        )
    return [python_tool(found, spec, f"{name} of {spec.python}") for name, found in objects]


def python_tool(found: object, spec: PythonTool, shown: str) -> FunctionTool:
    """Return the tool that a Python object is.

    Args:
        found: The object.
        spec: What the manifest says of it.
        shown: The object as messages name it.

    Raises:
        CannotImport: It is nothing that a model could call.
    """
    if isinstance(found, FunctionTool):
        return _as_declared(found, spec, shown)
    if is_tool_class(found):
        return _as_declared(_of_class(found, shown), spec, shown)
    if isinstance(found, type) or not callable(found):
        raise CannotImport(
            f"{shown} is {type(found).__name__}, not a function, a FunctionTool or a Pydantic"
            " class with a method `run`"
        )
    if inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
        raise CannotImport(f"{shown} yields; let it return its whole result instead")
    return _of_function(found, spec, shown)


def _of_function(function: Callable[..., Any], spec: PythonTool, shown: str) -> FunctionTool:
    """Make a tool of a function, strict unless its arguments cannot be or need not be."""
    wanted = (True, False) if spec.strict is None else (spec.strict,)
    reason = ""
    for strict in wanted:
        try:
            return function_tool(
                contained(function),
                name_override=spec.name,
                description_override=spec.description,
                strict_mode=strict,
                # What goes wrong is told by the tool around it, with its reason.
                failure_error_function=None,
            )
        except UserError as error:
            reason = _no_strictness(error) if spec.strict else " ".join(str(error).split())
        except (PydanticUserError, TypeError, ValueError, NameError) as error:
            reason = " ".join(str(error).split())
    raise CannotImport(f"{shown} cannot be a tool: {reason}")


def _of_class(tool_class: type[BaseModel], shown: str) -> FunctionTool:
    try:
        return class_tool(tool_class)
    except (PydanticUserError, TypeError, ValueError, NameError) as error:
        text = " ".join(str(error).split())
        raise CannotImport(f"{shown} cannot be a tool: {text}") from error


def _as_declared(tool: FunctionTool, spec: PythonTool, shown: str) -> FunctionTool:
    """Return a copy that is named, described and as strict as the manifest says."""
    named = copy.copy(tool)
    named.name = spec.name or tool.name
    named.description = spec.description or tool.description
    if spec.strict is not None:
        named.strict_json_schema = spec.strict
    if spec.strict:
        try:
            schema = copy.deepcopy(dict(tool.params_json_schema))
            named.params_json_schema = ensure_strict_json_schema(schema)
        except (UserError, TypeError, ValueError) as error:
            raise CannotImport(f"{shown} cannot be a tool: {_no_strictness(error)}") from error
    return named


def _no_strictness(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"its arguments cannot have a strict schema ({text}); {HOW_TO_BE_LOOSE}"
