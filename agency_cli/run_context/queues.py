"""Who waits for whom: messages on one pair take turns, and none waits for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from agency_cli.run_context.frames import Frame

Pair = tuple[str, str]
"""Sender and recipient."""


class WouldDeadlock(Exception):
    """A message that would wait for an answer that itself waits for this message."""


@dataclass(eq=False, slots=True)
class Place:
    """A message's place in the queue of its pair.

    Attributes:
        pair: The pair.
        is_first: Set once nobody stands before it.
        recipient: The frame of its exchange, once that has begun.
    """

    pair: Pair
    is_first: asyncio.Event = field(default_factory=asyncio.Event)
    recipient: Frame | None = None


@dataclass(slots=True)
class PairQueues:
    """The queues of one run, one for each pair; a conversation has one exchange at a time.

    A message takes its place as soon as it is sent, and needs it only when it is ready to be
    delivered: what has to be done before, and how long it takes, does not change the order.

    A deadlock can only begin with a new wait, so each wait is checked when it begins: it is
    refused where the exchange that holds the pair is, or waits for, one that the caller is in.
    """

    _places: dict[Pair, list[Place]] = field(default_factory=dict)
    _waiting: list[tuple[Pair, Frame]] = field(default_factory=list)

    @contextmanager
    def place(self, pair: Pair) -> Iterator[Place]:
        """Hold a place in the queue of `pair`, behind those that were taken before."""
        queue, place = self._places.setdefault(pair, []), Place(pair)
        queue.append(place)
        queue[0].is_first.set()
        try:
            yield place
        finally:
            queue.remove(place)
            if queue:
                queue[0].is_first.set()

    async def turn(self, place: Place, caller: Frame, recipient: Frame) -> None:
        """Wait until it is the turn of a place; its exchange begins, and goes on while it is held.

        Raises:
            WouldDeadlock: Waiting would never end; the text says who waits for whom.
        """
        if not place.is_first.is_set():
            self._refuse_deadlock(place.pair, caller)
        wait = (place.pair, caller)
        self._waiting.append(wait)
        try:
            # The path of an exchange is the id of its message's node.
            with caller.run.parking.idle(recipient.path):
                await place.is_first.wait()
        finally:
            self._waiting.remove(wait)
        place.recipient = recipient

    def _refuse_deadlock(self, pair: Pair, caller: Frame) -> None:
        lineage = list(caller.lineage())
        todo, seen = [pair], {pair}
        while todo:
            held = todo.pop()
            holder = self._holder(held)
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

    def _holder(self, pair: Pair) -> Frame | None:
        """Return the frame of the exchange that is going on, if there is one."""
        queue = self._places.get(pair)
        return queue[0].recipient if queue else None
