"""Problems as workflow commands of GitHub Actions, which shows them beside the lines."""

from __future__ import annotations

from agency_cli.errors import Problem
from agency_cli.rendering.output import printable
from agency_cli.rendering.problems.findings import Findings
from agency_cli.rendering.problems.places import relative_name


def problems_github(findings: Findings) -> str:
    """Return a command a problem, then a line that counts, which the log shows."""
    lines = list(map(_command, findings.problems))
    return "\n".join(lines if findings.quiet else [*lines, findings.summary])


def _command(problem: Problem) -> str:
    properties = {
        "file": relative_name(problem.file) if problem.file else None,
        "line": problem.line,
        "col": problem.column,
        "title": problem.code,
    }
    given = ",".join(
        f"{name}={_escaped_property(str(value))}"
        for name, value in properties.items()
        if value is not None
    )
    subject = f"{problem.dotted_path}: " if problem.path else ""
    return f"::{problem.severity} {given}::{_escaped(subject + problem.message)}"


def _escaped(text: str) -> str:
    """Return the text as GitHub's runner reads it back."""
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
