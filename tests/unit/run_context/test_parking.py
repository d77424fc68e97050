"""Branches that may not go on wait for those that can, and end together."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from agency_cli.errors import Paused
from agency_cli.run_context.clocks import Clock
from agency_cli.run_context.parking import SETTLED, Parking

LONG = 10 * SETTLED


@dataclass
class Node:
    """As much of an open node as parking looks at."""

    parent_id: str | None = None


def parking(**nodes: str | None) -> Parking:
    """Return the parking of a run with these open nodes, each with its parent."""
    opened = {node_id: Node(parent) for node_id, parent in nodes.items()}
    return Parking(opened, lambda: Paused("paused"))  # type: ignore[arg-type]


async def is_over(parked: asyncio.Task[object]) -> bool:
    await asyncio.wait([parked], timeout=LONG)
    return parked.done()


def test_the_only_branch_ends_at_once():
    async def main() -> None:
        assert isinstance(await parking(root=None, a="root").park("a"), Paused)

    asyncio.run(main())


def test_a_branch_waits_as_long_as_another_one_is_at_work():
    async def main() -> None:
        place = parking(root=None, a="root", b="root")
        parked = asyncio.create_task(place.park("a"))
        assert not await is_over(parked)
        del place.open_nodes["b"]  # type: ignore[attr-defined]
        place.look()
        assert await is_over(parked)

    asyncio.run(main())


def test_an_agent_between_two_calls_is_at_work():
    async def main() -> None:
        place = parking(root=None, a="root", message="root", agent="message")
        parked = asyncio.create_task(place.park("a"))
        assert not await is_over(parked)
        with place.idle("agent"):
            assert await is_over(parked)

    asyncio.run(main())


def test_a_branch_in_the_queue_of_a_pair_is_not_at_work():
    async def main() -> None:
        place = parking(root=None, a="root", b="root")
        with place.idle("b"):
            assert isinstance(await place.park("a"), Paused)

    asyncio.run(main())


def test_all_parked_branches_end_together():
    async def main() -> None:
        place = parking(root=None, a="root", b="root")
        both = [asyncio.create_task(place.park(name)) for name in ("a", "b")]
        assert all(isinstance(error, Paused) for error in await asyncio.gather(*both))

    asyncio.run(main())


def test_a_parked_branch_that_is_cancelled_is_no_hindrance():
    async def main() -> None:
        place = parking(root=None, a="root", b="root", c="root")
        first, second = (asyncio.create_task(place.park(name)) for name in ("a", "b"))
        await asyncio.sleep(0)
        first.cancel()
        for gone in ("a", "c"):
            del place.open_nodes[gone]  # type: ignore[attr-defined]
        place.look()
        assert isinstance(await second, Paused)

    asyncio.run(main())


def test_no_time_passes_on_a_clock_that_is_stopped_even_twice():
    async def main() -> None:
        async with asyncio.timeout(LONG) as timeout:
            clock = Clock(timeout)
            with clock.stopped(), clock.stopped():
                await asyncio.sleep(2 * LONG)
            assert not clock.has_expired
        with pytest.raises(TimeoutError):
            await sleeps_too_long()

    async def sleeps_too_long() -> None:
        async with asyncio.timeout(LONG) as timeout:
            with Clock(timeout).stopped():
                await asyncio.sleep(2 * LONG)
            await asyncio.sleep(100 * LONG)

    asyncio.run(main())
