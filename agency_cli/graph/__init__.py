"""The flow diagram of an agency: what it shows, and one file a format."""

from agency_cli.graph.diagram import Arrow, Box, Change, Diagram, Load, View, diagram_of
from agency_cli.graph.formats import GRAPH_FORMATS, SUFFIXES

__all__ = [
    "GRAPH_FORMATS",
    "SUFFIXES",
    "Arrow",
    "Box",
    "Change",
    "Diagram",
    "Load",
    "View",
    "diagram_of",
]
