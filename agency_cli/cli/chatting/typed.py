"""Lines that a person types: a prompt with history and completion, answers that Ctrl-C stops."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output
from prompt_toolkit.output.defaults import create_output

from agency_cli.cli.chatting.completing import Vocabulary, WordCompleter
from agency_cli.cli.chatting.keyboard import quiet_keyboard
from agency_cli.errors import Interrupted
from agency_cli.rendering.chat import Screen

HINT = "Ctrl-D leaves the chat"
"""For a person who presses Ctrl-C where there is nothing to stop."""


class TypedLines:
    """Asks a person for one line after the other, on a terminal.

    Enter sends, Alt-Enter or Ctrl-J adds a line; text that is pasted stays one message.
    """

    is_person = True

    def __init__(
        self,
        screen: Screen,
        vocabulary: Vocabulary,
        history: Path,
        *,
        keyboard: Input | None = None,
        output: Output | None = None,
    ) -> None:
        """Prepare the prompt.

        Args:
            screen: Where hints are shown.
            vocabulary: What can be completed.
            history: File of what was typed before.
            keyboard: Where keys come from; None is the terminal.
            output: Where the prompt is drawn; None is the standard error.
        """
        self._screen = screen
        # Answers may go into a file; what is typed belongs beside the tree.
        self._session: PromptSession[str] = PromptSession(
            history=_history(history),
            completer=WordCompleter(vocabulary),
            complete_while_typing=Condition(self._types_word),
            multiline=True,
            key_bindings=self._keys(),
            prompt_continuation=lambda width, _line, _wrapped: " " * width,
            input=keyboard,
            output=output or create_output(sys.stderr),
            enable_suspend=True,
        )
        self._empty_interrupts = 0

    async def line(self, agent: str) -> str | None:
        """Return what the person sends to `agent`; None where they leave."""
        self._empty_interrupts = 0
        try:
            text = await self._session.prompt_async([("bold", agent), ("", " > ")])
        except EOFError:
            return None
        # Bytes that are no text come as half characters, which nothing can send on.
        return text.encode("utf-8", "replace").decode()

    async def attend(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work of one line; Ctrl-C stops it, a second one ends the chat."""
        with quiet_keyboard(sys.stdin):
            stopped = await _is_stopped(work)
        if stopped:
            self._screen.show_note("stopped")

    def _types_word(self) -> bool:
        """Tell whether what is typed may be completed: a menu needs room below the prompt."""
        return self._session.default_buffer.text.startswith(("/", "@"))

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def _send(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.complete_state is not None and buffer.complete_state.current_completion:
                buffer.complete_state = None
            else:
                buffer.validate_and_handle()

        @keys.add("escape", "enter")
        @keys.add("c-j")
        def _new_line(event: KeyPressEvent) -> None:
            event.current_buffer.newline(copy_margin=False)

        @keys.add("c-c")
        @keys.add("<sigint>")
        def _clear(event: KeyPressEvent) -> None:
            if event.current_buffer.text:
                event.current_buffer.reset()
                self._empty_interrupts = 0
                return
            self._empty_interrupts += 1
            if self._empty_interrupts > 1:
                run_in_terminal(lambda: self._screen.show_note(HINT))

        return keys


def _history(path: Path) -> History:
    """Return what was typed before; where the file cannot be used, only this chat is remembered."""
    try:
        path.touch(mode=0o600)
        path.open("ab+").close()
    except OSError:
        return InMemoryHistory()
    return _PatientHistory(path)


class _PatientHistory(FileHistory):
    def store_string(self, string: str) -> None:
        # A disk that has become full must not end the chat.
        with suppress(OSError):
            super().store_string(string)


async def _is_stopped(work: Coroutine[Any, Any, None]) -> bool:
    """Do the work, and tell whether Ctrl-C stopped it before there was a run to show that."""
    task = asyncio.ensure_future(work)
    with _interrupts(task.cancel):
        try:
            await asyncio.wait([task])
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
            if not task.cancelled():
                # Else it would be logged where KeyboardInterrupt, or a signal, goes past this.
                task.exception()
    if task.cancelled():
        return True
    with suppress(Interrupted):
        task.result()
    return False


@contextmanager
def _interrupts(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` at the first Ctrl-C; a second one raises KeyboardInterrupt."""
    loop = asyncio.get_running_loop()

    def first() -> None:
        # Also what blocks the event loop is stopped by the second one.
        loop.remove_signal_handler(signal.SIGINT)
        stop()

    try:
        loop.add_signal_handler(signal.SIGINT, first)
    except NotImplementedError:
        # Windows: Ctrl-C raises KeyboardInterrupt at once.
        yield
        return
    try:
        yield
    finally:
        # One that comes too late has nothing to stop.
        loop.add_signal_handler(signal.SIGINT, lambda: None)
