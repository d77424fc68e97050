"""What is remembered of conversations: kept by a store, or for as long as a run lasts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


class Conversation(Protocol):
    """The items of one conversation, the oldest first."""

    def read(self, limit: int | None = None) -> list[Any]: ...

    def append(self, new: Sequence[Any], author: str, path: str = "") -> None: ...

    def pop(self) -> Any | None: ...

    def clear(self) -> None: ...


Memory = Callable[[str], Conversation]
"""Gives a conversation by its name: empty for the user's, `sender>recipient` for a pair's."""


@dataclass
class RunMemory:
    """Conversations that are forgotten with the run."""

    _conversations: dict[str, ListedConversation] = field(default_factory=dict)

    def __call__(self, name: str) -> ListedConversation:
        return self._conversations.setdefault(name, ListedConversation())


@dataclass
class ListedConversation:
    """A conversation in a list."""

    _items: list[Any] = field(default_factory=list)

    def read(self, limit: int | None = None) -> list[Any]:
        return list(self._items if limit is None else self._items[-limit:])

    def append(self, new: Sequence[Any], author: str, path: str = "") -> None:
        del author, path  # only a store tells its readers who wrote what, and where
        self._items.extend(new)

    def pop(self) -> Any | None:
        return self._items.pop() if self._items else None

    def clear(self) -> None:
        self._items.clear()
