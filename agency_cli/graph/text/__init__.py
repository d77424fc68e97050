"""The diagram as characters: layered boxes with arrows."""

from agency_cli.graph.text.drawing import draw_text

__all__ = ["draw_text"]
