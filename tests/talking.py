"""Chats in this process, through the real SDK against the fake server."""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agency_cli.cli.chatting.conversation import Chat
from agency_cli.cli.chatting.loop import converse
from agency_cli.cli.chatting.piped import PipedLines
from agency_cli.cli.ordering import OrderOptions, load, order_of
from agency_cli.rendering.chat import Screen
from agency_cli.store import StoredItem

DESK = """\
version: 1
name: desk
models: {big: {model: gpt-5}}
defaults: {model: gpt-5-mini}
agents:
  triage: {instructions: You are triage., description: Sorts.}
  bob: {instructions: You are bob., description: A pirate.}
  clerk: {instructions: You are the clerk.}
entry: triage
flows:
  - {from: triage, to: bob, kind: handoff}
  - {from: clerk, to: bob, kind: handoff}
"""


@dataclass(frozen=True)
class Talked:
    """What became of a chat."""

    code: int
    out: str
    err: str
    chat: Chat

    @property
    def said(self) -> list[StoredItem]:
        """What the thread remembers of the user's conversation."""
        history = self.chat.order.threads.history(self.chat.thread_id or "")
        return [item for item in history if not item.conversation]


def talk(folder: Path, *lines: str, manifest: str = DESK, **options: Any) -> Talked:
    """Take lines as if they were piped in; the provider is where the environment says."""
    path = folder / "agency.yaml"
    path.write_text(manifest)
    chosen: dict[str, Any] = {
        "manifest": path,
        "agent": None,
        "models": (),
        "params": (),
        "limits": {},
        "thread": None,
        "store": None,
        "quiet": True,
        "verbose": False,
        **options,
    }
    asked = OrderOptions(**chosen)
    screen = Screen(io.StringIO(), io.StringIO(), {})
    chat = Chat.of(order_of(load(asked), asked), asked, screen)
    given = PipedLines(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))
    try:
        code = asyncio.run(converse(chat, given))
    finally:
        chat.order.threads.database.engine.dispose()
    return Talked(code, screen.stdout.getvalue(), screen.stderr.getvalue(), chat)
