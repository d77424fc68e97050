"""Questions to a person: what an agent wants to do, and how to answer when nobody was there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from agency_cli.events import ApprovalAsked, ApprovalDecided
from agency_cli.rendering.printable import arguments_line, lines_of, one_line
from agency_cli.rendering.summary import Line, print_lines

MOST_LINES = 15
"""Lines of each argument that a question shows unless the person wants to see all of them."""
_BY = {"person": "", "option": " by an option", "earlier": " by an earlier answer"}


def question_lines(question: ApprovalAsked, *, whole: bool = False) -> Iterator[Line]:
    """Yield what an agent wants to do; `whole` cuts nothing."""
    yield Line(f"{question.agent} wants to call {one_line(question.subject)}", "bold")
    for lines in _arguments(question.arguments):
        # Each is cut by itself: a long one hides no other.
        shown = lines if whole else lines[:MOST_LINES]
        yield from (Line(f"  {line}") for line in shown)
        if len(shown) < len(lines):
            yield Line(f"    … {len(lines) - len(shown):,} more lines; `v` shows them", "dim")


def is_cut(question: ApprovalAsked) -> bool:
    """Tell whether a question does not show all of the arguments."""
    return any(len(lines) > MOST_LINES for lines in _arguments(question.arguments))


def _arguments(arguments: str) -> Iterator[list[str]]:
    """Yield the lines of each argument of a call, the first of them with its name."""
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        yield lines_of(arguments)
        return
    for name, value in values.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        first, *rest = lines_of(text.rstrip("\n"))
        label = one_line(name)
        yield (
            [f"{label}:", *(f"  {line}" for line in (first, *rest))]
            if rest
            else [f"{label}: {first}"]
        )


def decision(decided: ApprovalDecided) -> str:
    """Return a decision in words."""
    word = "approved" if decided.approved else "denied"
    return f"{word}{_BY[decided.by]}" + (f": {one_line(decided.reason)}" if decided.reason else "")


def waiting_lines(questions: Sequence[ApprovalAsked], resume: str) -> Iterator[Line]:
    """Yield which calls of a paused run wait for approval, and how to answer.

    Args:
        questions: The questions.
        resume: The command that goes on with the run.
    """
    yield Line("waiting for approval:", "bold")
    for question in questions:
        about = f"{one_line(question.subject)} {arguments_line(question.arguments)}".rstrip()
        yield Line(f"  {question.call}  {question.agent}: {about}")
    call = questions[0].call
    yield Line("to answer:")
    yield Line(f"  {resume} --approve {call}")
    yield Line(f"  {resume} --deny {call} --reason 'Why not'")
    if len(questions) > 1:
        yield Line(f"  {resume} --approve all")


def print_waiting(
    questions: Sequence[ApprovalAsked], resume: str, stream: TextIO, environ: Mapping[str, str]
) -> None:
    """Write which calls wait for approval, and how to answer."""
    print_lines(waiting_lines(questions, resume), stream, environ)
