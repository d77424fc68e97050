"""Who answers when a call must be agreed to, and what was answered."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from agency_cli.events import ApprovalAsked, ApprovalDecided, DecidedBy

Subject = tuple[str, str]
"""Key of the agent that calls, and the name of what it calls."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said to a call; `always` holds for all of the agent's calls of it in the run.

    `text` is the answer to a question.
    """

    approved: bool
    reason: str = ""
    always: bool = False
    text: str = ""


Ask = Callable[[ApprovalAsked], Awaitable[Answer | None]]
"""Asks a person about one call; None leaves it for later."""


def call_name(node_id: str) -> str:
    """Return the short name of a call; it is the same in each attempt of a run."""
    return hashlib.sha256(node_id.encode(errors="surrogatepass")).hexdigest()[:8]


@dataclass
class Approvals:
    """The approvals of one run.

    Attributes:
        ask: Asks a person; None where nobody can be asked.
        standing: The answer that the command line gives to every question, if it does.
        turn: Held while a person is asked: one question at a time.
    """

    ask: Ask | None = None
    standing: Answer | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiting: list[ApprovalAsked] = field(default_factory=list)
    _decided: dict[str, ApprovalDecided] = field(default_factory=dict)
    _always: set[Subject] = field(default_factory=set)

    def decision_on(self, node_id: str) -> ApprovalDecided | None:
        """Return what was decided of a call; in an earlier attempt of the run, it may be."""
        return self._decided.get(node_id)

    def ready_answer(
        self, subject: Subject, *, is_question: bool
    ) -> tuple[Answer, DecidedBy] | None:
        """Return the answer to a call for which nobody need be asked."""
        if is_question:
            # To agree to all is no answer to a question.
            refused = self.standing is not None and not self.standing.approved
            return (self.standing, "option") if self.standing and refused else None
        if subject in self._always:
            return Answer(approved=True), "earlier"
        return None if self.standing is None else (self.standing, "option")

    def note(self, decided: ApprovalDecided, subject: Subject) -> None:
        """Remember a decision."""
        self._decided[decided.node_id] = decided
        if decided.always:
            self._always.add(subject)

    def wait_for(self, question: ApprovalAsked) -> None:
        """Remember that a branch waits for the answer to a question."""
        self._waiting.append(question)

    def what_waits(self) -> str:
        """Return what the run waits for, as a sentence."""
        if len(self._waiting) == 1:
            (question,) = self._waiting
            if question.is_question:
                return f"paused: a question of {question.agent} waits for an answer"
            return f"paused: {question.agent}'s call of {question.subject} waits for approval"
        kinds = {question.is_question for question in self._waiting}
        if kinds == {True}:
            return f"paused: {len(self._waiting)} questions wait for answers"
        wanted = "approval" if kinds == {False} else "approval, or an answer"
        return f"paused: {len(self._waiting)} calls wait for {wanted}"

    def note_past(self, decisions: Iterable[tuple[ApprovalDecided, Subject]]) -> None:
        """Remember the decisions of the run's earlier attempts."""
        for decided, subject in decisions:
            self.note(decided, subject)
