"""The live tree: redrawn on a timer while a run goes on, left whole on the terminal at its end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.text import Text

from agency_cli.calltree import CallTree
from agency_cli.events import Event, Notice
from agency_cli.rendering.frames import Moment, final_lines, frame_lines
from agency_cli.rendering.glyphs import glyphs_for
from agency_cli.rendering.outline import outline_of
from agency_cli.rendering.redrawing import Redrawn
from agency_cli.rendering.sheets import Sheet

FRAMES_PER_SECOND = 8
WIDEST = 120
"""A line longer than this is hard to follow from a name at its left to a figure at its right."""


def terminal(stream: TextIO, environ: Mapping[str, str]) -> Console:
    """Return a console for a stream that is a terminal; nothing printed on it is markup."""
    return Console(
        file=stream,
        force_terminal=True,
        markup=False,
        emoji=False,
        highlight=False,
        _environ=environ,
    )


def sheet_of(console: Console) -> Sheet:
    """Return what can be drawn on the console as it is now; its window may change."""
    encoding = console.encoding
    return Sheet(min(console.width, WIDEST), glyphs_for(encoding), encoding)


def moment_of(tree: CallTree, notices: Sequence[str], *, verbose: bool) -> Moment:
    """Return a run as it stands now."""
    started, ended = tree.started, tree.ended
    return Moment(
        agency=started.agency if started else "",
        run_id=started.run_id if started else "",
        status=ended.status if ended else "running",
        root=outline_of(tree, datetime.now(UTC), verbose=verbose),
        totals=tree.totals,
        notices=tuple(notices),
    )


def print_whole(moment: Moment, console: Console, *, verbose: bool) -> None:
    """Draw a whole run, once."""
    for line in final_lines(moment, sheet_of(console), verbose=verbose):
        console.print(line)


class LiveWatcher:
    """Draws the call tree of a run on a terminal."""

    def __init__(
        self,
        tree: CallTree,
        *,
        stderr: TextIO,
        stdout: TextIO,
        environ: Mapping[str, str],
        verbose: bool,
    ) -> None:
        self._tree = tree
        self._verbose = verbose
        self._notices: list[str] = []
        # The events come in the event loop's thread, the frames are drawn in one of Rich's.
        self._lock = Lock()
        self._console = terminal(stderr, environ)
        # What a tool prints would tear the drawing; this puts it above.
        self._redirect = (stdout is sys.stdout and stdout.isatty(), stderr is sys.stderr)
        self._environ = environ
        self._live = self._drawing()

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()
        print_whole(self._moment(), self._console, verbose=self._verbose)

    def on_event(self, event: Event) -> None:
        with self._lock:
            self._tree.add(event)
            if isinstance(event, Notice):
                self._notices.append(event.text)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        self._live.stop()
        try:
            yield
        finally:
            # A new one knows nothing of where the last frame stood.
            self._live = self._drawing()
            self._live.start()

    def frame(self) -> list[Text]:
        """Return the lines that the terminal shows now."""
        return frame_lines(
            self._moment(),
            sheet_of(self._console),
            # The cursor waits below the frame.
            height=max(self._console.height - 1, 1),
            tick=int(time.monotonic() * FRAMES_PER_SECOND),
        )

    def _drawing(self) -> Redrawn:
        return Redrawn(
            self.frame,
            console=self._console,
            per_second=FRAMES_PER_SECOND,
            redirect=self._redirect,
            environ=self._environ,
        )

    def _moment(self) -> Moment:
        with self._lock:
            return moment_of(self._tree, self._notices, verbose=self._verbose)
