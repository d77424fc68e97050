"""A line of a file with marks below it, as compilers show it."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from agency_cli.errors import Problem

_WIDEST: Final = 100
"""Characters of a line that are shown; of a longer one, those around the place."""
_BEFORE: Final = 40
"""Characters that are shown before the place in a line that is cut."""
# A text in quotes, or what stands up to the next space, comma or bracket.
_PIECE: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|[^\s,\[\]{}]+")


def excerpt(line: str, problem: Problem) -> list[str]:
    """Return the line with its number, and a line with marks below the place.

    Args:
        line: As it stands in the file.
        problem: Its line and column are known.
    """
    start, end = span(line, problem)
    line, start, end = _cut(line, start, end)
    number = str(problem.line)
    before, marked = map(_shown, (line[:start], line[start:end]))
    indent = " " * len(number)
    marks = " " * _width(before) + "^" * max(_width(marked), 1)
    return [f"  {number} | {_shown(line)}".rstrip(), f"  {indent} | {marks}"]


def span(line: str, problem: Problem) -> tuple[int, int]:
    """Return where in a line the place of a problem begins, and where it ends.

    Indexes from 0; the place has at least one character, which may be the one behind the line.
    """
    start = min((problem.column or 1) - 1, len(line))
    if problem.within and line.startswith(problem.within, start):
        return start, start + len(problem.within)
    found = _PIECE.match(line, start)
    if found is None:
        return start, start + 1
    # Behind a key stands a colon, which is no part of it.
    return start, start + max(len(found[0].rstrip(":")), 1)


def _cut(line: str, start: int, end: int) -> tuple[str, int, int]:
    if len(line) <= _WIDEST:
        return line, start, end
    first = max(min(start - _BEFORE, len(line) - _WIDEST), 0)
    last = first + _WIDEST
    head, tail = "…" if first else "", "…" if last < len(line) else ""
    moved = len(head) - first
    return f"{head}{line[first:last]}{tail}", start + moved, min(end, last) + moved


def _shown(text: str) -> str:
    """Return the text with nothing in it that steers a terminal; each character stays one."""
    return "".join(" " if c == "\t" else c if c.isprintable() else "\ufffd" for c in text)


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
