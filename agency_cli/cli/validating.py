"""How `agency validate` looks through manifests and shows what it found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from agency_cli.cli.manifest_files import STDIN, Found, manifests_meant
from agency_cli.errors import Problem, UsageError
from agency_cli.loading import STANDARD_INPUT, Report, SourceLines, examine_manifest
from agency_cli.loading.reading import LARGEST_FILE
from agency_cli.rendering.output import print_text
from agency_cli.rendering.problems import PROBLEM_FORMATS, Findings

_Examine = Callable[..., Report]


def validate_all(
    manifests: Iterable[Path], *, form: str, strict: bool, quiet: bool, deep: bool
) -> bool:
    """Print what is wrong with manifests, and say whether they pass.

    Args:
        manifests: Files, folders, patterns, or `-`.
        form: The name of a format.
        strict: Warnings fail too.
        quiet: Print problems, and nothing else.
        deep: Import and build what they name.

    Raises:
        UsageError: There is no such format.
    """
    if form not in PROBLEM_FORMATS:
        raise UsageError(f"no format named {form!r}; there are {', '.join(PROBLEM_FORMATS)}")
    found, empty = manifests_meant(manifests)
    given = _standard_input() if any(one.path == STDIN for one in found) else None
    reports = _reports(found, given, _examiner(deep=deep))
    for name in empty:
        what = "no manifest is found here: no agency.yaml, and no YAML with `version` and `agents`"
        reports[name] = Report((Problem(code="missing-file", message=what, file=name),))
    texts = {} if given is None else {STANDARD_INPUT: given.decode(errors="replace")}
    findings = Findings(reports, SourceLines(texts), quiet)
    text = PROBLEM_FORMATS[form](findings)
    if text:
        print_text(text, sys.stdout)
    return not findings.count("error") and not (strict and findings.count("warning"))


def _examiner(*, deep: bool) -> _Examine:
    if not deep:
        return examine_manifest
    from agency_cli.cli.deep import examine_deeply  # noqa: PLC0415 - takes long

    return examine_deeply


def _reports(found: list[Found], given: bytes | None, examine: _Examine) -> dict[str, Report]:
    reports = {
        one.path: examine(one.path, given=given if one.path == STDIN else None) for one in found
    }
    # What a manifest includes is no manifest itself, even where it looks like one.
    parts = {Path(name).resolve() for report in reports.values() for name in report.included}
    return {
        STANDARD_INPUT if one.path == STDIN else str(one.path): reports[one.path]
        for one in found
        if one.was_named or one.path.resolve() not in parts
    }


def _standard_input() -> bytes:
    return sys.stdin.buffer.read(LARGEST_FILE + 1)
