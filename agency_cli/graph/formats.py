"""The table of formats: a new one is a new file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agency_cli.graph.as_json import draw_json
from agency_cli.graph.diagram import Diagram, View
from agency_cli.graph.mermaid import draw_mermaid
from agency_cli.graph.text import draw_text

GRAPH_FORMATS: Mapping[str, Callable[[Diagram, View], str]] = {
    "text": draw_text,
    "mermaid": draw_mermaid,
    "json": draw_json,
}
