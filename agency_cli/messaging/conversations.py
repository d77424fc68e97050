"""A remembered conversation as the SDK's session."""

from __future__ import annotations

from agents import SessionABC, TResponseInputItem

from agency_cli.run_context import Conversation, current_frame

USER = ""
"""Name of the user's conversation."""


def pair_name(sender: str, recipient: str) -> str:
    """Return the name of the conversation in which `sender` asks `recipient`."""
    return f"{sender}>{recipient}"


class ConversationSession(SessionABC):
    """Gives the SDK a conversation to continue; each item is kept with who wrote it."""

    def __init__(self, name: str, conversation: Conversation) -> None:
        self.session_id = name
        self.session_settings = None
        self._conversation = conversation

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        return self._conversation.read(limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        # The SDK adds the items of a turn before the next model call of the same frame.
        frame = current_frame.get()
        self._conversation.append(items, frame.last_speaker, frame.path)

    async def pop_item(self) -> TResponseInputItem | None:
        return self._conversation.pop()

    async def clear_session(self) -> None:
        self._conversation.clear()
