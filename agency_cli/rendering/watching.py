"""Watchers of a run: each takes in the events, and shows them in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Literal, Protocol, Self, TextIO

from agency_cli.calltree import CallTree
from agency_cli.events import Event

WatcherKind = Literal["tree", "quiet", "jsonl"]


class RunWatcher(Protocol):
    """Shows a run from `with` to its end, and folds its events into the call tree."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def on_event(self, event: Event) -> None:
        """Take in one event; returns at once, and never raises."""

    def suspended(self) -> AbstractContextManager[None]:
        """Leave the terminal to something else for a while; what happens is shown afterwards."""


def make_watcher(
    kind: WatcherKind,
    *,
    tree: CallTree,
    stderr: TextIO,
    stdout: TextIO,
    environ: Mapping[str, str],
    verbose: bool = False,
) -> RunWatcher:
    """Return a watcher.

    Args:
        kind: `tree` draws the call tree on stderr, or writes plain lines where that is no
            terminal; `jsonl` writes each event as a line of JSON on stdout; `quiet` shows nothing.
        tree: The call tree that the watcher folds the events into.
        stderr: Where a tree is shown.
        stdout: Where JSON goes.
        environ: Says what the terminal can do.
        verbose: Show model calls and whole texts too.
    """
    # Each is imported only where it is used: Rich takes long, JSON of events is rarely wanted.
    match kind:
        case "quiet":
            return QuietWatcher(tree)
        case "jsonl":
            from agency_cli.rendering.jsonl import JsonlWatcher  # noqa: PLC0415 - see above

            return JsonlWatcher(tree, stdout)
        case "tree" if can_draw(stderr, environ):
            from agency_cli.rendering.live import LiveWatcher  # noqa: PLC0415 - see above

            return LiveWatcher(tree, stderr=stderr, stdout=stdout, environ=environ, verbose=verbose)
        case "tree":
            from agency_cli.rendering.plain import PlainWatcher  # noqa: PLC0415 - see above

            return PlainWatcher(tree, stderr, verbose=verbose)


def can_draw(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Tell whether the stream is a terminal on which colours are welcome and lines can move."""
    return (
        stream.isatty()
        and not environ.get("NO_COLOR")
        and environ.get("TERM", "").lower() not in {"dumb", "unknown"}
    )


class QuietWatcher:
    """Shows nothing."""

    def __init__(self, tree: CallTree) -> None:
        self._tree = tree

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

    def suspended(self) -> AbstractContextManager[None]:
        return nullcontext()
