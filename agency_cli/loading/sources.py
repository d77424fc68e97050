"""The texts that a manifest consists of, and the places of problems in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from agency_cli.errors import Problem
from agency_cli.loading.files import TextFile
from agency_cli.loading.nodes import Document, Path, line_and_column, nth_index


class Sources(NamedTuple):
    """The manifest's text, and the files of instructions that it names.

    Attributes:
        shown: The manifest as messages name it.
        data: Its bytes.
        document: Its nodes.
        files: The files of instructions, by the place that names them.
        renamed: Misspelt keys of the document, by the path of what they were taken for.
    """

    shown: str
    data: bytes
    document: Document
    files: Mapping[Path, TextFile]
    renamed: Mapping[Path, str]

    @property
    def included(self) -> tuple[str, ...]:
        """The files that add to the manifest, as messages name them."""
        return tuple(file.shown for place, file in self.files.items() if place[0] == "include")

    def locate(self, problem: Problem) -> Problem:
        """Return the problem with file, line and column, unless it has them already."""
        if problem.file is not None:
            return problem
        file = self.files.get(problem.path)
        if file is not None and problem.within:
            index = nth_index(file.text, problem.within, problem.nth, 0, len(file.text))
            line, column = line_and_column(file.text, index or 0)
            return replace(problem, file=file.shown, line=line, column=column)
        path = tuple(
            self.renamed.get(problem.path[: index + 1], part)
            for index, part in enumerate(problem.path)
        )
        line, column = self.document.place(
            path, at_key=problem.at_key, within=problem.within, nth=problem.nth
        )
        shown = self.document.file_of(path) or self.shown
        return replace(problem, file=shown, line=line, column=column)

    def digest(self) -> str:
        """Return a hash of everything that was read."""
        import hashlib  # noqa: PLC0415 - checking needs no digest, and this loads OpenSSL

        whole = hashlib.sha256(self.data)
        for path, file in self.files.items():
            whole.update(repr((path, len(file.data))).encode())
            whole.update(file.data)
        return whole.hexdigest()
