"""What is written inside the boxes of a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agency_cli.graph.diagram import Box, View
from agency_cli.graph.text.cells import cell_width, shortened, wrapped

_MOST_LINES = 3
"""Lines that a name may take before it is cut."""


class Card(NamedTuple):
    """The text of one box: `title` is centred, `details` stand below at the left."""

    entry: bool
    title: tuple[str, ...]
    details: tuple[str, ...]

    @property
    def width(self) -> int:
        """Cells from border to border for the text with a space at either side."""
        return max(map(cell_width, self.title + self.details)) + 4

    @property
    def height(self) -> int:
        """Lines between the upper and the lower border."""
        return len(self.title) + len(self.details)

    def text(self, width: int, height: int) -> list[str]:
        """Return the lines between borders `width` apart, in the middle of `height` lines."""
        lines = [_centred(line, width - 2) for line in self.title]
        lines += [_filled(f" {line}", width - 2) for line in self.details]
        above = (height - len(lines)) // 2
        blank = " " * (width - 2)
        return [blank] * above + lines + [blank] * (height - len(lines) - above)


def card_of(box: Box, view: View, *, limit: int, ellipsis: str) -> Card:
    """Return the text of an agent's box in lines of at most `limit` cells."""
    title = _fitted(box.name, limit, ellipsis)
    if box.name != box.agent:
        title += _fitted(f"({box.agent})", limit, ellipsis)
    details = [
        line
        for label, values in _details(box, view)
        for line in _labelled(label, values, limit, ellipsis)
    ]
    return Card(box.entry, tuple(title), tuple(details))


def _details(box: Box, view: View) -> Iterator[tuple[str, list[str]]]:
    if view.models:
        name = box.model or "(default)"
        same = box.model_id in (None, box.model)
        yield "model", [name] if same else [name, f"({box.model_id})"]
        if box.fallbacks:
            yield "else", _listed(box.fallbacks)
    if view.tools and box.tools:
        yield "tools", _listed(box.tools)
    if box.load is not None:
        yield "", box.load.text.split(" ")


def _listed(names: Sequence[str]) -> list[str]:
    return [f"{name}," for name in names[:-1]] + [names[-1]]


def _labelled(label: str, words: list[str], limit: int, ellipsis: str) -> Iterator[str]:
    """Yield the words behind their label, in as many lines as they need."""
    margin = len(label) + 1 if label else 0
    room = max(limit - margin, 1)
    for index, line in enumerate(wrapped(" ".join(words), room)):
        start = f"{label:{margin}}" if index == 0 else " " * margin
        yield f"{start}{shortened(line, room, ellipsis=ellipsis)}"


def _fitted(text: str, limit: int, ellipsis: str) -> list[str]:
    lines = wrapped(text, limit)
    if len(lines) <= _MOST_LINES:
        return lines
    rest = " ".join(lines[_MOST_LINES - 1 :])
    return [*lines[: _MOST_LINES - 1], shortened(rest, limit, ellipsis=ellipsis)]


def _centred(text: str, width: int) -> str:
    left = (width - cell_width(text)) // 2
    return _filled(" " * left + text, width)


def _filled(text: str, width: int) -> str:
    return text + " " * (width - cell_width(text))
