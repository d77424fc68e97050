"""What became of manifests that were laid out, as text."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from enum import Enum, auto

from agency_cli.rendering.figures import counted
from agency_cli.rendering.output import printable


class Formatted(Enum):
    """What became of one file."""

    SAME = auto()
    CHANGED = auto()
    LEFT = auto()
    """It is sound, and could not be laid out."""
    FAULTY = auto()
    """It cannot be read, is no manifest, or cannot be written."""


def outcome_line(shown: str, *, written: bool) -> str:
    """Return the line that tells of a file that changed, or would change."""
    return f"{printable(shown)}: {'formatted' if written else 'would be formatted'}"


def summary_line(outcomes: Sequence[Formatted], *, written: bool) -> str:
    """Return how many files there were, and what became of them."""
    words = {
        Formatted.CHANGED: "formatted" if written else "would be formatted",
        Formatted.LEFT: "left as it is",
        Formatted.FAULTY: "at fault",
    }
    told = [f"{outcomes.count(kind)} {word}" for kind, word in words.items() if kind in outcomes]
    return ", ".join([counted(len(outcomes), "file"), *(told or ["nothing to do"])])


def difference(before: str, after: str, shown: str) -> str:
    """Return a unified difference; empty where only marks that nobody sees differ."""
    name = printable(shown)
    lines = difflib.unified_diff(
        _lines(before), _lines(after), name, f"{name} (formatted)", lineterm=""
    )
    return "\n".join(lines)


def _lines(text: str) -> list[str]:
    # A carriage return is told, not sent to the terminal.
    *lines, last = text.replace("\r", "\\r").split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines
