"""What a guardrail's declaration must say."""

from __future__ import annotations

from collections.abc import Iterator

from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.manifest import RegexGuardrail


def sound_expressions(subject: Subject) -> Iterator[Problem]:
    """The regular expression of a guardrail is one."""
    for key, guardrail in subject.manifest.guardrails.items():
        if isinstance(guardrail, RegexGuardrail):
            import regex  # noqa: PLC0415 - only where there is one

            try:
                regex.compile(guardrail.regex)
            except regex.error as error:
                what = f"this is no regular expression: {error}"
                path: Path = ("guardrails", key, "regex")
                yield Problem(code="bad-regex", message=what, path=path)


def retries_of_answers(subject: Subject) -> Iterator[Problem]:
    """Only what a model gives can be asked for again; what it was asked cannot."""
    for key, guardrail in subject.manifest.guardrails.items():
        if guardrail.applies_to == "input" and guardrail.action == "retry":
            what = "nobody can be asked to put the input again; use block or warn"
            path: Path = ("guardrails", key, "action")
            yield Problem(code="retry-of-input", message=what, path=path)
