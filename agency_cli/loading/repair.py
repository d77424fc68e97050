"""A faulty document as it was probably meant, so that the rest of it can be checked too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agency_cli.loading.nodes import Path
from agency_cli.loading.shape import Finding


def repaired(document: dict[str, Any], findings: Sequence[Finding]) -> dict[str, Any] | None:
    """Return a copy in which misspelt keys are mended; None where something else is wrong."""
    result = document
    for finding in findings:
        match finding.problem.code:
            case "unknown-key":
                result = _changed(result, finding.problem.path, finding.instead)
            case "missing-key" if (finding.problem.path, finding.key) == ((), "version"):
                result = {"version": 1, **result}
            case _:
                return None
    return result


def _changed(value: Any, path: Path, new_key: str | None) -> Any:
    """Return a copy in which the key at `path` is renamed, or is gone."""
    first, rest = path[0], path[1:]
    if isinstance(value, list):
        return [
            _changed(item, rest, new_key) if index == first else item
            for index, item in enumerate(value)
        ]
    if rest:
        return {**value, first: _changed(value[first], rest, new_key)}
    pairs = {new_key if key == first else key: inner for key, inner in value.items()}
    return {key: inner for key, inner in pairs.items() if key is not None}
