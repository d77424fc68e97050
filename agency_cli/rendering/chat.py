"""What a chat shows: answers and replies on stdout; trees, figures, notes and errors on stderr."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from agency_cli.calltree import CallTree, Totals
from agency_cli.rendering.answer import print_answer
from agency_cli.rendering.approvals import print_waiting
from agency_cli.rendering.figures import counted, duration, tokens, whole_cost
from agency_cli.rendering.glyphs import Glyphs, glyphs_for
from agency_cli.rendering.output import print_error, print_text, printable
from agency_cli.rendering.printable import one_line
from agency_cli.rendering.summary import Line, cost_lines, print_lines
from agency_cli.rendering.watching import RunWatcher, make_watcher

_WIDEST = 100


@dataclass(frozen=True)
class Screen:
    """The two streams that a chat writes to, and what the environment says of the terminal."""

    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]

    @property
    def is_terminal(self) -> bool:
        """Whether a person sees what is said about the chat."""
        return self.stderr.isatty()

    def show_greeting(self, agency: str, agents: int, thread_id: str | None) -> None:
        """Write whom the person talks with, and where help is."""
        on_thread = f", thread {thread_id}" if thread_id else ""
        about = f"{one_line(agency)}: {counted(agents, 'agent')}{on_thread}"
        self._tell(Line(f"{about} (/help for help, Ctrl-D to leave)", "dim"))
        self._space()

    def watcher(self, tree: CallTree, *, quiet: bool, verbose: bool) -> RunWatcher:
        """Return what shows a run while it goes on."""
        return make_watcher(
            "quiet" if quiet else "tree",
            tree=tree,
            stdout=self.stdout,
            stderr=self.stderr,
            environ=self.environ,
            verbose=verbose,
        )

    def show_result(self, tree: CallTree, *, quiet: bool) -> None:
        """Write the answer, if there is one, and what it took in one line."""
        if tree.ended is None:
            return
        answer = tree.ended.final_output
        if answer is not None and self.stdout.isatty():
            self._space()
            answer = answer.strip("\n")
        if answer is not None:
            print_answer(answer, self.stdout, self.environ)
            self.stdout.flush()
        if not quiet:
            self._space()
            self._tell(Line(figures(tree, self._glyphs), "dim"))
        self._space()

    def show_waiting(self, tree: CallTree, resume: str) -> None:
        """Write which calls of a run wait for approval, and how to answer."""
        print_waiting(tree.waiting(), resume, self.stderr, self.environ)

    def show_table(self, rows: Sequence[tuple[str, str]]) -> None:
        """Write rows of a name and what there is to say about it, wrapped on a terminal."""
        width = min(shutil.get_terminal_size().columns, _WIDEST) if self.stdout.isatty() else None
        self.show_lines(Line(text) for text in table(rows, width))

    def show_costs(self, models: Mapping[str, Totals], agents: Mapping[str, Totals]) -> None:
        """Write what all runs used together."""
        if models:
            self.show_lines(cost_lines(models, agents, glyphs_for(self.stdout.encoding or "utf-8")))
        else:
            self.show_lines([Line("nothing was spent yet")])

    def show_lines(self, lines: Iterable[Line]) -> None:
        """Write the reply to a command."""
        print_lines(lines, self.stdout, self.environ)
        self.stdout.flush()
        self._space()

    def show_way_back(self, thread_id: str, command: str) -> None:
        """Write how to go on with a thread."""
        self.show_note(f"thread {thread_id}; to go on with it:")
        self.show_note(f"  {command}")

    def show_note(self, text: str) -> None:
        """Write one line that a person should know."""
        self._tell(Line(printable(text), "dim"))

    def show_error(self, message: str) -> None:
        """Write why something was not done."""
        print_error(message, self.stderr)
        self._space()

    @property
    def _glyphs(self) -> Glyphs:
        return glyphs_for(self.stderr.encoding or "utf-8")

    def _tell(self, line: Line) -> None:
        print_lines([line], self.stderr, self.environ)
        self.stderr.flush()

    def _space(self) -> None:
        """Keep things apart where a person looks at them."""
        if self.is_terminal:
            print_text("", self.stderr)
            self.stderr.flush()


def figures(tree: CallTree, glyphs: Glyphs) -> str:
    """Return seconds, tokens and cost of a run that has ended."""
    usage = tree.totals.usage
    parts = [duration(tree.ended.seconds)] if tree.ended else []
    if tree.ended and tree.ended.status == "cancelled":
        parts.insert(0, "stopped")
    if usage.total_tokens:
        parts.append(f"{tokens(usage.total_tokens)} tokens")
        parts.append(whole_cost(tree.totals, at_least=glyphs.at_least))
    return glyphs.dot.join(parts)


def table(rows: Sequence[tuple[str, str]], width: int | None) -> Iterator[str]:
    """Yield lines of two columns, the second one wrapped to `width` if there is one."""
    shown = [(printable(name), one_line(about, 1_000)) for name, about in rows]
    left = max((len(name) for name, _ in shown), default=0) + 2
    for name, about in shown:
        if width is None or width - left < _WIDEST // 5:
            yield f"{name:{left}}{about}".rstrip()
            continue
        first, *rest = textwrap.wrap(about, width - left) or [""]
        yield f"{name:{left}}{first}".rstrip()
        yield from (f"{'':{left}}{line}" for line in rest)
