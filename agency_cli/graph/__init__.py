"""The flow diagram of an agency: what it shows, and one file a format."""

from agency_cli.graph.diagram import Arrow, Box, Diagram, View, diagram_of
from agency_cli.graph.formats import GRAPH_FORMATS

__all__ = ["GRAPH_FORMATS", "Arrow", "Box", "Diagram", "View", "diagram_of"]
