"""The watcher behind `--jsonl`: each event is a line of JSON, as it happens."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self, TextIO

from agency_cli.calltree import CallTree
from agency_cli.event_json import event_json
from agency_cli.events import Event
from agency_cli.rendering.run_json import print_json


class JsonlWatcher:
    """Writes the events of a run to a stream."""

    def __init__(self, tree: CallTree, stdout: TextIO) -> None:
        self._tree = tree
        self._stdout = stdout
        self._read = True

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
        if not self._read:
            return
        try:
            print_json(event_json(event), self._stdout)
            self._stdout.flush()
        except BrokenPipeError:
            # The reader went away. An error here would come up inside a tool or a model call;
            # the command finds out for itself when it writes the last line.
            self._read = False

    def suspended(self) -> AbstractContextManager[None]:
        # Nobody is asked on the standard output.
        return nullcontext()
