"""The files that a manifest names: instructions are read, others must exist."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from agency_cli.checks.nearest import did_you_mean_file
from agency_cli.checks.tools import named_python
from agency_cli.errors import ManifestError, Problem
from agency_cli.loading.reading import read_text
from agency_cli.manifest import Manifest, OpenApiTool

Place = tuple[str | int, ...]


class TextFile(NamedTuple):
    """A file of instructions, as read.

    Attributes:
        shown: The file as messages name it.
        data: Its bytes.
        text: Its text, not interpolated.
    """

    shown: str
    data: bytes
    text: str


def read_instruction_files(
    manifest: Manifest, folder: Path, shown_folder: str, locate: Callable[[Problem], Problem]
) -> tuple[dict[Place, TextFile], list[Problem]]:
    """Read every file of instructions.

    Args:
        manifest: Names the files.
        folder: Where they are looked for.
        shown_folder: The folder as the person wrote it, empty for the current one.
        locate: Adds file, line and column to a problem.
    """
    files: dict[Place, TextFile] = {}
    problems: list[Problem] = []
    read: dict[str, TextFile] = {}
    for place, name in _named_files(manifest):
        if name in read:
            files[place] = read[name]
            continue
        at = locate(Problem(code="", message="", path=place))
        shown = os.path.join(shown_folder, name)  # noqa: PTH118 - as written, `..` and all
        try:
            data, text = read_text(folder / name, shown, at=at)
        except ManifestError as error:
            problems += error.problems
        else:
            files[place] = read[name] = TextFile(shown, data, text)
    return files, problems


def missing_python_files(manifest: Manifest, folder: Path) -> Iterator[Problem]:
    """Yield a problem for each Python file, or folder of them, that is named and not there."""
    for place, reference in named_python(manifest):
        name = reference.partition(":")[0]
        if name.endswith("/"):
            if not _exists(folder / name, Path.is_dir):
                what = f"the folder {name!r} does not exist"
                yield Problem(code="missing-file", message=what, path=place)
        elif name.endswith(".py") and not _exists(folder / name, Path.is_file):
            hint = did_you_mean_file(name, _files_beside(folder / name, folder, "*.py"))
            what = f"the file {name!r} does not exist{hint}"
            yield Problem(code="missing-file", message=what, path=place)


def missing_documents(manifest: Manifest, folder: Path) -> Iterator[Problem]:
    """Yield a problem for each OpenAPI document that is named as a file and not there."""
    for key, tool in manifest.tools.items():
        if not isinstance(tool, OpenApiTool) or tool.is_remote:
            continue
        path = folder / tool.openapi
        if not _exists(path, Path.is_file):
            hint = did_you_mean_file(tool.openapi, _files_beside(path, folder, "*"))
            what = f"the file {tool.openapi!r} does not exist{hint}"
            yield Problem(code="missing-file", message=what, path=("tools", key, "openapi"))


def _named_files(manifest: Manifest) -> Iterator[tuple[Place, str]]:
    if manifest.shared_instructions_file is not None:
        yield ("shared_instructions_file",), manifest.shared_instructions_file
    for key, agent in manifest.agents.items():
        if agent.instructions_file is not None:
            yield ("agents", key, "instructions_file"), agent.instructions_file


def _exists(path: Path, is_there: Callable[[Path], bool]) -> bool:
    try:
        return is_there(path)
    except (OSError, ValueError):
        # Such as a name that is longer than names may be.
        return False


def _files_beside(wanted: Path, folder: Path, pattern: str) -> list[str]:
    try:
        return [os.path.relpath(path, folder) for path in wanted.parent.glob(pattern)]
    except (OSError, ValueError):
        return []
