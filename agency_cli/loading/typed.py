"""From a document to the models, or every problem of its shape."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from agency_cli.errors import Problem
from agency_cli.loading.nodes import Path
from agency_cli.manifest import Manifest
from agency_cli.schema import load_schema


def typed(
    document: dict[str, Any], written: dict[str, Any]
) -> tuple[Manifest | None, list[Problem]]:
    """Return the manifest and what is wrong with its shape.

    The models and the JSON Schema take the same documents (a test holds them to it), and the
    models answer sooner; the schema's errors are the better ones to explain. Where a document has
    problems, a manifest is still returned if it is clear what was meant, so that its references
    can be checked in the same go.

    Args:
        document: Interpolated.
        written: The same as written; messages quote only this.
    """
    try:
        return Manifest.model_validate(document), []
    except ValidationError as error:
        residual = error

    from agency_cli.loading.repair import repaired  # noqa: PLC0415 - for faulty documents only
    from agency_cli.loading.shape import shape_findings  # noqa: PLC0415 - it imports jsonschema

    findings = shape_findings(document, written, load_schema())
    if not findings:
        return None, _residual_problems(residual, document)
    return _manifest(repaired(document, findings)), [finding.problem for finding in findings]


def _manifest(document: dict[str, Any] | None) -> Manifest | None:
    if document is None:
        return None
    try:
        return Manifest.model_validate(document)
    except ValidationError:
        return None


def _residual_problems(error: ValidationError, document: dict[str, Any]) -> list[Problem]:
    """Say what the models refuse though the schema takes it, such as an endless number."""
    return [
        Problem(code="bad-value", message=details["msg"], path=_path(details["loc"], document))
        for details in error.errors(include_url=False, include_input=False, include_context=False)
    ]


def _path(location: tuple[str | int, ...], document: Any) -> Path:
    """Return a location without the names of the branches that Pydantic tried."""
    path: list[str | int] = []
    value = document
    for part in location:
        is_key = isinstance(value, dict) and part in value
        is_index = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if is_key or is_index:
            path.append(part)
            value = value[part]
    return tuple(path)
