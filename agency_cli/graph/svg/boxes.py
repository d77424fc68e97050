"""An agent's box, in pixels."""

from __future__ import annotations

from agency_cli.graph.diagram import Box
from agency_cli.graph.svg.markup import element, escaped, text_at
from agency_cli.graph.svg.tones import tone_of
from agency_cli.graph.text.cards import Card

LINE = 18.0
_TITLE, _DETAIL, _TAG = 13.5, 12.0, 9.5
_INSET = 12.0


def box_at(box: Box, card: Card, *, left: float, top: float, width: float, height: float) -> str:
    """Return a box with the lines of its card in the middle."""
    room = width - 2 * _INSET
    first = top + (height - card.height * LINE) / 2 + LINE * 0.72
    marked = f" s-{tone_of(box)}" if box.change or (box.load and box.load.failures) else ""
    look = ("box entry" if box.entry else "box") + marked
    parts = [element("rect", x=left, y=top, width=width, height=height, rx=8, class_=look)]
    middle = left + width / 2
    for number, line in enumerate(card.title):
        own_key = number > 0 and box.name != box.agent and number == len(card.title) - 1
        size, weight = (_DETAIL, "soft") if own_key else (_TITLE, "strong")
        look = f"middle {weight}"
        parts.append(
            text_at(line, middle, first + number * LINE, size=size, class_=look, room=room)
        )
    for number, line in enumerate(card.details, start=len(card.title)):
        at = left + _INSET
        parts.append(
            text_at(line, at, first + number * LINE, size=_DETAIL, class_="soft", room=room)
        )
    if box.entry:
        parts.append(_tag(left, top))
    about = box.description or box.name
    return element("g", element("title", escaped(f"{box.agent}: {about}")), *parts)


def _tag(left: float, top: float) -> str:
    """Return the word that marks an entry agent; it stands on the border."""
    plate = element("rect", x=left + 10, y=top - 7, width=36, height=14, rx=7, class_="f-entry")
    return plate + text_at("entry", left + 28, top + 3.2, size=_TAG, class_="number")
