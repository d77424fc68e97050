"""What the checks look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from agency_cli.errors import Problem
from agency_cli.manifest import Manifest

Path = tuple[str | int, ...]

MOST_PROBLEMS: Final = 100
"""How many problems of one manifest, and of one sort, are shown; enough to begin with."""


class Text(NamedTuple):
    """A text that a model reads; `path` is where it stands, or where its file is named."""

    path: Path
    text: str


class Subject(NamedTuple):
    """One manifest of sound shape.

    Attributes:
        manifest: Interpolated and typed.
        written: The document as written, without what `${...}` stands for.
        instructions: The own instructions of each agent, by its key.
        used_params: Params that something refers to.
    """

    manifest: Manifest
    written: Mapping[str, Any]
    instructions: Mapping[str, Text]
    used_params: frozenset[str]


Check = Callable[[Subject], Iterator[Problem]]
