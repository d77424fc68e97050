"""Which manifests are meant by the files, folders and patterns of a command line."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

STDIN: Final = Path("-")
"""Stands for the standard input."""
_USUAL: Final = frozenset({"agency.yaml", "agency.yml"})
_ENDINGS: Final = (".yaml", ".yml")
# Folders in which nobody looks for what they wrote themselves; hidden ones are left out too.
_FOREIGN: Final = frozenset({"node_modules", "venv", "site-packages", "__pycache__"})
_MARKS: Final = (
    re.compile(rb"^(?:\xef\xbb\xbf)?version\s*:", re.MULTILINE),
    re.compile(rb"^agents\s*:", re.MULTILINE),
)
_MOST_READ: Final = 1_000_000


class Found(NamedTuple):
    """A manifest to check.

    Attributes:
        path: Where it is, as the person would name it.
        was_named: Rather than found in a folder.
    """

    path: Path
    was_named: bool


def manifests_meant(arguments: Iterable[Path]) -> tuple[list[Found], list[str]]:
    """Return the manifests, each once, and the folders and patterns that lead to none."""
    found: dict[Path, Found] = {}
    empty: list[str] = []
    for argument in arguments:
        meant = list(_meant(argument))
        if not meant:
            empty.append(str(argument))
        for one in meant:
            found.setdefault(one.path, one)
    return list(found.values()), empty


def _meant(argument: Path) -> Iterator[Found]:
    if argument == STDIN:
        yield Found(STDIN, was_named=True)
    elif _is_folder(argument):
        yield from (Found(path, was_named=False) for path in _manifests_below(argument))
    elif glob.has_magic(str(argument)) and not os.path.lexists(argument):
        # A shell has replaced a pattern, unless it stood in quotes.
        for name in sorted(glob.glob(str(argument), recursive=True)):  # noqa: PTH207 - `**` too
            path = Path(name)
            if _is_folder(path):
                yield from (Found(each, was_named=False) for each in _manifests_below(path))
            else:
                yield Found(path, was_named=True)
    else:
        yield Found(argument, was_named=True)


def _manifests_below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _FOREIGN)
        for name in sorted(names):
            path = Path(parent, name)
            if name in _USUAL or (name.endswith(_ENDINGS) and _looks_like_one(path)):
                yield path


def _looks_like_one(path: Path) -> bool:
    """Say whether a file says at its top what version of the format it has, and its agents."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(_MOST_READ)
    except OSError:
        return False
    return all(mark.search(head) for mark in _MARKS)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
