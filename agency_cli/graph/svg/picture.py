"""One connected part of a diagram in pixels: boxes, lines, heads, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agency_cli.graph.diagram import Arrow, Box
from agency_cli.graph.svg.boxes import box_at
from agency_cli.graph.svg.lines import Drawn
from agency_cli.graph.svg.markup import element, path
from agency_cli.graph.svg.tones import tone_of, width_of_line
from agency_cli.graph.text.channels import Channel
from agency_cli.graph.text.nets import Item, Link, Net
from agency_cli.graph.text.ports import Wire

CELL = 8.0
"""Pixels of a cell of the layout, from left to right."""
LINE = 18.0
"""Pixels of a line of text."""
_PADDING = 9.0
_TRACK = 13.0
_HEAD = 9.0
_BADGE = 8.0
_ROOM = 34.0
"""Between a box and the nearest level line, where a head and a number have their place."""
_GAP = 14.0

Numbers = Mapping[str, int]
"""The number that a line has in the table below, by the `kind` of its net."""
Point = tuple[float, float]


@dataclass
class Picture:
    """Draws a laid-out part; what it drew is in its layers, the lower one first."""

    drawn: Drawn
    boxes: Mapping[str, Box]
    numbers: Numbers
    most_calls: int
    lines: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)

    def elements(self) -> list[str]:
        """Return everything, and leave nothing of the picture left of or above zero."""
        tops = self._tops()
        for number, row in enumerate(self.drawn.layout.columns):
            height = self._height(number)
            for item, column in row.items():
                if isinstance(item, str):
                    width = self.drawn.layout.widths[item] * CELL
                    left = self._x(column - self.drawn.layout.widths[item] // 2) - CELL / 2
                    box, card = self.boxes[item], self.drawn.cards[item]
                    self.above.append(
                        box_at(box, card, left=left, top=tops[number], width=width, height=height)
                    )
                else:
                    self._pass(item, self._x(column), tops[number], height)
        for number, channel in enumerate(self.drawn.layout.channels):
            top = tops[number] + self._height(number)
            for wire, link in zip(channel.wires, self.drawn.layout.plan.links[number], strict=True):
                self._connect(channel, wire, link, top, tops[number + 1])
        return [*self.lines, *self.above]

    def size(self) -> tuple[float, float]:
        """Return width and height in pixels."""
        last = len(self.drawn.layout.columns) - 1
        width = (self.drawn.right - self.drawn.left + 1) * CELL
        return width, self._tops()[last] + self._height(last)

    def _tops(self) -> list[float]:
        tops, top = [], 0.0
        for number in range(len(self.drawn.layout.columns)):
            tops.append(top)
            top += self._height(number)
            if number < len(self.drawn.layout.channels):
                top += _channel_height(self.drawn.layout.channels[number])
        return tops

    def _height(self, number: int) -> float:
        items = [item for item in self.drawn.layout.columns[number] if isinstance(item, str)]
        most = max((self.drawn.cards[item].height for item in items), default=0)
        return most * LINE + 2 * _PADDING if most else _GAP

    def _pass(self, net: int, x: float, top: float, height: float) -> None:
        self._line(self.drawn.layout.plan.nets[net], [(x, top), (x, top + height)])

    def _connect(self, channel: Channel, wire: Wire, link: Link, top: float, bottom: float) -> None:
        net = self.drawn.layout.plan.nets[link.net]
        level = top + _above(channel) + channel.tracks.get(link.net, 0) * _TRACK
        for is_upper, items, columns in (
            (True, link.tops, wire.tops),
            (False, link.bottoms, wire.bottoms),
        ):
            for item, column in zip(items, columns, strict=True):
                end = top if is_upper else bottom
                self._upright(net, item, self._x(column), end=end, level=level, down=not is_upper)
        if not wire.straight:
            self._line(net, [(self._x(wire.left), level), (self._x(wire.right), level)])

    def _upright(
        self, net: Net, item: Item, x: float, *, end: float, level: float, down: bool
    ) -> None:
        """Draw the line from a level to a box, or to where it goes on past boxes."""
        points_here = net.heads in {"both", "lower" if down else "upper"}
        if isinstance(item, int) or not points_here:
            self._line(net, [(x, level), (x, end)])
            return
        back = -1 if down else 1
        self._line(net, [(x, level), (x, end + back * _HEAD)])
        self._head(net, x, end, back)
        number = self.numbers.get(net.kind)
        if number:
            self._badge(net, (x, end + back * (_HEAD + _BADGE + 3)), number)

    def _line(self, net: Net, points: list[Point]) -> None:
        arrow = self._arrow(net)
        dashed = " dashed" if arrow.kind == "handoff" or arrow.change == "removed" else ""
        idle = " idle" if _is_idle(arrow) else ""
        width = width_of_line(arrow, self.most_calls)
        drawn = path(points)
        self.lines.append(
            element(
                "path",
                d=drawn,
                class_=f"flow s-{tone_of(arrow)}{dashed}{idle}",
                stroke_width=width,
            )
        )

    def _head(self, net: Net, x: float, end: float, back: int) -> None:
        arrow = self._arrow(net)
        corners = [(x, end), (x - 5, end + back * _HEAD), (x + 5, end + back * _HEAD)]
        tone = tone_of(arrow)
        look = f"open s-{tone}" if arrow.kind == "handoff" else f"f-{tone}"
        self.above.append(element("path", d=f"{path(corners)} Z", class_=look))

    def _badge(self, net: Net, at: Point, number: int) -> None:
        arrow = self._arrow(net)
        tone = tone_of(arrow)
        self.above.append(badge(at, number, tone, class_="idle" if _is_idle(arrow) else ""))

    def _x(self, column: int) -> float:
        return (column - self.drawn.left + 0.5) * CELL

    def _arrow(self, net: Net) -> Arrow:
        return self.drawn.arrows[net.kind][0]


def _is_idle(arrow: Arrow) -> bool:
    return arrow.load is not None and not arrow.load.calls


def badge(at: Point, number: int, tone: str, class_: str = "") -> str:
    """Return a number in a circle, as it stands on lines and in the table."""
    x, y = at
    width = _BADGE * 2 + (6 if number > 99 else 0)  # noqa: PLR2004 - three digits
    return element(
        "rect",
        x=x - width / 2,
        y=y - _BADGE,
        width=width,
        height=_BADGE * 2,
        rx=_BADGE,
        class_=f"f-{tone} {class_}".rstrip(),
    ) + element("text", str(number), x=x, y=y + 3.4, class_="number", font_size=9.5)


def _above(channel: Channel) -> float:
    return _ROOM if channel.heads_above else _GAP


def _channel_height(channel: Channel) -> float:
    tracks = max(channel.tracks.values(), default=0)
    return _above(channel) + tracks * _TRACK + (_ROOM if channel.heads_below else _GAP)
