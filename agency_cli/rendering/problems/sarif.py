"""Problems as a log of SARIF 2.1.0, which code scanning services and editors read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from agency_cli import __version__
from agency_cli.errors import Problem
from agency_cli.loading import SourceLines
from agency_cli.rendering.printable import escaped_json
from agency_cli.rendering.problems.excerpt import span
from agency_cli.rendering.problems.findings import Findings
from agency_cli.rendering.problems.places import relative_name
from agency_cli.rules import RULES, Rule

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
Json = dict[str, Any]


def problems_sarif(findings: Findings) -> str:
    """Return the log of one run: a result a problem, with the rules that it names."""
    import json  # noqa: PLC0415 - the other formats do without it

    problems = list(findings.problems)
    codes = list(dict.fromkeys(problem.code for problem in problems))
    run = {
        "tool": {
            "driver": {
                "name": "agency",
                "semanticVersion": __version__,
                "rules": [_rule(RULES[code]) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(problem, codes.index(problem.code), findings.lines) for problem in problems
        ],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return escaped_json(json.dumps(log, indent=2, ensure_ascii=False))


def _rule(rule: Rule) -> Json:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.what},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.mend},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(problem: Problem, index: int, lines: SourceLines) -> Json:
    result: Json = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": problem.severity,
        "message": {"text": problem.message},
    }
    if problem.file is not None:
        result["locations"] = [_location(problem, problem.file, lines)]
    return result


def _location(problem: Problem, file: str, lines: SourceLines) -> Json:
    physical: Json = {"artifactLocation": _artifact(file)}
    if problem.line is not None:
        physical["region"] = _region(problem, lines)
    location: Json = {"physicalLocation": physical}
    if problem.path:
        location["logicalLocations"] = [{"fullyQualifiedName": problem.dotted_path}]
    return location


def _region(problem: Problem, lines: SourceLines) -> Json:
    region: Json = {"startLine": problem.line, "startColumn": problem.column or 1}
    line = lines.line(problem)
    if line is not None:
        region["endColumn"] = span(line, problem)[1] + 1
    return region


def _artifact(file: str) -> Json:
    name = relative_name(file)
    if Path(name).is_absolute():
        return {"uri": Path(name).as_uri()}
    return {"uri": quote(name), "uriBaseId": "%SRCROOT%"}
