"""Problems for a person: a line each, below it the line of the file, and a mark at the place."""

from __future__ import annotations

from collections.abc import Iterator

from agency_cli.loading import Report
from agency_cli.rendering.output import printable
from agency_cli.rendering.problems.excerpt import excerpt
from agency_cli.rendering.problems.findings import Findings, counted


def problems_text(findings: Findings) -> str:
    """Return each problem with its excerpt, a line a sound file, and a line that counts."""
    lines = [
        line
        for name, report in findings.reports.items()
        for line in _report_lines(name, report, findings)
    ]
    return "\n".join(lines if findings.quiet else [*lines, findings.summary])


def _report_lines(name: str, report: Report, findings: Findings) -> Iterator[str]:
    for problem in report.problems:
        yield printable(str(problem))
        line = findings.lines.line(problem)
        if line is not None:
            yield from excerpt(line, problem)
    if not report.problems and not findings.quiet:
        yield printable(_sound(name, report))


def _sound(name: str, report: Report) -> str:
    manifest = report.manifest
    if manifest is None:
        return f"{name}: ok"
    agents = counted(len(manifest.agents), "agent")
    return f"{name}: ok ({agents}, {counted(len(manifest.single_flows), 'flow')})"
