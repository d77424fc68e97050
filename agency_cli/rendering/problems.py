"""What checking manifests found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from agency_cli.errors import Problem
from agency_cli.loading import Report
from agency_cli.rendering.output import printable

Reports = Mapping[str, Report]


def problems_text(reports: Reports) -> str:
    """Return a line a problem, a line a sound file, and a line that counts."""
    lines = [line for name, report in reports.items() for line in _file_lines(name, report)]
    counts = _counted(len(reports), "file"), *_severities(reports)
    return "\n".join(map(printable, [*lines, ", ".join(counts)]))


def problems_json(reports: Reports) -> str:
    """Return one JSON object.

    Its keys: `files`, names as given; `problems`, objects of `file`, `line` and `column` (from 1,
    null where there is none), `severity`, `code`, `path` (as text, empty for the whole file) and
    `message`; `errors` and `warnings`, how many there are.
    """
    import json  # noqa: PLC0415 - the other formats do without it

    document = {
        "files": list(reports),
        "problems": [
            _problem_object(problem) for report in reports.values() for problem in report.problems
        ],
        "errors": count(reports, "error"),
        "warnings": count(reports, "warning"),
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


PROBLEM_FORMATS: Final[Mapping[str, Callable[[Reports], str]]] = {
    "text": problems_text,
    "json": problems_json,
}
"""Each format that problems are shown in."""


def count(reports: Reports, severity: str) -> int:
    """Return how many problems of a severity there are."""
    return sum(
        problem.severity == severity for report in reports.values() for problem in report.problems
    )


def _file_lines(name: str, report: Report) -> list[str]:
    if report.problems:
        return [str(problem) for problem in report.problems]
    manifest = report.manifest
    if manifest is None:
        return [f"{name}: ok"]
    agents = _counted(len(manifest.agents), "agent")
    return [f"{name}: ok ({agents}, {_counted(len(manifest.single_flows), 'flow')})"]


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


def _severities(reports: Reports) -> tuple[str, ...]:
    return tuple(_counted(count(reports, name), name) for name in ("error", "warning"))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
