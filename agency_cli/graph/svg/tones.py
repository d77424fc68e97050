"""Which colour, and which thickness, a flow has."""

from __future__ import annotations

from agency_cli.graph.diagram import Arrow, Box

_THIN, _THICK = 1.5, 5.0


def tone_of(part: Arrow | Box) -> str:
    """Return the name of the colour of a flow, or of what happened to an agent."""
    if part.change is not None:
        return part.change
    if part.load is not None and part.load.failures:
        return "failed"
    return "handoff" if isinstance(part, Arrow) and part.kind == "handoff" else "line"


def width_of_line(arrow: Arrow, most_calls: int) -> float:
    """Return the thickness of a line: the more a run went along it, the more."""
    if arrow.load is None or most_calls <= 1:
        return _THIN
    return _THIN + (_THICK - _THIN) * max(arrow.load.calls - 1, 0) / (most_calls - 1)
