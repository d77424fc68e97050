"""The ledger alone: parallel calls keep the limits together; what is not made is not counted."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_cli.errors import LimitReached, ProviderFailed
from agency_cli.events import Usage
from agency_cli.limits import Ledger
from agency_cli.manifest import Limits

PRICE = Decimal("0.001")


def price(usage: Usage) -> Decimal:
    return PRICE * usage.total_tokens


def usage(tokens: int) -> Usage:
    return Usage(requests=1, input_tokens=tokens)


async def make(ledger: Ledger, likely: int, real: int, steps: int = 1) -> bool:
    """Make one call that is guessed to use `likely` tokens; return whether it was allowed."""
    try:
        async with ledger.call("boss", usage(likely), price) as call:
            for _ in range(steps):
                await asyncio.sleep(0)
            call.usage, call.cost_usd = usage(real), price(usage(real))
    except LimitReached:
        return False
    return True


CALLS = st.lists(
    st.tuples(st.integers(1, 60), st.integers(1, 60), st.integers(0, 4)), min_size=1, max_size=25
)


@settings(max_examples=150, deadline=None)
@given(calls=CALLS, most=st.integers(1, 300), in_money=st.booleans())
def test_calls_at_the_same_time_together_pass_a_limit_by_one_call_at_most(calls, most, in_money):
    limits = Limits(max_cost_usd=float(PRICE * most)) if in_money else Limits(max_tokens=most)
    ledger = Ledger(limits)

    async def main() -> list[bool]:
        # Guessed as they are: what is reserved is what is used.
        return await asyncio.gather(*(make(ledger, real, real, steps) for _, real, steps in calls))

    allowed = asyncio.run(main())
    spent = [real for made, (_, real, _) in zip(allowed, calls, strict=True) if made]
    assert ledger.tokens == sum(spent)
    assert ledger.cost_usd == PRICE * sum(spent)
    assert ledger.turns == len(spent)
    assert sum(spent) < most + max(spent)
    assert all(allowed) or sum(spent) >= most


@settings(max_examples=100, deadline=None)
@given(calls=CALLS, most=st.integers(1, 20))
def test_never_more_calls_are_made_than_turns_are_allowed(calls, most):
    ledger = Ledger(Limits(max_turns=most, max_tokens=200))

    async def main() -> list[bool]:
        return await asyncio.gather(*(make(ledger, *call) for call in calls))

    allowed = asyncio.run(main())
    assert sum(allowed) == ledger.turns <= most


def test_a_wrong_guess_stops_nobody_for_ever():
    ledger = Ledger(Limits(max_tokens=100))

    async def main() -> list[bool]:
        # Each reserves more than all that is left, and uses little.
        return await asyncio.gather(*(make(ledger, 5000, 10, 3) for _ in range(15)))

    assert sum(asyncio.run(main())) == 10
    assert ledger.tokens == 100


def test_a_call_that_fails_or_is_cancelled_is_given_back():
    ledger = Ledger(Limits(max_tokens=100, max_turns=2))

    async def fail() -> None:
        async with ledger.call("boss", usage(80), price):
            raise ProviderFailed("gone")

    async def hang(reached: asyncio.Event) -> None:
        async with ledger.call("boss", usage(80), price) as call:
            call.usage = usage(30)
            reached.set()
            await asyncio.Event().wait()

    async def main() -> None:
        with pytest.raises(ProviderFailed):
            await fail()
        assert (ledger.turns, ledger.tokens) == (0, 0)
        reached = asyncio.Event()
        hanging = asyncio.create_task(hang(reached))
        await reached.wait()
        waiting = asyncio.create_task(make(ledger, 80, 10))
        await asyncio.sleep(0)
        # The one that waits has its turn kept for it, so a third may not even wait.
        assert not await make(ledger, 1, 1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert ledger.turns == 1
        hanging.cancel()
        await asyncio.gather(hanging, return_exceptions=True)
        # What it used until it was cancelled stays counted, and its room is free.
        assert ledger.tokens == 30
        assert await make(ledger, 70, 70)

    asyncio.run(main())
    assert (ledger.turns, ledger.tokens) == (2, 100)


@pytest.mark.parametrize(
    ("limits", "origin", "parts"),
    [
        (
            {"max_turns": 1},
            "crew.yaml:14",
            ["1 model calls", "limits.max_turns", "crew.yaml:14", "--max-turns", "spent 1 model"],
        ),
        (
            {"max_tokens": 10},
            None,
            ["10 tokens", "limits.max_tokens", "its default", "spent 1 model calls, 10 tokens"],
        ),
        (
            {"max_cost_usd": 0.01},
            "--max-cost-usd",
            ["$0.01", "limits.max_cost_usd", "set by --max-cost-usd", "$0.0100"],
        ),
    ],
)
def test_a_limit_says_which_where_it_was_set_what_was_spent_and_how_to_raise_it(
    limits, origin, parts
):
    origins = {next(iter(limits)): origin} if origin else {}
    ledger = Ledger(Limits(**limits), origins)

    async def main() -> None:
        await make(ledger, 10, 10)
        async with ledger.call("boss", usage(10), price):
            pass

    with pytest.raises(LimitReached) as caught:
        asyncio.run(main())
    assert caught.value.agent == "boss"
    for part in parts:
        assert part in str(caught.value)


def test_of_two_calls_that_look_the_same_the_right_one_ends():
    ledger = Ledger(Limits())

    async def main() -> None:
        async with ledger.call("boss", usage(10), price) as first:
            async with ledger.call("boss", usage(10), price):
                pass
            first.usage = usage(7)
        assert ledger.tokens == 7

    asyncio.run(main())
