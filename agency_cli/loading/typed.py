"""From a document to the models, or every problem of its shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from agency_cli.errors import Problem
from agency_cli.loading.nodes import Path
from agency_cli.manifest import Manifest
from agency_cli.schema import load_schema


class Typed(NamedTuple):
    """What became of a document.

    Attributes:
        manifest: As it was probably meant, so that its references can be checked in the same go;
            sound only without problems, None where nothing could be made of it.
        problems: What is wrong with the shape.
        mended: Where the manifest holds other values than the document.
        renamed: The misspelt keys, by the path of what they were taken for.
    """

    manifest: Manifest | None
    problems: list[Problem]
    mended: frozenset[Path]
    renamed: Mapping[Path, str]


def typed(document: dict[str, Any], written: dict[str, Any]) -> Typed:
    """Return the manifest, and what is wrong with its shape.

    The models and the JSON Schema take the same documents (a test holds them to it), and the
    models answer sooner; the schema's errors are the better ones to explain.

    Args:
        document: Interpolated.
        written: The same as written; messages quote only this.
    """
    try:
        return Typed(Manifest.model_validate(document), [], frozenset(), {})
    except ValidationError as error:
        return _explained(error, document, written)


def _explained(error: ValidationError, document: dict[str, Any], written: dict[str, Any]) -> Typed:
    # For faulty documents only; one of them imports jsonschema.
    from agency_cli.loading.refusals import refused_places, unexplained  # noqa: PLC0415 - see above
    from agency_cli.loading.repair import repaired  # noqa: PLC0415 - see above
    from agency_cli.loading.shape import shape_findings  # noqa: PLC0415 - see above

    findings = shape_findings(document, written, load_schema())
    found = {finding.problem.path: finding.problem for finding in findings}
    problems = [finding.problem for finding in findings]
    problems += [one for one in unexplained(error, document) if one.path not in found]
    if not problems:
        what = "cannot be used here; see schemas/agency.schema.json for what can"
        places = refused_places(error, document)
        problems = [Problem(code="bad-value", message=what, path=place) for place in places]
    result = repaired(document, findings)
    return Typed(result.manifest, problems, result.places, result.renamed)
