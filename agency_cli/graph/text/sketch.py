"""A finished layout, drawn: boxes, lines, arrowheads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from agency_cli.graph.text.canvas import Canvas, Glyphs, draw_box
from agency_cli.graph.text.cards import Card
from agency_cli.graph.text.channels import Layout
from agency_cli.graph.text.nets import Link, Net
from agency_cli.graph.text.ports import Wire

_UP, _DOWN = 0, 2
_TAIL_ABOVE, _TAIL_BELOW = 6, 7


class Sketch(NamedTuple):
    """The picture of one part of a diagram, and how many times lines cross in it."""

    lines: tuple[str, ...]
    crossings: int


def sketched(layout: Layout, cards: Mapping[str, Card], glyphs: Glyphs) -> Sketch:
    """Return the picture of a layout with these cards in its boxes."""
    drawing = _Drawing(layout, cards, Canvas(glyphs))
    borders = []
    top = 0
    for number, row in enumerate(layout.columns):
        height = max(cards[item].height for item in row if isinstance(item, str))
        drawing.draw_row(number, top, height)
        borders.append(top + height + 1)
        if number < len(layout.channels):
            top += height + 2 + layout.channels[number].height
    # The lines come last, for they leave their marks on the borders of boxes.
    for number in range(len(layout.channels)):
        drawing.draw_channel(number, borders[number])
    return Sketch(tuple(drawing.canvas.lines()), drawing.canvas.crossings)


class _Drawing(NamedTuple):
    """What is drawn, and the sheet to draw it on."""

    layout: Layout
    cards: Mapping[str, Card]
    canvas: Canvas

    def draw_row(self, number: int, top: int, height: int) -> None:
        """Draw boxes with so many lines between their borders, and the lines that pass them."""
        for item, column in self.layout.columns[number].items():
            if isinstance(item, int):
                kind = self.layout.plan.nets[item].kind
                self.canvas.down(item, kind, column, top, top + height + 1)
                continue
            card, width = self.cards[item], self.layout.widths[item]
            text, left = card.text(width, height), column - width // 2
            draw_box(self.canvas, text, top=top, left=left, width=width, entry=card.entry)

    def draw_channel(self, number: int, border: int) -> None:
        """Draw all lines from the lower border of one row to the upper border of the next."""
        channel = self.layout.channels[number]
        end = border + channel.height + 1
        for wire, link in zip(channel.wires, self.layout.plan.links[number], strict=True):
            track = border + 1 + channel.heads_above + channel.tracks.get(link.net, 0)
            self._draw_wire(wire, border, track, end)
            self._draw_ends(link, wire, border, end)

    def _draw_wire(self, wire: Wire, border: int, track: int, end: int) -> None:
        kind = self.layout.plan.nets[wire.net].kind
        self.canvas.across(wire.net, kind, track, wire.left, wire.right)
        for column in wire.tops:
            self.canvas.down(wire.net, kind, column, border, track)
        for column in wire.bottoms:
            self.canvas.down(wire.net, kind, column, track, end)

    def _draw_ends(self, link: Link, wire: Wire, border: int, end: int) -> None:
        net = self.layout.plan.nets[link.net]
        for item, column in zip(link.tops, wire.tops, strict=True):
            if isinstance(item, str) and net.heads != "lower":
                self._draw_head(net, _UP, border + 1, column)
            elif isinstance(item, str):
                self._draw_tail(item, _TAIL_BELOW, border, column)
        for item, column in zip(link.bottoms, wire.bottoms, strict=True):
            if isinstance(item, str) and net.heads != "upper":
                self._draw_head(net, _DOWN, end - 1, column)
            elif isinstance(item, str):
                self._draw_tail(item, _TAIL_ABOVE, end, column)

    def _draw_head(self, net: Net, sign: int, row: int, column: int) -> None:
        self.canvas.write(row, column, self.canvas.glyphs.heads[net.kind][sign])

    def _draw_tail(self, agent: str, sign: int, row: int, column: int) -> None:
        glyphs = self.canvas.glyphs
        edge = glyphs.entry_border if self.cards[agent].entry else glyphs.border
        self.canvas.write(row, column, edge[sign])
