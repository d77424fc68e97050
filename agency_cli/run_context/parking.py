"""Branches of a run that may not go on, and the moment when none can."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agency_cli.errors import RunFailed

if TYPE_CHECKING:
    from agency_cli.run_context.nodes import OpenNode

SETTLED = 0.02
"""Seconds until what has just been let go, such as the next message on a pair, is under way."""


@dataclass
class Parking:
    """Parked branches wait for those that are still at work; then they all end, and the run.

    A branch is at work where it has an open node with none open below it, unless that node is
    idle: parked, or waiting in the queue of a pair.

    Attributes:
        open_nodes: The nodes of the run that have not ended, by id.
        ending: Makes the error with which a parked branch ends.
    """

    open_nodes: Mapping[str, OpenNode]
    ending: Callable[[], RunFailed]
    _idle: dict[str, int] = field(default_factory=dict)
    _parked: list[asyncio.Future[RunFailed]] = field(default_factory=list)

    async def park(self, node_id: str) -> RunFailed:
        """Wait, below a node, until no branch is at work; return the error to end with."""
        over: asyncio.Future[RunFailed] = asyncio.get_running_loop().create_future()
        self._parked.append(over)
        with self.idle(node_id):
            return await over

    @contextmanager
    def idle(self, node_id: str) -> Iterator[None]:
        """Count a node as one in which nothing is done."""
        self._idle[node_id] = self._idle.get(node_id, 0) + 1
        self.look()
        try:
            yield
        finally:
            self._idle[node_id] -= 1

    def look(self) -> None:
        """Find out, in a moment, whether any branch is still at work."""
        if self._parked:
            asyncio.get_running_loop().call_later(SETTLED, self._end_if_all_stand_still)

    def _end_if_all_stand_still(self) -> None:
        if self._is_any_at_work():
            return
        for over in self._parked:
            if not over.done():
                over.set_result(self.ending())
        self._parked.clear()

    def _is_any_at_work(self) -> bool:
        above = {node.parent_id for node in self.open_nodes.values()}
        return any(
            node_id not in above and not self._idle.get(node_id) for node_id in self.open_nodes
        )
