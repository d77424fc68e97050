"""What is written in boxes and along arrows, in formats that lay out texts by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from agency_cli.graph.diagram import Arrow, Box, View


def inscription(box: Box, view: View) -> Iterator[str]:
    """Yield the lines of a box; the name is the first."""
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
    if box.load is not None:
        yield box.load.text


def arrow_texts(arrow: Arrow) -> Iterator[str]:
    """Yield what stands along an arrow: its contract, and what a run made of it."""
    is_told = arrow.load is not None and arrow.kind == "handoff"
    if arrow.terms and not is_told:
        yield arrow.terms
    if arrow.load is not None:
        yield arrow.load.text
