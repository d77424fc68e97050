"""Messages on one pair take turns, and nobody ever waits for itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agency_cli.limits import Ledger
from agency_cli.manifest import Limits
from agency_cli.run_context import Frame, PairQueues, RunContext, WouldDeadlock


@pytest.fixture
def run() -> RunContext:
    return RunContext(run_id="r", params={}, watch=lambda _: None, ledger=Ledger(Limits()))


def frame(run: RunContext, agent: str, sender: Frame | None = None) -> Frame:
    return Frame(run, f"{sender.path if sender else ''}/{agent}", agent, sender)


@asynccontextmanager
async def turn(
    queues: PairQueues, pair: tuple[str, str], caller: Frame, recipient: Frame
) -> AsyncIterator[None]:
    with queues.place(pair) as place:
        await queues.turn(place, caller, recipient)
        yield


def test_who_is_ready_later_keeps_its_place(run):
    queues, caller = PairQueues(), frame(run, "a")
    order: list[str] = []

    async def exchange(name: str, seconds: float) -> None:
        with queues.place(("a", "b")) as place:
            await asyncio.sleep(seconds)
            if name == "refused":
                return
            await queues.turn(place, caller, frame(run, "b", caller))
            order.append(name)

    async def main() -> None:
        await asyncio.gather(
            exchange("slow", 0.05), exchange("refused", 0.02), exchange("quick", 0)
        )

    asyncio.run(main())
    assert order == ["slow", "quick"]


def test_exchanges_of_one_pair_happen_one_after_the_other_in_order(run):
    queues, caller = PairQueues(), frame(run, "a")
    order: list[str] = []

    async def exchange(name: str) -> None:
        async with turn(queues, ("a", "b"), caller, frame(run, "b", caller)):
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    async def main() -> None:
        await asyncio.gather(*(exchange(name) for name in "123"))

    asyncio.run(main())
    assert order == [f"{name} {what}" for name in "123" for what in ("begins", "ends")]


def test_exchanges_of_different_pairs_happen_at_the_same_time(run):
    queues, caller, met = PairQueues(), frame(run, "a"), asyncio.Barrier(2)

    async def exchange(recipient: str) -> None:
        async with turn(queues, ("a", recipient), caller, frame(run, recipient, caller)):
            await asyncio.wait_for(met.wait(), 5)

    async def main() -> None:
        await asyncio.gather(exchange("b"), exchange("c"))

    asyncio.run(main())


def test_a_message_back_into_an_exchange_that_one_is_in_is_refused(run):
    """A > b > a > b: the first message to b waits for the second."""
    queues = PairQueues()
    entry = frame(run, "a")
    in_b = frame(run, "b", entry)
    in_a_again = frame(run, "a", in_b)

    async def main() -> None:
        async with (
            turn(queues, ("a", "b"), entry, in_b),
            turn(queues, ("b", "a"), in_b, in_a_again),
        ):
            with pytest.raises(WouldDeadlock, match="a > b > a"):
                async with turn(queues, ("a", "b"), in_a_again, frame(run, "b", in_a_again)):
                    pass

    asyncio.run(main())


def test_two_branches_that_would_wait_for_each_other_are_told_so(run):
    """A asks b and c at once; b asks c while c asks b, each on a pair that the other needs."""
    queues = PairQueues()
    entry = frame(run, "a")
    b, c = frame(run, "b", entry), frame(run, "c", entry)
    c_for_b, b_for_c = frame(run, "c", b), frame(run, "b", c)

    async def wait_for_pair() -> None:
        async with turn(queues, ("c", "b"), c_for_b, frame(run, "b", c_for_b)):
            pass

    async def main() -> None:
        async with turn(queues, ("b", "c"), b, c_for_b), turn(queues, ("c", "b"), c, b_for_c):
            waiting = asyncio.create_task(wait_for_pair())
            await asyncio.sleep(0)
            with pytest.raises(WouldDeadlock):
                async with turn(queues, ("b", "c"), b_for_c, frame(run, "c", b_for_c)):
                    pass
        await asyncio.wait_for(waiting, 5)

    asyncio.run(main())


def test_a_cancelled_wait_leaves_the_queue_as_it_was(run):
    queues, caller = PairQueues(), frame(run, "a")

    async def exchange() -> None:
        async with turn(queues, ("a", "b"), caller, frame(run, "b", caller)):
            pass

    async def main() -> None:
        async with turn(queues, ("a", "b"), caller, frame(run, "b", caller)):
            waiting = asyncio.create_task(exchange())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await asyncio.wait_for(exchange(), 5)

    asyncio.run(main())
