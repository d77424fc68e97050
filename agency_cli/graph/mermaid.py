"""The diagram as a Mermaid flowchart, for Markdown files and wikis."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from agency_cli.graph.diagram import Arrow, Box, Diagram, View
from agency_cli.graph.inscription import arrow_texts, inscription
from agency_cli.graph.plain import encodable, plain

_LINES = {"message": "-->", "handoff": "-.->"}
_BREAK = "<br/>"
# Inside a quoted label Mermaid still reads these as its end, as entities, HTML, comments, escapes
# or Markdown; it accepts them as entities of its own spelling.
_SPECIAL = re.compile(r"""["#&<>%`*\\;$]""")
_JOINER = "\u2060"
_NAMED = {'"': "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;"}


_COLOURS = {"added": "#1a7f37", "removed": "#cf222e", "changed": "#bf8700", "failed": "#cf222e"}
_DASHED = {"removed"}


def draw_mermaid(diagram: Diagram, view: View) -> str:
    """Return a flowchart; agents get ids of our own, so that any name is safe."""
    ids = {box.agent: f"a{number}" for number, box in enumerate(diagram.boxes, start=1)}
    title = f"{diagram.name}: {diagram.subtitle}" if diagram.subtitle else diagram.name
    lines = ["---", f"title: {json.dumps(plain(title))}", "---", "flowchart TD"]
    lines += [f"    {ids[box.agent]}{_shape(box, view)}" for box in diagram.boxes]
    lines += [
        f"    {ids[arrow.sender]} {_line(arrow, view)} {ids[arrow.recipient]}"
        for arrow in diagram.arrows
    ]
    if diagram.entries:
        lines.append("    classDef entry stroke-width:3px")
    return "\n".join([*lines, *_styles(diagram, ids)])


def _styles(diagram: Diagram, ids: dict[str, str]) -> Iterator[str]:
    """Yield the colours of what changed, or failed in a run."""
    for box in diagram.boxes:
        if mark := _mark(box):
            yield f"    style {ids[box.agent]} {_style(mark)}"
    for number, arrow in enumerate(diagram.arrows):
        if mark := _mark(arrow):
            yield f"    linkStyle {number} {_style(mark)}"


def _mark(part: Box | Arrow) -> str | None:
    return part.change or ("failed" if part.load and part.load.failures else None)


def _style(mark: str) -> str:
    return f"stroke:{_COLOURS[mark]}" + (",stroke-dasharray:4" if mark in _DASHED else "")


def _shape(box: Box, view: View) -> str:
    label = _BREAK.join(_escaped(text, view) for text in inscription(box, view))
    return f'(["{label}"]):::entry' if box.entry else f'["{label}"]'


def _line(arrow: Arrow, view: View) -> str:
    label = _BREAK.join(_escaped(text, view) for text in arrow_texts(arrow))
    return _LINES[arrow.kind] + (f'|"{label}"|' if label else "")


def _escaped(text: str, view: View) -> str:
    """Return the text for a quoted label."""
    # However it is spelt, a backslash before an n would begin a new line.
    apart = plain(text).replace("\\n", f"\\{_JOINER}n")
    return "".join(
        _NAMED.get(char, f"#{ord(char)};")
        if _SPECIAL.match(char) or not encodable(char, view.encoding)
        else char
        for char in apart
    )
