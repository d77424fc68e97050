"""Who waits for whom: messages on one pair take turns, and none waits for itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agency_cli.run_context.frames import Frame

Pair = tuple[str, str]
"""Sender and recipient."""


class WouldDeadlock(Exception):
    """A message that would wait for an answer that itself waits for this message."""


@dataclass(slots=True)
class PairQueues:
    """The queues of one run, one for each pair; a conversation has one exchange at a time.

    A deadlock can only begin with a new wait, so each wait is checked when it begins: it is
    refused where the exchange that holds the pair is, or waits for, one that the caller is in.
    """

    _locks: dict[Pair, asyncio.Lock] = field(default_factory=dict)
    _recipients: dict[Pair, Frame] = field(default_factory=dict)
    _waiting: list[tuple[Pair, Frame]] = field(default_factory=list)

    @asynccontextmanager
    async def turn(self, pair: Pair, caller: Frame, recipient: Frame) -> AsyncIterator[None]:
        """Hold `pair` for one exchange, after those that came before.

        Raises:
            WouldDeadlock: Waiting would never end; the text says who waits for whom.
        """
        lock = self._locks.setdefault(pair, asyncio.Lock())
        if lock.locked():
            self._refuse_deadlock(pair, caller)
        wait = (pair, caller)
        self._waiting.append(wait)
        try:
            # The path of an exchange is the id of its message's node.
            with caller.run.parking.idle(recipient.path):
                await lock.acquire()
        finally:
            self._waiting.remove(wait)
        self._recipients[pair] = recipient
        try:
            yield
        finally:
            del self._recipients[pair]
            lock.release()

    def _refuse_deadlock(self, pair: Pair, caller: Frame) -> None:
        lineage = list(caller.lineage())
        todo, seen = [pair], {pair}
        while todo:
            held = todo.pop()
            holder = self._recipients.get(held)
            if holder is None:
                continue
            if any(frame is holder for frame in lineage):
                path = " > ".join(frame.agent for frame in reversed(lineage))
                raise WouldDeadlock(
                    f"{held[1]} already works on a message of {held[0]} and waits for the answer"
                    f" that you are asked for ({path}), so it cannot take another one"
                )
            for waited_for, waiter in self._waiting:
                if waited_for not in seen and any(f is holder for f in waiter.lineage()):
                    seen.add(waited_for)
                    todo.append(waited_for)
