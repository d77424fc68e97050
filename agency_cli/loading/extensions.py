"""Keys that begin with `x-`: free-form notes for people and other programs."""

from __future__ import annotations

from typing import Any


def without_extensions(document: dict[str, Any]) -> dict[str, Any]:
    """Return a copy without the `x-` keys at the top and on agents, tools and flows."""
    result: dict[str, Any] = _without(document)
    for section in ("agents", "tools"):
        if isinstance(named := result.get(section), dict):
            result[section] = {name: _without(value) for name, value in named.items()}
    if isinstance(flows := result.get("flows"), list):
        result["flows"] = [_without(flow) for flow in flows]
    return result


def _without(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: inner for key, inner in value.items() if not key.startswith("x-")}
