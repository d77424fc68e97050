"""The prompt of a chat: keys become lines, with a real prompt on a pipe instead of a terminal."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import stat
from contextlib import suppress
from pathlib import Path

import pytest
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from agency_cli.cli.chatting.completing import Vocabulary
from agency_cli.cli.chatting.typed import HINT, TypedLines
from agency_cli.errors import UsageError
from agency_cli.rendering.chat import Screen

ENTER, CTRL_C, CTRL_D, CTRL_J, ALT_ENTER, UP, TAB = (
    "\r", "\x03", "\x04", "\n", "\x1b\r", "\x1b[A", "\t",
)  # fmt: skip
WORDS = Vocabulary(
    commands={"/agents": "list", "/agent": "give", "/model": "change"},
    agents={"bob": "A pirate.", "Clerk": "Stamps."},
    models=["big"],
)
LONGEST = 20
"""Seconds after which a prompt hangs; no promise of speed."""


class Keyboard:
    """Types keys into one prompt after the other."""

    def __init__(self, history):
        self.history = history
        self.shown = io.StringIO()

    def type(self, *keys, raw=b""):
        """Return the lines that the keys make, one for each piece of keys."""

        async def main():
            screen = Screen(io.StringIO(), self.shown, {})
            with create_pipe_input() as keyboard:
                lines = TypedLines(
                    screen, WORDS, self.history, keyboard=keyboard, output=DummyOutput()
                )
                made = []
                for pressed in keys:
                    keyboard.send_text(pressed)
                    if raw:
                        keyboard.send_bytes(raw)
                    made.append(await asyncio.wait_for(lines.line("bob"), LONGEST))
                return made

        return asyncio.run(main())


@pytest.fixture
def keyboard(tmp_path):
    return Keyboard(tmp_path / "chat_history")


def test_enter_sends_the_line(keyboard):
    assert keyboard.type(f"hello{ENTER}", ENTER) == ["hello", ""]


@pytest.mark.parametrize("key", [ALT_ENTER, CTRL_J])
def test_a_new_line_can_be_begun(keyboard, key):
    assert keyboard.type(f"one{key}two{ENTER}") == ["one\ntwo"]


def test_pasted_text_stays_one_message_whatever_lines_are_in_it(keyboard):
    pasted = "\x1b[200~def f():\r\n    return 1\r\n\x1b[201~"
    assert keyboard.type(f"{pasted}done{ENTER}") == ["def f():\n    return 1\ndone"]


def test_what_was_typed_is_there_again_in_the_next_chat(keyboard):
    keyboard.type(f"first{CTRL_J}second{ENTER}")
    again = Keyboard(keyboard.history)
    assert again.type(f"{UP}{ENTER}") == ["first\nsecond"]
    assert stat.S_IMODE(keyboard.history.stat().st_mode) == 0o600


def test_a_history_that_cannot_be_used_is_done_without(tmp_path):
    (tmp_path / "folder").mkdir()
    keyboard = Keyboard(tmp_path / "folder")
    assert keyboard.type(f"one{ENTER}", f"{UP}{ENTER}") == ["one", "one"]


def test_ctrl_c_clears_the_line(keyboard):
    assert keyboard.type(f"a mistake{CTRL_C}hello{ENTER}") == ["hello"]
    assert keyboard.shown.getvalue() == ""


def test_ctrl_c_twice_on_an_empty_line_tells_how_to_leave(keyboard):
    assert keyboard.type(f"{CTRL_C}hello{ENTER}") == ["hello"]
    assert keyboard.shown.getvalue() == ""
    assert keyboard.type(f"{CTRL_C}{CTRL_C}hello{ENTER}") == ["hello"]
    assert keyboard.shown.getvalue() == f"{HINT}\n"


def test_ctrl_d_leaves_on_an_empty_line_alone(keyboard):
    assert keyboard.type(f"ab\x1b[D{CTRL_D}{ENTER}", CTRL_D) == ["a", None]


def test_bytes_that_are_no_text_become_what_can_be_sent(keyboard):
    (line,) = keyboard.type("", raw=b"caf\xe9!\r")
    assert line.encode() == b"caf?!"


def attend(work):
    """Do the work as that of a line, and return what was shown."""
    shown = io.StringIO()

    async def main():
        with create_pipe_input() as keyboard:
            screen = Screen(io.StringIO(), shown, {})
            lines = TypedLines(
                screen, WORDS, Path(os.devnull), keyboard=keyboard, output=DummyOutput()
            )
            await asyncio.wait_for(lines.attend(work()), LONGEST)

    asyncio.run(main())
    return shown.getvalue()


def test_ctrl_c_stops_the_work_of_a_line():
    async def work():
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(LONGEST)

    assert attend(work) == "stopped\n"


def test_work_that_fails_is_no_work_that_was_stopped():
    async def work():
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        attend(work)


def test_a_second_ctrl_c_ends_what_the_first_could_not_stop():
    async def work():
        os.kill(os.getpid(), signal.SIGINT)
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(LONGEST)
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(LONGEST)

    with pytest.raises(KeyboardInterrupt):
        attend(work)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/", ["/agents", "/agent", "/model"]),
        ("@", ["@bob", "@Clerk"]),
        ("/agent b", ["bob", "Clerk"]),
        ("/model ", ["big", "bob=", "Clerk="]),
        ("/model bob=", ["bob=big"]),
        ("", []),
        ("hello @b", []),
        ("see /ag", []),
        ("@bob he", []),
        ("/nope ", []),
        ("/agent\n", []),
    ],
)
def test_commands_agents_and_models_can_be_completed(text, words):
    _, candidates = WORDS.candidates(text)
    assert [word for word, _ in candidates] == words


def test_enter_takes_a_chosen_completion_and_then_sends(tmp_path):
    async def main():
        screen = Screen(io.StringIO(), io.StringIO(), {})
        with create_pipe_input() as keyboard:
            lines = TypedLines(
                screen, WORDS, tmp_path / "history", keyboard=keyboard, output=DummyOutput()
            )
            asking = asyncio.create_task(lines.line("bob"))
            keyboard.send_text("@c")
            buffer = lines._session.default_buffer
            changed = asyncio.Event()
            buffer.on_completions_changed += lambda _: changed.set()
            while buffer.complete_state is None or not buffer.complete_state.completions:
                await changed.wait()
                changed.clear()
            keyboard.send_text(f"{TAB}{ENTER} hello{ENTER}")
            return await asking

    assert asyncio.run(asyncio.wait_for(main(), LONGEST)) == "@Clerk hello"


def test_no_room_is_kept_for_a_menu_where_nothing_can_be_completed(tmp_path):
    screen = Screen(io.StringIO(), io.StringIO(), {})
    with create_pipe_input() as keyboard:
        lines = TypedLines(screen, WORDS, tmp_path / "h", keyboard=keyboard, output=DummyOutput())
        buffer = lines._session.default_buffer
        for text, completes in (("", False), ("hello", False), ("/a", True), ("@", True)):
            buffer.reset(Document(text))
            assert buffer.complete_while_typing() is completes
