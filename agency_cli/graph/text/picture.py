"""The layered picture of one connected part of a diagram, made to fit a width."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from agency_cli.graph.diagram import Arrow, Box, View
from agency_cli.graph.text.canvas import Glyphs
from agency_cli.graph.text.cards import Card, card_of
from agency_cli.graph.text.channels import Layout, laid_out
from agency_cli.graph.text.layers import Pair, rows_of
from agency_cli.graph.text.nets import Item, Plan, plan_of
from agency_cli.graph.text.ordering import ordered
from agency_cli.graph.text.placing import ROOMY, TIGHT, Offsets, placed, row_width
from agency_cli.graph.text.sketch import Sketch, sketched

_LIMITS = (24, 16, 11)
"""Widths of text in boxes, to be tried one after the other until the picture fits."""
_WIDER = (0, 2, 4)
"""Cells by which boxes with several lines at a border may grow to make lines straight."""
_ROUNDS = 4
"""Times to place everything anew, knowing better where the lines begin and end."""

Flows = Mapping[str, Collection[Pair]]


def picture_of(
    boxes: Sequence[Box], arrows: Sequence[Arrow], view: View, glyphs: Glyphs
) -> Sketch | None:
    """Return the best picture that fits the width; None where none does."""
    flows: dict[str, list[Pair]] = {}
    for arrow in arrows:
        pairs = flows.setdefault(arrow.kind, [])
        if (arrow.sender, arrow.recipient) not in pairs:
            pairs.append((arrow.sender, arrow.recipient))
    for limit in _LIMITS:
        cards = {
            box.agent: card_of(box, view, limit=limit, ellipsis=glyphs.ellipsis) for box in boxes
        }
        best: Sketch | None = None
        for layout in Fitting(cards, flows, view.width).layouts():
            sketch = sketched(layout, cards, glyphs)
            best = sketch if best is None or sketch.crossings < best.crossings else best
            if not best.crossings:
                break
        if best:
            return best
    return None


class Fitting(NamedTuple):
    """Boxes of known sizes and their flows, to be fitted into a width."""

    cards: Mapping[str, Card]
    flows: Flows
    width: int

    def layouts(self) -> Iterator[Layout]:
        """Yield layouts with pairs of flows, there and back, as one line and as two."""
        pairs = [pair for kind in self.flows.values() for pair in kind]
        entries = [agent for agent, card in self.cards.items() if card.entry]
        rows = rows_of(list(self.cards), pairs, entries)
        mutual = any(pair[::-1] in kind for kind in self.flows.values() for pair in kind)
        for two_way in (True, False) if mutual else (False,):
            layout = self._layout(rows, two_way=two_way)
            if layout:
                yield layout

    def _layout(self, rows: Sequence[Sequence[str]], *, two_way: bool) -> Layout | None:
        """Return the layout of these rows, those that are too wide split into more rows."""
        while True:
            plan = plan_of(rows, self.flows, two_way=two_way)
            widths = _widths(plan, self.cards)
            wide = {
                number
                for number, row in enumerate(plan.rows)
                if row_width(row, widths, TIGHT) > self.width
            }
            if not wide:
                return self._tidiest(plan, widths)
            if any(len(rows[number]) == 1 for number in wide):
                return None
            split = [self._halves(row) if n in wide else [row] for n, row in enumerate(rows)]
            rows = [row for halves in split for row in halves]

    def _halves(self, row: Sequence[str]) -> list[Sequence[str]]:
        """Split a row; who sends nothing on stands higher, out of the way of others' lines."""
        senders = {sender for kind in self.flows.values() for sender, _ in kind}
        quiet_first = sorted(row, key=lambda agent: agent in senders)
        middle = (len(row) + 1) // 2
        return [quiet_first[:middle], quiet_first[middle:]]

    def _tidiest(self, plan: Plan, widths: Mapping[Item, int]) -> Layout | None:
        """Return the layout with the straightest lines, boxes made wider if that helps."""
        best: Layout | None = None
        order = ordered(plan, widths)
        for wider in _WIDER:
            roomier = _widths(plan, self.cards, wider=wider)
            if any(row_width(row, roomier, TIGHT) > self.width for row in order):
                break
            for layout in self._rounds(plan, order, roomier):
                if best is None or layout.untidiness < best.untidiness:
                    best = layout
            if best and not best.wiggles:
                break
        return best

    def _rounds(
        self, plan: Plan, order: Sequence[Sequence[Item]], widths: Mapping[Item, int]
    ) -> Iterator[Layout]:
        """Yield layouts, each knowing from the one before where lines begin and end."""
        roomy = all(row_width(row, widths, ROOMY) <= self.width for row in order)
        gaps = ROOMY if roomy else TIGHT
        offsets: Offsets = {}
        before = None
        for _ in range(_ROUNDS):
            columns = placed(plan, order, widths, gaps=gaps, width=self.width, offsets=offsets)
            layout = laid_out(plan, widths, columns) if columns != before else None
            if layout is None:
                break
            yield layout
            offsets, before = layout.offsets(), columns


def _widths(plan: Plan, cards: Mapping[str, Card], *, wider: int = 0) -> dict[Item, int]:
    """Return the width of every item: room for its text and for the lines at its borders."""
    widths: dict[Item, int] = dict.fromkeys(range(len(plan.nets)), 1)
    for agent, card in cards.items():
        above = sum(agent in net.lowers for net in plan.nets)
        below = sum(agent in net.uppers for net in plan.nets)
        most = max(above, below)
        widths[agent] = max(card.width, 2 * most + 3) + (wider if most > 1 else 0)
    return widths
