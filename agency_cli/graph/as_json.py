"""The diagram as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

from agency_cli.graph.diagram import Arrow, Box, Diagram, View
from agency_cli.graph.plain import encodable


def draw_json(diagram: Diagram, view: View) -> str:
    """Return one JSON object; everything is in it, whatever the view leaves out of a picture."""
    document = {
        "name": diagram.name,
        "entry": [box.agent for box in diagram.entries],
        "agents": [_agent(box) for box in diagram.boxes],
        "flows": [_flow(arrow) for arrow in diagram.arrows],
    }
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return text if encodable(text, view.encoding) else json.dumps(document, indent=2)


def _agent(box: Box) -> dict[str, Any]:
    return {
        "agent": box.agent,
        "name": box.name,
        "description": box.description,
        "model": box.model,
        "fallback": list(box.fallbacks),
        "entry": box.entry,
        "tools": list(box.tools),
    }


def _flow(arrow: Arrow) -> dict[str, Any]:
    return {
        "from": arrow.sender,
        "to": arrow.recipient,
        "kind": arrow.kind,
        "tool_name": arrow.tool_name,
    }
