"""What checking manifests found, in every format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from agency_cli.rendering.problems.annotations import problems_github
from agency_cli.rendering.problems.findings import Findings
from agency_cli.rendering.problems.objects import problems_json
from agency_cli.rendering.problems.sarif import problems_sarif
from agency_cli.rendering.problems.text import problems_text

__all__ = ["PROBLEM_FORMATS", "Findings"]

PROBLEM_FORMATS: Final[Mapping[str, Callable[[Findings], str]]] = {
    "text": problems_text,
    "json": problems_json,
    "github": problems_github,
    "sarif": problems_sarif,
}
"""Each format that problems are shown in."""
