"""The diagram as a Mermaid flowchart, for Markdown files and wikis."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from agency_cli.graph.diagram import Arrow, Box, Diagram, View
from agency_cli.graph.plain import encodable, plain

_LINES = {"message": "-->", "handoff": "-.->"}
_BREAK = "<br/>"
# Inside a quoted label Mermaid still reads these as its end, as entities, HTML, comments, escapes
# or Markdown; it accepts them as entities of its own spelling.
_SPECIAL = re.compile(r"""["#&<>%`*\\;$]""")
_NAMED = {'"': "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;"}


def draw_mermaid(diagram: Diagram, view: View) -> str:
    """Return a flowchart; agents get ids of our own, so that any name is safe."""
    ids = {box.agent: f"a{number}" for number, box in enumerate(diagram.boxes, start=1)}
    lines = ["---", f"title: {json.dumps(plain(diagram.name))}", "---", "flowchart TD"]
    lines += [f"    {ids[box.agent]}{_shape(box, view)}" for box in diagram.boxes]
    lines += [
        f"    {ids[arrow.sender]} {_line(arrow, view)} {ids[arrow.recipient]}"
        for arrow in diagram.arrows
    ]
    if diagram.entries:
        lines.append("    classDef entry stroke-width:3px")
    return "\n".join(lines)


def _shape(box: Box, view: View) -> str:
    label = _BREAK.join(_escaped(text, view) for text in _texts(box, view))
    return f'(["{label}"]):::entry' if box.entry else f'["{label}"]'


def _texts(box: Box, view: View) -> Iterator[str]:
    yield box.name
    if box.name != box.agent:
        yield f"({box.agent})"
    if view.models:
        same = box.model_id in (None, box.model)
        yield f"model {box.model or '(default)'}" + ("" if same else f" ({box.model_id})")
        if box.fallbacks:
            yield f"else {', '.join(box.fallbacks)}"
    if view.tools and box.tools:
        yield f"tools {', '.join(box.tools)}"


def _line(arrow: Arrow, view: View) -> str:
    label = arrow.tool_name or ("handoff" if arrow.kind == "handoff" else "")
    return _LINES[arrow.kind] + (f'|"{_escaped(label, view)}"|' if label else "")


def _escaped(text: str, view: View) -> str:
    """Return the text for a quoted label."""
    return "".join(
        _NAMED.get(char, f"#{ord(char)};")
        if _SPECIAL.match(char) or not encodable(char, view.encoding)
        else char
        for char in plain(text)
    )
