"""The diagram as a picture that scales: one SVG that loads nothing, for light and dark pages."""

from agency_cli.graph.svg.page import draw_svg

__all__ = ["draw_svg"]
