"""An export read back: every line is checked before anything is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from agency_cli.errors import UsageError
from agency_cli.store.exchange.journals import GivenRun
from agency_cli.store.exchange.records import (
    FORMAT,
    VERSION,
    AnyLine,
    EndLine,
    Header,
    ItemLine,
    RowLine,
    RunLine,
    ThreadLine,
    line_of,
)

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; a row of a journal is far from it, what is longer is no export."""
LONGEST_REASON = 300
"""Characters; a reason may quote what stands in the file."""


@dataclass(slots=True)
class GivenThread:
    """A thread of an export, at its line, with what it remembered."""

    number: int
    line: ThreadLine
    items: list[ItemLine] = field(default_factory=list)


@dataclass(slots=True)
class Export:
    """What a file holds; `name` is what the person calls it."""

    name: str
    threads: dict[str, GivenThread] = field(default_factory=dict)
    runs: dict[str, GivenRun] = field(default_factory=dict)

    def refused(self, number: int, why: str) -> UsageError:
        """Return the error that says what is wrong with a line."""
        return UsageError(f"{self.name}:{number}: {why}; nothing was imported")


def read_export(stream: BinaryIO, name: str) -> Export:
    """Read a whole export.

    Raises:
        UsageError: It is none, or is not whole; names the first line that is wrong.
    """
    export = Export(name)
    last, number = None, 0
    for number, text in _lines(export, stream):
        with _located(export, number):
            last = _taken(export, number, text, last)
    with _located(export, max(number, 1)):
        _require_whole(last)
    for run in export.runs.values():
        with _located(export, run.number):
            run.require_whole()
    return export


@contextmanager
def _located(export: Export, number: int) -> Iterator[None]:
    """Turn what is wrong with a line into the error that names the line."""
    try:
        yield
    except ValueError as error:
        raise export.refused(number, _printable(str(error)[:LONGEST_REASON])) from None


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _taken(export: Export, number: int, text: str, last: AnyLine | None) -> AnyLine:
    """Return the next line, after taking in what it holds."""
    if isinstance(last, EndLine):
        raise ValueError("there is more after the end of the export")  # noqa: TRY004 - see `_object`
    line = line_of(_object(text))
    if isinstance(line, Header | EndLine):
        _require_frame(line, number)
    elif last is None:
        raise ValueError(_NO_HEADER)
    else:
        _take(export, number, line)
    return line


def _require_whole(last: AnyLine | None) -> None:
    if last is None:
        raise ValueError("the file is empty")
    if not isinstance(last, EndLine):
        raise ValueError("the file ends here, before the end of the export")  # noqa: TRY004 - see above


_NO_HEADER = f"not an export of runs: the first line has to be a header of {FORMAT}"


def _lines(export: Export, stream: BinaryIO) -> Iterator[tuple[int, str]]:
    number = 0
    while raw := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            raise export.refused(
                number, f"the line is longer than {LONGEST_LINE // 1024**2} MiB, as no export's is"
            )
        try:
            yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise export.refused(number, "not UTF-8 text, as an export of runs is") from None


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("JSON that is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - the file is wrong, not the program
    return value


def _require_frame(line: Header | EndLine, number: int) -> None:
    """Make sure that the first or the last line is in its place, and fits."""
    if number == 1 and isinstance(line, EndLine):
        raise ValueError(_NO_HEADER)
    if isinstance(line, EndLine):
        if line.lines != number:
            raise ValueError(f"the export had {line.lines} lines, and here are {number}")
    elif number > 1:
        raise ValueError("a second header")
    elif line.format != FORMAT:
        raise ValueError(_NO_HEADER)
    elif line.version != VERSION:
        raise ValueError(
            f"an export of version {line.version}, written by {line.written_by[:40]!r}; this"
            f" agency reads version {VERSION}"
        )


def _take(export: Export, number: int, line: ThreadLine | ItemLine | RunLine | RowLine) -> None:
    match line:
        case ThreadLine():
            _require_new(line.id in export.threads, "thread", line.id)
            export.threads[line.id] = GivenThread(number, line)
        case ItemLine():
            thread = export.threads.get(line.thread_id)
            if thread is None:
                raise ValueError(f"an item of thread {line.thread_id}, which has no line before it")
            thread.items.append(line)
        case RunLine():
            _require_new(line.id in export.runs, "run", line.id)
            export.runs[line.id] = GivenRun(number, line)
        case RowLine():
            run = export.runs.get(line.run_id)
            if run is None:
                raise ValueError(f"a row of run {line.run_id}, which has no line before it")
            run.add(line)


def _require_new(known: bool, kind: str, name: str) -> None:  # noqa: FBT001 - read once, here
    if known:
        raise ValueError(f"{kind} {name} comes a second time")
