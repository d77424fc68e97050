"""The built-in `files` tools: read, write, edit, list and search below one folder."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

from agents import FunctionTool, function_tool

from agency_cli.manifest import FilesTool
from agency_cli.tools.builtin.root import Root


def files_tools(spec: FilesTool, folder: Path) -> list[FunctionTool]:
    """Return the tools for one root: those that only read, and the others unless it says so."""
    root = Root(folder / spec.root)

    def list_files(path: str = ".") -> str:
        """List the files and folders below a folder.

        Args:
            path: The folder, relative to the root; `.` is the root itself.
        """
        return root.list(path)

    def read_file(path: str, first_line: int = 1, lines: int | None = None) -> str:
        """Read a text file.

        Args:
            path: The file, relative to the root.
            first_line: Where to begin; 1 is the first line.
            lines: How many lines to read; null for all that follow.
        """
        return root.read(path, first_line, lines)

    def search_files(text: str, path: str = ".") -> str:
        """Find the lines of text files that hold a text, in upper or lower case.

        Args:
            text: What to find, as it stands there.
            path: The folder to search below, relative to the root; `.` is the root itself.
        """
        return root.search(text, path)

    def write_file(path: str, content: str) -> str:
        """Write a text file, in place of what is there; folders on the way are made.

        Args:
            path: The file, relative to the root.
            content: The whole text of the file.
        """
        return root.write(path, content)

    def edit_file(path: str, old_text: str, new_text: str) -> str:
        """Replace a piece of a text file.

        Args:
            path: The file, relative to the root.
            old_text: The piece to replace, exactly as it stands there; it must stand there once.
            new_text: What takes its place.
        """
        return root.edit(path, old_text, new_text)

    functions = (list_files, read_file, search_files, write_file, edit_file)
    return [
        function_tool(
            function, description_override=_about(function, spec), failure_error_function=None
        )
        for function in functions
        if function.__name__ in spec.known_names
    ]


def _about(function: Callable[..., str], spec: FilesTool) -> str | None:
    """Put what the manifest says of the folder before what the function does."""
    if spec.description is None:
        return None
    purpose = inspect.getdoc(function) or ""
    return f"{spec.description}\n\n{purpose.partition('Args:')[0].strip()}"
