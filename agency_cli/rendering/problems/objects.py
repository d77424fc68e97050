"""Problems as one JSON object."""

from __future__ import annotations

from agency_cli.errors import Problem
from agency_cli.rendering.printable import escaped_json
from agency_cli.rendering.problems.findings import Findings


def problems_json(findings: Findings) -> str:
    """Return one JSON object.

    Its keys: `files`, names as given; `problems`, objects of `file`, `line` and `column` (from 1,
    null where there is none), `severity`, `code`, `path` (as text, empty for the whole file) and
    `message`; `errors` and `warnings`, how many there are.
    """
    import json  # noqa: PLC0415 - the other formats do without it

    document = {
        "files": list(findings.reports),
        "problems": list(map(_problem_object, findings.problems)),
        "errors": findings.count("error"),
        "warnings": findings.count("warning"),
    }
    return escaped_json(json.dumps(document, indent=2, ensure_ascii=False))


def _problem_object(problem: Problem) -> dict[str, object]:
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "severity": problem.severity,
        "code": problem.code,
        "path": problem.dotted_path,
        "message": problem.message,
    }
