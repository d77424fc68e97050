"""Asking the person at the terminal whether an agent may do what it wants to do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from agency_cli.events import ApprovalAsked
from agency_cli.rendering.approvals import asked, is_cut, question_lines
from agency_cli.rendering.output import print_text
from agency_cli.rendering.summary import Line, print_lines
from agency_cli.rendering.watching import RunWatcher

if TYPE_CHECKING:
    # With it comes the SDK, which takes long to import.
    from agency_cli.run_context import Answer, Approvals

DENIED = "the person who started the run allows no such calls"
"""What a model is told where `--deny` answers for everything."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What `--yes` and `--deny` say to every question; at most one of them is given."""

    yes: bool = False
    deny: bool = False


@dataclass(frozen=True)
class Terminal:
    """Where questions are asked.

    Attributes:
        stdin: Where answers are typed.
        stderr: Where questions are written.
        environ: Says what the terminal can do.
        watcher: Draws nothing while a question stands.
        stop: Called where the person presses Ctrl-C at a question.
    """

    stdin: TextIO
    stderr: TextIO
    environ: Mapping[str, str]
    watcher: RunWatcher
    stop: Callable[[], object]

    async def ask(self, question: ApprovalAsked) -> Answer | None:
        """Ask until there is an answer; None leaves the call for later."""
        with self.watcher.suspended():
            print_text("", self.stderr)
            self._show(question, whole=False)
            _forget_keys(self.stdin)
            while True:
                try:
                    text = await _line(self._prompt(question), self.stdin, self.stderr)
                except EOFError:
                    return None
                except KeyboardInterrupt:
                    self.stop()
                    return None
                if question.is_question and (said := _chosen(question, text)):
                    return _said(said)
                if text.strip() in {"l", "later"}:
                    return None
                if text.strip() in {"v", "view"}:
                    self._show(question, whole=True)
                elif not question.is_question and (answer := await self._answer(text)):
                    return answer

    async def _answer(self, text: str) -> Answer | None:
        """Return what a line means; None where it means nothing."""
        from agency_cli.run_context import Answer  # noqa: PLC0415 - with it comes the SDK

        word, _, rest = text.strip().partition(" ")
        match word.casefold():
            case "y" | "yes":
                return Answer(approved=True)
            case "a" | "always":
                return Answer(approved=True, always=True)
            case "n" | "no":
                try:
                    reason = rest or await _line("why not? ", self.stdin, self.stderr)
                except (EOFError, KeyboardInterrupt):
                    reason = ""
                return Answer(approved=False, reason=reason.strip())
            case _:
                return None

    def _show(self, question: ApprovalAsked, *, whole: bool) -> None:
        print_lines(question_lines(question, whole=whole), self.stderr, self.environ)
        if question.is_question:
            rest = "type the answer, or its number" if asked(question)[1] else "type the answer"
            print_lines(
                [Line(f"{rest}; Ctrl-D leaves it for later", "dim")], self.stderr, self.environ
            )
            self.stderr.flush()
            return
        always = f"(a)lways: all calls of {question.subject} by {question.agent} in this run"
        print_lines([Line(f"(y)es, (n)o, (l)ater, {always}", "dim")], self.stderr, self.environ)
        self.stderr.flush()

    def _prompt(self, question: ApprovalAsked) -> str:
        if question.is_question:
            return "answer? "
        return "y/n/a/l/v? " if is_cut(question) else "y/n/a/l? "


def _chosen(question: ApprovalAsked, text: str) -> str:
    """Return the answer that a line is; a number stands for the choice at that place."""
    _, choices = asked(question)
    said = text.strip()
    if said.isdecimal() and 1 <= int(said) <= len(choices):
        return choices[int(said) - 1]
    return said


def _said(text: str) -> Answer:
    from agency_cli.run_context import Answer  # noqa: PLC0415 - with it comes the SDK

    return Answer(approved=True, text=text)


def approvals_of(
    standing: Standing,
    watcher: RunWatcher,
    stop: Callable[[], object],
    environ: Mapping[str, str],
) -> Approvals:
    """Return who agrees to the calls of a run: an option, the person at the terminal, or nobody."""
    from agency_cli.run_context import Answer, Approvals  # noqa: PLC0415 - with it comes the SDK

    answer = None
    if standing.yes or standing.deny:
        answer = Answer(approved=standing.yes, reason="" if standing.yes else DENIED)
    stdin = sys.stdin
    if stdin is None or not stdin.isatty() or not sys.stderr.isatty():
        return Approvals(standing=answer)
    ask = Terminal(stdin, sys.stderr, environ, watcher, stop).ask
    return Approvals(ask=ask, standing=answer)


async def _line(prompt: str, stdin: TextIO, stderr: TextIO) -> str:
    """Read one line; a second loop in a thread would outlive a question that is taken back."""
    from prompt_toolkit import PromptSession  # noqa: PLC0415 - only for a person
    from prompt_toolkit.input import create_input  # noqa: PLC0415 - see above
    from prompt_toolkit.output.defaults import create_output  # noqa: PLC0415 - see above

    session: PromptSession[str] = PromptSession(
        input=create_input(stdin), output=create_output(stderr)
    )
    text = await session.prompt_async(prompt)
    # Bytes that are no text come as half characters, which nothing can send on.
    return text.encode("utf-8", "replace").decode()


def _forget_keys(stdin: TextIO) -> None:
    """Throw away what was typed before the question stood there: it was no answer to it."""
    if sys.platform == "win32":
        return
    import termios  # noqa: PLC0415 - not on Windows

    termios.tcflush(stdin, termios.TCIFLUSH)
