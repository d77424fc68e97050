"""A run in plain lines, as things begin and end: for logs, pipes and simple terminals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TextIO

from agency_cli.calltree import CallTree, Node
from agency_cli.events import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    NodeEnded,
    NodeStarted,
    Notice,
    RunStarted,
    Status,
)
from agency_cli.reminder import without_reminder
from agency_cli.rendering.approvals import decision
from agency_cli.rendering.figures import counted, duration, whole_cost
from agency_cli.rendering.glyphs import UNICODE, glyphs_for
from agency_cli.rendering.outline import recipient_of
from agency_cli.rendering.output import print_text
from agency_cli.rendering.printable import arguments_line, lines_of, one_line

_WHOLE = 2_000
_WORDS: dict[Status, str] = {
    "running": "running",
    "ok": "ok",
    "error": "failed",
    "limit": "stopped by a limit",
    "cancelled": "cancelled",
    "paused": "paused",
}


class PlainWatcher:
    """Writes a line when something begins and when it ends; each says what it is about."""

    def __init__(self, tree: CallTree, stderr: TextIO, *, verbose: bool) -> None:
        self._tree = tree
        self._stderr = stderr
        self._verbose = verbose
        self._glyphs = glyphs_for(stderr.encoding or "utf-8")
        self._read = True
        self._held: list[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass

    def on_event(self, event: Event) -> None:
        self._tree.add(event)
        match event:
            case RunStarted():
                self._write(f"{one_line(event.agency)}: run {event.run_id}")
            case NodeStarted():
                self._started(self._tree.nodes[event.id])
            case NodeEnded():
                self._ended(self._tree.nodes[event.id])
            case ApprovalAsked():
                self._asked(self._tree.nodes[event.node_id], event)
            case ApprovalDecided():
                node = self._tree.nodes[event.node_id]
                self._write(f"{_indent(node)}{node.agent}: {one_line(node.name)} {decision(event)}")
            case Notice():
                self._write(f"note: {one_line(event.text, _WHOLE)}")
            case _:
                pass

    @contextmanager
    def suspended(self) -> Iterator[None]:
        self._held = []
        try:
            yield
        finally:
            held, self._held = self._held, None
            for line in held:
                self._write(line)

    def _asked(self, node: Node, question: ApprovalAsked) -> None:
        about = f"{one_line(node.name)} waits for approval as {question.call}"
        self._write(f"{_indent(node)}{node.agent}: {about}")

    def _started(self, node: Node) -> None:
        indent = _indent(node)
        if node.kind == "agent":
            self._write(indent + _beginning(node))
            self._write_whole(indent, "given", _given_to(node))
        elif node.kind == "tool":
            self._write(f"{indent}{node.agent} calls {_call(node)}")
            self._write_whole(indent, "arguments", node.detail)

    def _ended(self, node: Node) -> None:
        indent = _indent(node)
        match node.kind:
            case "agent":
                self._write(f"{indent}{node.agent} {self._outcome(node)}")
            case "tool":
                self._write(f"{indent}{node.agent}: {one_line(node.name)} {self._outcome(node)}")
            case "model" if self._verbose or node.status == "error":
                self._write(f"{indent}{node.agent}: call of {node.name} {self._outcome(node)}")
            case "message" if _failed_alone(node):
                self._write(f"{indent}{node.agent}: {node.name} {self._outcome(node)}")
            case _:
                return
        self._write_whole(indent, "gave", node.output)

    def _outcome(self, node: Node) -> str:
        """Return how a node ended, what it used, how long it took, and why it failed."""
        figures = ", ".join(self._figures(node))
        text = f"{_WORDS[node.status]} ({figures})"
        if not node.error or node.status in {"cancelled", "paused"}:
            return text
        if any(
            below.error and below.error in node.error for below in node.walk() if below is not node
        ):
            # It was told where it happened.
            return text
        return f"{text}: {one_line(node.error, _WHOLE)}"

    def _figures(self, node: Node) -> Iterator[str]:
        totals = node.totals
        if totals.usage.total_tokens:
            if node.kind == "agent":
                yield from _models_of(node)
                yield counted(totals.turns, "turn")
            yield counted(totals.usage.total_tokens, "token")
            yield whole_cost(totals, at_least=self._glyphs.at_least)
        yield duration(node.seconds or 0)

    def _write_whole(self, indent: str, label: str, text: str) -> None:
        if self._verbose and text.strip():
            for line in lines_of(text.strip()):
                self._write(f"{indent}  {label}: {line}")

    def _write(self, line: str) -> None:
        if self._held is not None:
            self._held.append(line)
            return
        if not self._read:
            return
        try:
            print_text(line.replace(UNICODE.ellipsis, self._glyphs.ellipsis), self._stderr)
            self._stderr.flush()
        except BrokenPipeError:
            # The reader went away; an error here would come up inside a tool or a model call.
            self._read = False


def _indent(node: Node) -> str:
    """Return two blanks for each agent above: an agent that takes over stands beside the other."""
    depth = sum(
        1 if place.kind == "agent" else -1 if place.kind == "handoff" else 0
        for place in node.ancestors()
    )
    return "  " * depth


def _beginning(node: Node) -> str:
    above = node.parent
    if above is not None and above.kind == "handoff":
        return f"{above.agent} hands over to {node.agent}"
    about = one_line(_given_to(node))
    if above is not None and above.kind == "message":
        return f"{node.agent} starts, asked by {above.agent}: {about}"
    return f"{node.agent} starts: {about}"


def _given_to(node: Node) -> str:
    return node.parent.detail if node.parent is not None else without_reminder(node.detail)


def _call(node: Node) -> str:
    return f"{one_line(node.name)} {arguments_line(node.detail)}".rstrip()


def _failed_alone(node: Node) -> bool:
    """Tell whether a message failed where its recipient did not, or reached nobody."""
    recipient = recipient_of(node)
    return node.status != "ok" and (recipient is None or recipient.status != node.status)


def _told_below(node: Node, error: str) -> bool:
    """Tell whether an error only passes on what was told where it happened."""
    return any(below.error and below.error in error for below in node.walk() if below is not node)


def _models_of(node: Node) -> Iterator[str]:
    yield from dict.fromkeys(call.name for call in node.children if call.kind == "model")
