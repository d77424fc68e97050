"""Answers that the command line gives to calls of a paused run, before it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from agency_cli.errors import UsageError
from agency_cli.events import ApprovalAsked, ApprovalDecided

ALL = "all"
"""Stands for every call that waits."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The options `--approve`, `--deny`, `--reason` and `--answer`, as given."""

    approve: Sequence[str] = ()
    deny: Sequence[str] = ()
    reason: str | None = None
    answer: Sequence[str] = ()

    def decisions(self, waiting: Sequence[ApprovalAsked], run_id: str) -> list[ApprovalDecided]:
        """Return what they decide.

        Args:
            waiting: The questions that nobody has answered.
            run_id: The run.

        Raises:
            UsageError: No such call waits, one is answered in two ways, or not as it can be, or a
                reason is given for nothing.
        """
        if self.reason is not None and not self.deny:
            raise UsageError("--reason says why a call is denied; give --deny CALL with it")
        texts = dict(_texts(self.answer, waiting, run_id))
        agreeable = [question for question in waiting if not question.is_question]
        approved = {*_calls(self.approve, agreeable, run_id), *texts}
        denied = set(_calls(self.deny, waiting, run_id))
        if both := approved & denied:
            raise UsageError(f"call {min(both)} is both approved and denied; do one of them")
        return [
            ApprovalDecided(
                node_id=question.node_id,
                call=question.call,
                approved=question.call in approved,
                by="option",
                at=datetime.now(UTC),
                reason="" if question.call in approved else self.reason or "",
                answer=texts.get(question.call, ""),
            )
            for question in waiting
            if question.call in approved | denied
        ]


def _texts(
    wanted: Sequence[str], waiting: Sequence[ApprovalAsked], run_id: str
) -> Iterator[tuple[str, str]]:
    """Yield the questions that are answered, and with what."""
    questions = {question.call for question in waiting if question.is_question}
    for text in wanted:
        call, equals, answer = text.partition("=")
        if not equals or not answer.strip():
            raise UsageError(f"--answer {text[:80]!r}: write CALL=TEXT, such as 1a2b3c4d='Blue'")
        if call not in questions:
            known = ", ".join(sorted(questions)) or "none"
            raise UsageError(f"no question {call!r} of run {run_id} waits; those that do: {known}")
        yield call, answer


def _calls(wanted: Sequence[str], waiting: Sequence[ApprovalAsked], run_id: str) -> Iterator[str]:
    calls = [question.call for question in waiting]
    for text in wanted:
        if text == ALL:
            yield from calls
        elif text in calls:
            yield text
        else:
            known = ", ".join(calls) or "none"
            raise UsageError(
                f"no call {text!r} of run {run_id} waits for approval; those that do: {known}"
                " (a question is answered with --answer CALL=TEXT)"
            )
