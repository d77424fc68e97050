"""Lines as they are written: content, and comments behind it that keep their columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from agency_cli.formatting.reading import Remark

_LEAST_GAP = 2


@dataclass(slots=True)
class Line:
    """A line that is written.

    Attributes:
        text: Its indentation and content; a comment that has the line for itself is content.
        was: Column at which its content ended before.
        remark: The comment behind it, with the column that it had before.
    """

    text: str
    was: int = 0
    remark: Remark | None = None


def joined(lines: Sequence[Line]) -> str:
    """Return the text of lines, its last one ended too."""
    columns = _columns(lines)
    texts = []
    for line in lines:
        text = line.text
        if line.remark is not None:
            text = text.ljust(columns[line.remark.column]) + line.remark.text
        texts.append(text)
    return "\n".join(texts) + "\n"


def _columns(lines: Sequence[Line]) -> dict[int, int]:
    """Return where comments stand now, by where they stood: what was aligned stays so."""
    together = defaultdict(list)
    for line in lines:
        if line.remark is not None:
            together[line.remark.column].append(line)
    return {column: _column(column, group) for column, group in together.items()}


def _column(column: int, group: Sequence[Line]) -> int:
    shifts = [line.was - len(line.text) for line in group if line.text]
    longest = max(len(line.text) for line in group)
    return max(longest + _LEAST_GAP, column - min(shifts, default=0))
