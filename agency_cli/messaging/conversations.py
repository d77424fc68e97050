"""What a recipient remembers of one sender: an SDK session over a list of items."""

from __future__ import annotations

from agents import SessionABC, TResponseInputItem


class PairConversation(SessionABC):
    """The conversation of one (sender, recipient) pair; `items` is filled in place."""

    def __init__(self, sender: str, recipient: str, items: list[TResponseInputItem]) -> None:
        self.session_id = f"{sender}>{recipient}"
        self.session_settings = None
        self._items = items

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        return list(self._items if limit is None else self._items[-limit:])

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        self._items.extend(items)

    async def pop_item(self) -> TResponseInputItem | None:
        return self._items.pop() if self._items else None

    async def clear_session(self) -> None:
        self._items.clear()
