"""Ends a text that begins to repeat itself, which small models do."""

from __future__ import annotations

from dataclasses import dataclass, field

SHORTEST = 24
"""Characters from which on a line that comes again is a loop, not a habit of code."""


@dataclass(slots=True)
class LoopGuard:
    """Passes a text on as it comes, except the line that has been there before.

    A line that so far reads like an earlier one is held back until it differs.
    """

    _line: str = ""
    _held: str = ""
    _seen: set[str] = field(default_factory=set)
    looped: bool = False

    def feed(self, text: str) -> str:
        """Take the next piece; return what may be shown. After a loop nothing more may."""
        shown = ""
        for character in text:
            if self.looped:
                break
            shown += self._take(character)
        return shown

    def rest(self) -> str:
        """Return what was held back when the text ended by itself."""
        held, self._held = self._held, ""
        return "" if self.looped or self._line.strip() in self._seen else held

    def _take(self, character: str) -> str:
        self._held += character
        if character == "\n":
            line = self._line.strip()
            self._line = ""
            if len(line) >= SHORTEST:
                self.looped = line in self._seen
                self._seen.add(line)
        else:
            self._line += character
        if self.looped or self._repeats():
            return ""
        shown, self._held = self._held, ""
        return shown

    def _repeats(self) -> bool:
        line = self._line.strip()
        return len(line) > 0 and any(seen.startswith(line) for seen in self._seen)
