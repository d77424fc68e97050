"""The diagram as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

from agency_cli.graph.diagram import Arrow, Box, Change, Diagram, Load, View
from agency_cli.graph.plain import encodable


def draw_json(diagram: Diagram, view: View) -> str:
    """Return one JSON object; everything is in it, whatever the view leaves out of a picture."""
    document = {
        "name": diagram.name,
        **({"about": diagram.subtitle} if diagram.subtitle else {}),
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
        **_more(box.load, box.change, "turns"),
    }


def _flow(arrow: Arrow) -> dict[str, Any]:
    return {
        "from": arrow.sender,
        "to": arrow.recipient,
        "kind": arrow.kind,
        "tool_name": arrow.tool_name,
        "send_message": arrow.message_class,
        "extra_params": list(arrow.params),
        **_more(arrow.load, arrow.change, "calls"),
    }


def _more(load: Load | None, change: Change | None, counted: str) -> dict[str, Any]:
    """Return what is there only where a run, or another manifest, is laid over the diagram."""
    more: dict[str, Any] = {"change": change} if change else {}
    if load is not None:
        more["run"] = {
            counted: load.calls,
            "failures": load.failures,
            "seconds": round(load.seconds, 3),
            "cost_usd": None if load.cost_usd is None else float(load.cost_usd),
        }
    return more
