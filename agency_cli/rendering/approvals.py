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
LONGEST_LINE = 500
"""Characters of each line that a question shows unless the person wants to see all of them."""
_BY = {"person": "", "option": " by an option", "earlier": " by an earlier answer"}


def question_lines(question: ApprovalAsked, *, whole: bool = False) -> Iterator[Line]:
    """Yield what an agent wants to do, or to know; `whole` cuts nothing."""
    if question.is_question:
        text, choices = asked(question)
        yield Line(f"{question.agent} asks:", "bold")
        yield from (Line(f"  {line}") for line in lines_of(text))
        yield from (Line(f"  {place}) {one_line(each)}") for place, each in enumerate(choices, 1))
        return
    yield Line(f"{question.agent} wants to call {one_line(question.subject)}", "bold")
    for lines in _arguments(question.arguments):
        # Each is cut by itself: a long one hides no other.
        shown = lines if whole else lines[:MOST_LINES]
        yield from (Line(f"  {line if whole else _cut(line)}") for line in shown)
        if len(shown) < len(lines):
            yield Line(f"    … {len(lines) - len(shown):,} more lines; `v` shows them", "dim")


def asked(question: ApprovalAsked) -> tuple[str, list[str]]:
    """Return the text of a question, and the answers to choose from."""
    try:
        values = json.loads(question.arguments)
        text, choices = str(values["question"]), values.get("choices") or []
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return question.arguments, []
    return text, [str(each) for each in choices] if isinstance(choices, list) else []


def is_cut(question: ApprovalAsked) -> bool:
    """Tell whether a question does not show all of the arguments."""
    return any(
        len(lines) > MOST_LINES or any(len(line) > LONGEST_LINE for line in lines)
        for lines in _arguments(question.arguments)
    )


def _cut(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return line if more <= 0 else f"{line[:LONGEST_LINE]}… {more:,} more characters; `v` shows them"


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
    if decided.answer:
        return f"answered{_BY[decided.by]}: {one_line(decided.answer)}"
    word = "approved" if decided.approved else "denied"
    return f"{word}{_BY[decided.by]}" + (f": {one_line(decided.reason)}" if decided.reason else "")


def waiting_lines(questions: Sequence[ApprovalAsked], resume: str) -> Iterator[Line]:
    """Yield which calls of a paused run wait for a person, and how to answer.

    Args:
        questions: The questions.
        resume: The command that goes on with the run.
    """
    calls = [question for question in questions if not question.is_question]
    asking = [question for question in questions if question.is_question]
    for title, group in (("waiting for approval:", calls), ("waiting for an answer:", asking)):
        if group:
            yield Line(title, "bold")
        for question in group:
            yield Line(f"  {question.call}  {question.agent}: {_about(question)}")
    yield Line("to answer:")
    if calls:
        yield Line(f"  {resume} --approve {calls[0].call}")
        yield Line(f"  {resume} --deny {calls[0].call} --reason 'Why not'")
    if len(calls) > 1:
        yield Line(f"  {resume} --approve all")
    if asking:
        answers = " ".join(f"--answer {question.call}='The answer'" for question in asking)
        yield Line(f"  {resume} {answers}")


def _about(question: ApprovalAsked) -> str:
    if not question.is_question:
        return f"{one_line(question.subject)} {arguments_line(question.arguments)}".rstrip()
    text, choices = asked(question)
    return one_line(text) + (f" ({', '.join(map(one_line, choices))})" if choices else "")


def print_waiting(
    questions: Sequence[ApprovalAsked], resume: str, stream: TextIO, environ: Mapping[str, str]
) -> None:
    """Write which calls wait for approval, and how to answer."""
    print_lines(waiting_lines(questions, resume), stream, environ)
