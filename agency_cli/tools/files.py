"""The built-in `files` tools: read, write and list below one folder, and nowhere else."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

from agents import FunctionTool, function_tool

from agency_cli.foreign import ToolRefused
from agency_cli.manifest import FilesTool

LARGEST_READ = 200_000
LARGEST_WRITE = 2_000_000
MOST_LISTED = 500


class NotAllowed(ToolRefused):
    """A path or size that these tools do not serve; the text tells the model what to do."""


def files_tools(spec: FilesTool, folder: Path) -> list[FunctionTool]:
    """Return `list_files`, `read_file` and, unless read-only, `write_file` for one root.

    Links are followed only as far as they stay below the root.
    """
    root = Root(folder / spec.root)

    def list_files(path: str = ".") -> str:
        """List the files and folders below a folder.

        Args:
            path: The folder, relative to the root; `.` is the root itself.
        """
        return root.list(path)

    def read_file(path: str) -> str:
        """Read a text file.

        Args:
            path: The file, relative to the root.
        """
        return root.read(path)

    def write_file(path: str, content: str) -> str:
        """Write a text file, in place of what is there; folders on the way are made.

        Args:
            path: The file, relative to the root.
            content: The whole text of the file.
        """
        return root.write(path, content)

    functions: list[Callable[..., str]] = [list_files, read_file]
    if not spec.read_only:
        functions.append(write_file)
    return [
        function_tool(
            function, description_override=_about(function, spec), failure_error_function=None
        )
        for function in functions
    ]


def _about(function: Callable[..., str], spec: FilesTool) -> str | None:
    """Put what the manifest says of the folder before what the function does."""
    if spec.description is None:
        return None
    purpose = inspect.getdoc(function) or ""
    return f"{spec.description}\n\n{purpose.partition('Args:')[0].strip()}"


class Root:
    """A folder that its paths cannot leave."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def list(self, path: str) -> str:
        """Return one path a line, folders with a `/` at the end, in order of their names."""
        folder = self._inside(path)
        if not folder.exists() and folder == self._folder:
            return "(empty)"
        if not folder.is_dir():
            raise NotAllowed(f"there is no folder {path!r}")
        entries = sorted(folder.rglob("*"))
        lines = [
            f"{entry.relative_to(self._folder).as_posix()}{'/' if entry.is_dir() else ''}"
            for entry in entries[:MOST_LISTED]
        ]
        if len(entries) > MOST_LISTED:
            lines.append(f"({len(entries) - MOST_LISTED} more)")
        return "\n".join(lines) or "(empty)"

    def read(self, path: str) -> str:
        """Return the text of a file of at most LARGEST_READ bytes."""
        file = self._inside(path)
        if not file.is_file():
            raise NotAllowed(f"there is no file {path!r}; list_files tells what there is")
        size = file.stat().st_size
        if size > LARGEST_READ:
            raise NotAllowed(
                f"{path} has {size:,} bytes; the most that is read is {LARGEST_READ:,}"
            )
        try:
            return file.read_bytes().decode()
        except UnicodeDecodeError:
            raise NotAllowed(f"{path} is not a text file") from None

    def write(self, path: str, content: str) -> str:
        """Write a file and return what was done."""
        if len(content.encode()) > LARGEST_WRITE:
            raise NotAllowed(f"the most that is written is {LARGEST_WRITE:,} bytes")
        file = self._inside(path)
        if file == self._folder or file.is_dir():
            raise NotAllowed(f"{path!r} is a folder; name a file in it")
        if file.exists() and not file.is_file():
            raise NotAllowed(f"{path!r} is no plain file")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
        relative = file.relative_to(self._folder).as_posix()
        return f"wrote {relative} ({len(content.splitlines())} lines)"

    def _inside(self, path: str) -> Path:
        if "\0" in path:
            raise NotAllowed("a path cannot hold a NUL character")
        resolved = (self._folder / path.strip()).resolve()
        if not resolved.is_relative_to(self._folder):
            raise NotAllowed(f"{path!r} is outside the folder that these tools serve")
        return resolved
