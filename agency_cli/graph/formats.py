"""The table of formats: a new one is a new file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agency_cli.graph.as_json import draw_json
from agency_cli.graph.diagram import Diagram, View
from agency_cli.graph.mermaid import draw_mermaid
from agency_cli.graph.text import draw_text


def _draw_dot(diagram: Diagram, view: View) -> str:
    from agency_cli.graph.dot import draw_dot  # noqa: PLC0415 - not for the usual picture

    return draw_dot(diagram, view)


def _draw_svg(diagram: Diagram, view: View) -> str:
    from agency_cli.graph.svg import draw_svg  # noqa: PLC0415 - not for the usual picture

    return draw_svg(diagram, view)


GRAPH_FORMATS: Mapping[str, Callable[[Diagram, View], str]] = {
    "text": draw_text,
    "mermaid": draw_mermaid,
    "dot": _draw_dot,
    "svg": _draw_svg,
    "json": draw_json,
}
SUFFIXES: Mapping[str, str] = {
    ".txt": "text",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".dot": "dot",
    ".gv": "dot",
    ".svg": "svg",
    ".json": "json",
}
"""The format that the suffix of a file's name stands for."""
