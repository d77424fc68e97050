"""The signs of the call tree, for encodings that have them and for those that do not."""

from __future__ import annotations

from typing import NamedTuple

from agency_cli.events import Status


class Glyphs(NamedTuple):
    """The signs of one way to draw.

    Attributes:
        statuses: One sign for each status but `running`.
        spinner: What turns while something runs.
        fork, last, pipe, blank: Left of a branch: one of several, the last, and what stands
            below either.
        handover: Before an agent that took the conversation over.
        dot: Between the parts of a line.
        ellipsis: Where something was cut.
        at_least: Before a cost of which a part is unknown.
    """

    statuses: dict[Status, str]
    spinner: str
    fork: str
    last: str
    pipe: str
    blank: str
    handover: str
    dot: str
    ellipsis: str
    at_least: str

    @property
    def signs(self) -> str:
        """Every character that may be drawn."""
        return "".join((*self.statuses.values(), *self[1:]))


UNICODE = Glyphs(
    statuses={"ok": "✓", "error": "✗", "limit": "■", "cancelled": "⊘", "paused": "‖"},
    spinner="⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏",
    fork="├─ ",
    last="└─ ",
    pipe="│  ",
    blank="   ",
    handover="→ ",
    dot=" · ",
    ellipsis="…",
    at_least="≥",
)
ASCII = Glyphs(
    statuses={"ok": "+", "error": "x", "limit": "!", "cancelled": "-", "paused": "="},
    spinner="|/-\\",
    fork="|- ",
    last="`- ",
    pipe="|  ",
    blank="   ",
    handover="-> ",
    dot=" - ",
    ellipsis="~",
    at_least=">=",
)


def glyphs_for(encoding: str) -> Glyphs:
    """Return signs that the encoding can write."""
    try:
        UNICODE.signs.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE
