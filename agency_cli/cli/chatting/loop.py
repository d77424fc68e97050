"""The chat from its first line to its last, typed or piped in."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Coroutine
from typing import Any, Protocol

from agency_cli.cli.chatting.commands import COMMANDS, Leave, take, way_back
from agency_cli.cli.chatting.conversation import Chat
from agency_cli.cli.chatting.piped import PipedLines
from agency_cli.cli.driving import drive
from agency_cli.cli.ordering import OrderOptions, load, order_of
from agency_cli.errors import AgencyError, ExitCode, Interrupted, Paused
from agency_cli.rendering.chat import Screen
from agency_cli.store import home_folder

GOES_ON = "the next message here goes on without these calls; answer before it, or leave the chat"
STAYS = "the lines after it were not sent, as they could not know the answer"


class Lines(Protocol):
    """Where the lines of a chat come from."""

    @property
    def is_person(self) -> bool:
        """Whether a person writes them, who knows what came of the line before."""

    async def line(self, agent: str) -> str | None:
        """Return the next line, meant for `agent`; None at the end."""

    async def attend(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work of one line, and stop it where the person asks for that."""


def chat(options: OrderOptions) -> ExitCode:
    """Talk with an agency until the end of the input.

    Returns:
        The exit code: that of the first line that failed where lines are piped in.

    Raises:
        AgencyError: Whatever keeps the chat from beginning.
    """
    loaded = load(options)
    order = order_of(loaded, options)
    screen = Screen(sys.stdout, sys.stderr, os.environ)
    talk = Chat.of(order, options, screen)
    if sys.stdin is not None and sys.stdin.isatty() and screen.is_terminal:
        drive(converse(talk, _typed(talk)))
        return ExitCode.OK
    # A standard input that is closed is None.
    return drive(converse(talk, PipedLines(sys.stdin.buffer if sys.stdin else io.BytesIO())))


async def converse(chat: Chat, lines: Lines) -> ExitCode:
    """Take line after line.

    Returns:
        The exit code of the first line that failed.

    Raises:
        AgencyError: The agency cannot be built.
        Interrupted: The person ended the command, not just an answer.
    """
    code = ExitCode.OK
    building = chat.start_building()
    try:
        while (line := await _unless_failed(building, lines.line(chat.active))) is not None:
            try:
                await lines.attend(take(chat, line))
            except Leave:
                break
            except Interrupted:
                raise
            except AgencyError as error:
                if _failed_with(building, error):
                    raise
                code = code or error.exit_code
                chat.screen.show_error(str(error))
                if isinstance(error, Paused) and _ends_at_a_pause(chat, lines):
                    break
        return code
    finally:
        if chat.thread_id is not None and chat.is_stored and not chat.options.quiet:
            chat.screen.show_way_back(chat.thread_id, way_back(chat))
        await chat.close()


def _ends_at_a_pause(chat: Chat, lines: Lines) -> bool:
    """Tell whether what follows a run that waits for an answer stays unsent; say what it does."""
    chat.screen.show_note(GOES_ON if lines.is_person else STAYS)
    return not lines.is_person


def _failed_with(building: asyncio.Task[Any], error: AgencyError) -> bool:
    return building.done() and building.exception() is error


async def _unless_failed(
    building: asyncio.Task[Any], asking: Coroutine[Any, Any, str | None]
) -> str | None:
    """Wait for a line; a building that fails meanwhile ends the waiting, as it ends the chat."""
    line = asyncio.ensure_future(asking)
    try:
        if not building.done():
            await asyncio.wait({building, line}, return_when=asyncio.FIRST_COMPLETED)
        if building.done():
            building.result()
        return await line
    finally:
        if not line.done():
            line.cancel()
            await asyncio.wait([line])


def _typed(chat: Chat) -> Lines:
    # Only a person needs it.
    from agency_cli.cli.chatting.completing import Vocabulary  # noqa: PLC0415 - see above
    from agency_cli.cli.chatting.typed import TypedLines  # noqa: PLC0415 - see above

    manifest, loaded = chat.manifest, chat.order.loaded
    folder = chat.order.threads.database.folder or home_folder(loaded.folder, os.environ)
    chat.screen.show_greeting(manifest.name, len(manifest.agents), chat.thread_id)
    words = Vocabulary(
        commands={f"/{name}": command.about for name, command in COMMANDS.items()},
        agents={key: agent.description or "" for key, agent in manifest.agents.items()},
        models=list(manifest.models),
    )
    return TypedLines(chat.screen, words, folder / "chat_history")
