"""The lines that problems stand in, to be shown to a person; no secret is in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agency_cli.checks.secrets import masked
from agency_cli.errors import ManifestError, Problem
from agency_cli.loading.reading import is_stream, read_text
from agency_cli.loading.regions import is_credential


class SourceLines:
    """Reads a file again when a line of it is asked for, once.

    Args:
        given: Texts that stand in no file, by the names that messages have for them.
    """

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self._masked: dict[tuple[str, int], str] = {}
        self._lines = {name: _split(text) for name, text in (given or {}).items()}

    def line(self, problem: Problem) -> str | None:
        """Return the line of a problem, as long as it is there; secrets are masked."""
        if problem.file is None or problem.line is None:
            return None
        if problem.file not in self._lines:
            self._lines[problem.file] = _read(problem.file)
        lines = self._lines[problem.file]
        if problem.line > len(lines):
            return None
        # Many problems can stand in one line, which can be long.
        place = (problem.file, problem.line)
        line = self._masked.get(place)
        if line is None:
            line = self._masked[place] = masked(lines[problem.line - 1])
        # Whatever is written as a credential is one, even if it looks like none.
        if is_credential(problem.path) and problem.column is not None and not problem.at_key:
            start = problem.column - 1
            return line[:start] + "*" * len(line[start:])
        return line


def _read(file: str) -> list[str]:
    # What a program writes can be read once, and was.
    if is_stream(file):
        return []
    try:
        return _split(read_text(Path(file), file)[1])
    except ManifestError:
        return []


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
