"""Exchanges of a thread: the last one found, or taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agency_cli.reminder import without_reminder
from agency_cli.store import StoredItem
from agency_cli.store.threads import USER


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that was sent.

    Attributes:
        text: The message.
        before: The agent that had the conversation.
        to: The agent that got this one message in its place, if any.
        run_id: The run that it made; None where that is not known, or none was made.
    """

    text: str
    before: str
    to: str | None = None
    run_id: str | None = None


def last_sent(history: Sequence[StoredItem], active: str) -> Sent | None:
    """Return the last message of a stored thread, and which agent it went to.

    Args:
        history: Everything that the thread remembers.
        active: The agent that has the conversation now.
    """
    stored = [item for item in history if item.conversation == USER]
    begins = _last_message([item.item for item in stored])
    if begins is None:
        return None
    text = without_reminder(_text_of(stored[begins].item))
    authors = [item.author for item in stored[begins:] if item.author] or [active]
    if authors[-1] != active:
        # Who answered last does not have the conversation: it was asked this one thing.
        return Sent(text, active, authors[0], stored[begins].run_id)
    return Sent(text, authors[0], None, stored[begins].run_id)


def _last_message(items: Sequence[dict[str, Any]]) -> int | None:
    """Return where the user's last message stands."""
    places = [place for place, item in enumerate(items) if item.get("role") == "user"]
    return places[-1] if places else None


def _text_of(item: dict[str, Any]) -> str:
    content = item.get("content")
    return content if isinstance(content, str) else ""
