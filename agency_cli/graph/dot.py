"""The diagram for Graphviz."""

from __future__ import annotations

from agency_cli.graph.diagram import Arrow, Box, Diagram, View
from agency_cli.graph.inscription import arrow_texts, inscription
from agency_cli.graph.plain import encodable, plain

_COLOURS = {"added": "#1a7f37", "removed": "#cf222e", "changed": "#bf8700", "failed": "#cf222e"}

_HIGHEST = 0xFFFF


def draw_dot(diagram: Diagram, view: View) -> str:
    """Return a graph; agents get ids of our own, so that any name is safe."""
    ids = {box.agent: f"a{number}" for number, box in enumerate(diagram.boxes, start=1)}
    title = f"{diagram.name}: {diagram.subtitle}" if diagram.subtitle else diagram.name
    lines = [
        f"digraph {_quoted(view, diagram.name)} {{",
        f'  graph [label={_quoted(view, title)}, labelloc=t, fontname="Helvetica"]',
        '  node [shape=box, style=rounded, fontname="Helvetica"]',
        '  edge [fontname="Helvetica", fontsize=11]',
    ]
    lines += [f"  {ids[box.agent]} [{_box(box, view)}]" for box in diagram.boxes]
    lines += [
        f"  {ids[arrow.sender]} -> {ids[arrow.recipient]}{_arrow(arrow, view)}"
        for arrow in diagram.arrows
    ]
    return "\n".join([*lines, "}"])


def _box(box: Box, view: View) -> str:
    wanted = [f"label={_quoted(view, *inscription(box, view))}"]
    if box.description:
        wanted.append(f"tooltip={_quoted(view, box.description)}")
    if box.entry:
        wanted.append("penwidth=2.5")
    return ", ".join([*wanted, *_colour(box)])


def _arrow(arrow: Arrow, view: View) -> str:
    texts = list(arrow_texts(arrow))
    wanted = [f"label={_quoted(view, *texts)}"] if texts else []
    if arrow.kind == "handoff":
        wanted += ["style=dashed", "arrowhead=empty"]
    wanted += _colour(arrow)
    return f" [{', '.join(wanted)}]" if wanted else ""


def _colour(part: Box | Arrow) -> list[str]:
    mark = part.change or ("failed" if part.load and part.load.failures else None)
    return [f'color="{_COLOURS[mark]}"'] if mark else []


def _quoted(view: View, *lines: str) -> str:
    """Return lines as one text; Graphviz reads escapes, and entities of HTML, in all of them."""
    written = r"\n".join(_escaped(plain(line), view.encoding) for line in lines)
    return f'"{written}"'


def _escaped(text: str, encoding: str) -> str:
    signs = {"&": "&amp;", "\\": "\\\\", '"': '\\"'}
    return "".join(signs.get(char) or _sign(char, encoding) for char in text)


def _sign(char: str, encoding: str) -> str:
    if encodable(char, encoding):
        return char
    # Of higher numbers Graphviz makes bytes that are no text.
    return f"&#{ord(char)};" if ord(char) <= _HIGHEST else "?"
