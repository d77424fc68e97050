"""The reports of several manifests, and what is told of all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agency_cli.errors import Problem, Severity
from agency_cli.loading import Report, SourceLines


class Findings(NamedTuple):
    """What checking manifests found.

    Attributes:
        reports: By the name that each manifest was given by.
        lines: The lines that problems stand in.
        quiet: Tell problems, and nothing else.
    """

    reports: Mapping[str, Report]
    lines: SourceLines
    quiet: bool = False

    @property
    def problems(self) -> Iterator[Problem]:
        """Every problem, manifest by manifest."""
        for report in self.reports.values():
            yield from report.problems

    def count(self, severity: Severity) -> int:
        """Return how many problems of a severity there are."""
        return sum(problem.severity == severity for problem in self.problems)

    @property
    def summary(self) -> str:
        """How much of what there is, on one line."""
        errors, warnings = self.count("error"), self.count("warning")
        counts = (len(self.reports), "file"), (errors, "error"), (warnings, "warning")
        return ", ".join(counted(number, word) for number, word in counts)


def counted(number: int, word: str) -> str:
    """Return a number of things in words."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
