"""The whole text: heading, the pictures of all parts side by side, legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agency_cli.graph.diagram import Arrow, Box, Diagram, View
from agency_cli.graph.inscription import arrow_texts
from agency_cli.graph.plain import encodable, plain
from agency_cli.graph.text.canvas import ASCII, EAST, NORTH, SOUTH, UNICODE, WEST, Glyphs
from agency_cli.graph.text.cells import cell_width, wrapped
from agency_cli.graph.text.layers import parts_of
from agency_cli.graph.text.picture import picture_of
from agency_cli.graph.text.stars import stars_of

_THICKET = 12
"""Crossings from which on a layered picture is no help."""
_BETWEEN = 4
"""Empty cells between parts that stand side by side."""


def draw_text(diagram: Diagram, view: View) -> str:
    """Return the picture; no line is wider than the view, nor has trailing spaces."""
    glyphs = UNICODE if encodable(UNICODE.signs, view.encoding) else ASCII
    diagram = _writable(diagram, view.encoding)
    parts, crossings = [], 0
    for boxes, arrows in _parts(diagram):
        lines, crossed = _drawn(boxes, arrows, view, glyphs)
        parts.append(lines)
        crossings += crossed
    heading = wrapped(_heading(diagram), view.width)
    legend = _legend(diagram, glyphs, crossings=crossings)
    table = [line for arrow in diagram.arrows for line in _row(arrow, view.width)]
    blocks = [
        heading,
        *_shelves(parts, view.width),
        *([_filled_lines(legend, view.width)] if legend else []),
        *([table] if table else []),
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def _writable(diagram: Diagram, encoding: str) -> Diagram:
    """Return the diagram with texts that can be written on one line in this encoding."""

    def written(text: str) -> str:
        return plain(text).encode(encoding, "replace").decode(encoding)

    boxes = [
        box._replace(
            name=written(box.name) or box.agent,
            model=written(box.model) if box.model else None,
            model_id=written(box.model_id) if box.model_id else None,
            fallbacks=tuple(map(written, box.fallbacks)),
            tools=tuple(map(written, box.tools)),
            load=box.load._replace(text=written(box.load.text)) if box.load else None,
        )
        for box in diagram.boxes
    ]
    arrows = [
        arrow._replace(
            message_class=written(arrow.message_class) if arrow.message_class else None,
            params=tuple(map(written, arrow.params)),
            load=arrow.load._replace(text=written(arrow.load.text)) if arrow.load else None,
        )
        for arrow in diagram.arrows
    ]
    return diagram._replace(
        name=written(diagram.name),
        boxes=tuple(boxes),
        arrows=tuple(arrows),
        subtitle=written(diagram.subtitle),
    )


def _heading(diagram: Diagram) -> str:
    entries = ", ".join(box.agent for box in diagram.entries)
    name = f"{diagram.name} (entry: {entries})" if entries else diagram.name
    return f"{name}: {diagram.subtitle}" if diagram.subtitle else name


def _row(arrow: Arrow, width: int) -> Iterator[str]:
    """Yield what a line of the picture has no room for: its contract, and what a run made of it."""
    is_plain = arrow.kind == "handoff" or not arrow.terms
    if is_plain and arrow.load is None:
        return
    texts = [f"{arrow.sender} > {arrow.recipient}", *arrow_texts(arrow)]
    line = "  ".join(texts)
    if cell_width(line) <= width:
        yield line
        return
    for number, text in enumerate(texts):
        indent = "  " if number else ""
        yield from (indent + piece for piece in wrapped(text, width - len(indent)))


def _parts(diagram: Diagram) -> Iterator[tuple[list[Box], list[Arrow]]]:
    """Yield the parts that no flow connects: those with flows first, then lone agents."""
    pairs = [(arrow.sender, arrow.recipient) for arrow in diagram.arrows]
    parts = parts_of([box.agent for box in diagram.boxes], pairs)
    for part in sorted(parts, key=lambda part: len(part) == 1):
        boxes = [box for box in diagram.boxes if box.agent in part]
        yield boxes, [arrow for arrow in diagram.arrows if arrow.sender in part]


def _drawn(
    boxes: Sequence[Box], arrows: Sequence[Arrow], view: View, glyphs: Glyphs
) -> tuple[list[str], int]:
    """Return the lines of one part, and how many of its lines cross."""
    sketch = picture_of(boxes, arrows, view, glyphs)
    if sketch is None or sketch.crossings > _THICKET:
        return stars_of(boxes, arrows, view, glyphs), 0
    margin = min(len(line) - len(line.lstrip()) for line in sketch.lines if line)
    return [line[margin:] for line in sketch.lines], sketch.crossings


def _shelves(parts: Sequence[list[str]], width: int) -> Iterator[list[str]]:
    """Yield the parts, as many side by side as the width allows."""
    shelf: list[str] = []
    for part in parts:
        left = max(map(cell_width, shelf), default=0) + _BETWEEN
        if shelf and left + max(map(cell_width, part)) <= width:
            rows = max(len(shelf), len(part))
            padded = [line + " " * (left - cell_width(line)) for line in _filled(shelf, rows)]
            joined = zip(padded, _filled(part, rows), strict=True)
            shelf = [(line + other).rstrip() for line, other in joined]
        else:
            if shelf:
                yield shelf
            shelf = part
    if shelf:
        yield shelf


def _filled(lines: list[str], rows: int) -> list[str]:
    return lines + [""] * (rows - len(lines))


def _legend(diagram: Diagram, glyphs: Glyphs, *, crossings: int) -> list[str]:
    """Return what the reader cannot know: kinds of flows, where there are handoffs; crossings."""
    samples = {
        kind: f"{2 * glyphs.lines[kind][EAST | WEST]}{glyphs.heads[kind][1]} {kind}"
        for kind in glyphs.lines
    }
    across, down = glyphs.lines["message"][EAST | WEST], glyphs.lines["message"][NORTH | SOUTH]
    kinds = {arrow.kind for arrow in diagram.arrows}
    signs = [sample for kind, sample in samples.items() if "handoff" in kinds and kind in kinds]
    if crossings:
        signs.append(f"{across}{down}{across} crossing")
    return signs


def _filled_lines(signs: Sequence[str], width: int) -> list[str]:
    """Return the signs, as many on a line as it has room for."""
    lines: list[str] = []
    for sign in signs:
        joined = f"{lines[-1]}   {sign}" if lines else ""
        if joined and cell_width(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(sign)
    return lines
