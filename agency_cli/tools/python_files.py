"""All that a file, or a folder of files, of Python offers to models."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from agents import FunctionTool

from agency_cli.importing import CannotImport, import_file
from agency_cli.tools.python_class import is_tool_class


def public_objects(path: Path) -> list[tuple[str, object]]:
    """Return what can be a tool in a file, or in the files of a folder, with its name.

    Only what is defined there counts, in the order in which it is; names that begin with `_`, of
    objects and of files, are helpers. Files come in the order of their names; folders below are
    left out.

    Raises:
        CannotImport: Nothing is there, or importing a file raised.
    """
    return [found for file in _files(path) for found in _of_module(import_file(file), file)]


def _files(path: Path) -> list[Path]:
    if path.suffix == ".py":
        return [path]
    if not path.is_dir():
        raise CannotImport(f"there is no folder {path}")
    return sorted(file for file in path.glob("*.py") if not file.name.startswith("_"))


def _of_module(module: ModuleType, file: Path) -> Iterator[tuple[str, object]]:
    imported = _imported_names(file)
    for name, value in vars(module).items():
        if not name.startswith("_") and name not in imported and _can_be_tool(value, module):
            yield name, value


def _can_be_tool(value: object, module: ModuleType) -> bool:
    if isinstance(value, FunctionTool):
        return True
    if getattr(value, "__module__", None) != module.__name__:
        return False
    # What wraps a function, such as a cache, is one too.
    is_function = inspect.isfunction(value) or (callable(value) and hasattr(value, "__wrapped__"))
    return is_function or is_tool_class(value)


def _imported_names(file: Path) -> set[str]:
    """Return the names that a file takes from elsewhere, which a ready tool does not tell."""
    return {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
