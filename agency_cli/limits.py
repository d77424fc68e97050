"""What a run has spent, against its limits; counted over the whole tree, by reservation."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from agency_cli.errors import LimitReached, ProviderFailed
from agency_cli.events import Usage
from agency_cli.manifest import Limits

LONGEST_ANSWER = 128_000
"""Tokens reserved for the answer of a call whose model has no `max_tokens` setting.

No model of OpenAI's GPT-5 family writes more in one response, its reasoning counted in.
"""

_OPTIONS: Final = frozenset({"max_turns", "max_cost_usd", "max_seconds"})
"""Limits that the command line can set too."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit as messages name it: which, where it was set, how to raise it.

    Attributes:
        key: Where a manifest sets it, such as `limits.max_turns` or `flows[2].max_calls`.
        origin: Where it was set: `agency.yaml:40`, `--max-turns` or `its default`.
        instead: What else may be done to raise it, such as `give --max-turns`.
    """

    key: str
    origin: str
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.key}, set by {self.origin}"

    @property
    def advice(self) -> str:
        """What whoever keeps the manifest can do."""
        instead = f" or {self.instead}" if self.instead else ""
        return f"raise {self.key} in the manifest{instead} to go further"


@dataclass(eq=False, slots=True)
class Call:
    """A model call that is under way; `usage` and `cost_usd` are what it used so far.

    Two calls that have used the same are two calls all the same.

    `answered` is set when the model's response has come whole.
    """

    reserved_tokens: int
    reserved_usd: Decimal
    usage: Usage = field(default_factory=Usage)
    cost_usd: Decimal = Decimal(0)
    answered: bool = False


@dataclass
class Ledger:
    """Counts what all agents of a run do together.

    A call is counted before it is made. For tokens and money its likely size is reserved: a call
    that would pass the limit together with those under way waits for them, so that parallel
    branches never pass a limit together that one of them alone would have kept.

    Attributes:
        limits: The limits in force.
        origins: Where a limit was set, by its name: `agency.yaml:40` or `--max-turns`; the
            defaults are not in it.
        unpriced: Models whose calls cost something that nobody knows.
        notify: Is told, once, that calls wait for each other.
    """

    limits: Limits
    origins: Mapping[str, str] = field(default_factory=dict)
    turns: int = 0
    tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    unpriced: set[str] = field(default_factory=set)
    began: float = field(default_factory=time.monotonic)
    notify: Callable[[str], None] = lambda _text: None
    _told: bool = False
    _under_way: list[Call] = field(default_factory=list)
    _waiting: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def call(
        self, agent: str, likely: Usage, price: Callable[[Usage], Decimal | None]
    ) -> AsyncIterator[Call]:
        """Count one model call of `agent` that will likely use `likely`.

        Raises:
            LimitReached: The run may make no further call.
        """
        self._require_turn(agent)
        money = price(likely) if self.limits.max_cost_usd is not None else None
        call = Call(likely.total_tokens, money or Decimal(0))
        self._waiting += 1
        try:
            await self._wait_for_room(call, agent)
        finally:
            self._waiting -= 1
        self.turns += 1
        self._under_way.append(call)
        try:
            yield call
        except ProviderFailed:
            # An attempt that failed is no turn; the runner may try again.
            self.turns -= 1
            raise
        finally:
            self._under_way.remove(call)
            self.tokens += call.usage.total_tokens
            self.cost_usd += call.cost_usd
            self._changed.set()

    def refuse_depth(self, depth: int) -> str | None:
        """Return why no delegation may go `depth` levels down, or None where it may."""
        if depth <= self.limits.max_depth:
            return None
        limit = self._limit("max_depth")
        return (
            f"delegations may nest {self.limits.max_depth} deep ({limit}) and this one would be"
            f" deeper; answer with what you have; {limit.advice}"
        )

    def time_is_up(self, agent: str) -> LimitReached:
        """Return the error of a run that took `max_seconds` while `agent` had the conversation."""
        return self._reached("max_seconds", f"{self.limits.max_seconds:g} seconds", agent)

    def repeated(self, agent: str, tool: str) -> LimitReached:
        """Return the error of an agent that calls `tool` again and again to no effect."""
        return self._reached(
            "max_repeats",
            f"{self.limits.max_repeats} calls of {tool} with the same arguments and results",
            agent,
        )

    def _require_turn(self, agent: str) -> None:
        if self.turns + self._waiting >= self.limits.max_turns:
            raise self._reached("max_turns", f"{self.limits.max_turns} model calls", agent)

    async def _wait_for_room(self, call: Call, agent: str) -> None:
        while True:
            self._require_budget(agent)
            if not self._under_way or self._has_room(call):
                return
            self._tell_of_waiting(call, agent)
            self._changed.clear()
            await self._changed.wait()

    def _tell_of_waiting(self, call: Call, agent: str) -> None:
        """Say how more calls can go on at once, where their answers may be of any length."""
        if self._told or call.reserved_tokens < LONGEST_ANSWER:
            return
        self._told = True
        kept = [name for name in ("max_tokens", "max_cost_usd") if getattr(self.limits, name)]
        self.notify(
            f"calls wait for each other to keep {' and '.join(f'limits.{name}' for name in kept)};"
            f" with settings.max_tokens on the model of {agent}, more can be made at once"
        )

    def _require_budget(self, agent: str) -> None:
        most_tokens, most_usd = self.limits.max_tokens, self.limits.max_cost_usd
        if most_tokens is not None and self.tokens >= most_tokens:
            raise self._reached("max_tokens", f"{most_tokens:,} tokens", agent)
        if most_usd is not None and self.cost_usd >= Decimal(str(most_usd)):
            raise self._reached("max_cost_usd", f"${most_usd:g}", agent)

    def _has_room(self, call: Call) -> bool:
        most_tokens, most_usd = self.limits.max_tokens, self.limits.max_cost_usd
        calls = [call, *self._under_way]
        tokens = self.tokens + sum(each.reserved_tokens for each in calls)
        money = self.cost_usd + sum(each.reserved_usd for each in calls)
        return (most_tokens is None or tokens <= most_tokens) and (
            most_usd is None or money <= Decimal(str(most_usd))
        )

    def _reached(self, name: str, amount: str, agent: str | None = None) -> LimitReached:
        limit = self._limit(name)
        return LimitReached(
            f"limit reached: {amount} ({limit}); spent {self.spent()}; {limit.advice}", agent=agent
        )

    def _limit(self, name: str) -> Limit:
        instead = f"give --{name.replace('_', '-')}" if name in _OPTIONS else ""
        return Limit(f"limits.{name}", self.origins.get(name, "its default"), instead)

    def spent(self) -> str:
        """Return what the run has spent so far, for a message."""
        seconds = time.monotonic() - self.began
        unknown = f" and what {', '.join(sorted(self.unpriced))} cost" if self.unpriced else ""
        return (
            f"{self.turns} model calls, {self.tokens:,} tokens, {_dollars(self.cost_usd)}{unknown},"
            f" {seconds:.1f} seconds"
        )


def _dollars(amount: Decimal) -> str:
    """Return an amount with four digits after the point, or two that are no zeros."""
    digits = max(4, 1 - amount.adjusted()) if amount else 0
    return f"${amount:.{digits}f}"
