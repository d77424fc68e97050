"""The most that one run can cost: what each of its limits bounds, where prices are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from agency_cli.events import Usage
from agency_cli.limits import LONGEST_ANSWER
from agency_cli.manifest import Limits
from agency_cli.models.choice import ModelChoice, pricing_of
from agency_cli.pricing import ListPrice


class Call(NamedTuple):
    """The dearest call of one model; `usd` is None where its context window is not known."""

    model: str
    usd: Decimal | None
    window: int | None
    per_token: Decimal


class Bound(NamedTuple):
    """What one limit lets a run cost at most, in US dollars, and why."""

    limit: str
    usd: Decimal
    why: str


class Costs(NamedTuple):
    """What is known of the cost of a run, beforehand.

    Attributes:
        bounds: What each limit bounds, the tightest first.
        unknown: Why there may be no bound, or a less tight one.
    """

    bounds: tuple[Bound, ...]
    unknown: tuple[str, ...]

    @property
    def most(self) -> Bound | None:
        return self.bounds[0] if self.bounds else None


def costs_of(choices: Iterable[ModelChoice], limits: Limits) -> Costs:
    """Return the most that a run can cost in which these models are called.

    A bound by turns is one of a run whose every call fills the context of its model; by tokens, of
    one whose every token is of the dearest kind. Not counted are attempts that were cut off, for
    which a provider may charge, and what tools cost, those too that the provider runs.
    """
    models = {choice.label: choice for choice in choices}
    calls, unpriced = [], []
    for choice in models.values():
        call = _dearest_call(choice)
        if call is None:
            unpriced.append(choice.label)
        else:
            calls.append(call)
    if unpriced:
        # Money is no limit for them, and of turns and tokens nobody knows what they cost.
        return Costs((), (f"no price is known of {', '.join(unpriced)}",))
    windows = [call.model for call in calls if call.usd is None]
    unknown = [f"the context window of {', '.join(windows)} is not known"] if windows else []
    if windows and limits.max_cost_usd is not None:
        unknown.append(
            f"max_cost_usd ends it at ${limits.max_cost_usd:g} and the call that passes that,"
            " whose size is not known"
        )
    found = sorted(_bounds(calls, limits), key=lambda bound: bound.usd)
    return Costs(tuple(found), tuple(unknown))


def _bounds(calls: list[Call], limits: Limits) -> Iterator[Bound]:
    last = max(calls, key=lambda call: call.usd or Decimal(0))
    is_known = all(call.usd is not None for call in calls)
    if not is_known:
        return
    one = last.usd or Decimal(0)
    whole = f"{last.model} with its whole context of {last.window:,} tokens" if last.window else ""
    by_turns = one * limits.max_turns
    yield Bound("max_turns", by_turns, f"{limits.max_turns:,} calls{_each(whole)}")
    # A call is made as long as a limit is not reached, and may pass it.
    past = f", and the call that passes it{_each(whole)}"
    if limits.max_tokens is not None:
        token = max(call.per_token for call in calls)
        usd = token * limits.max_tokens + one
        yield Bound("max_tokens", usd, f"{limits.max_tokens:,} tokens of the dearest kind{past}")
    if limits.max_cost_usd is not None:
        usd = Decimal(str(limits.max_cost_usd)) + one
        yield Bound("max_cost_usd", usd, f"${limits.max_cost_usd:g}{past}")


def _each(whole: str) -> str:
    return f" of {whole}" if whole else ""


def _dearest_call(choice: ModelChoice) -> Call | None:
    """Return the dearest call of a model; None where no price is known."""
    price = pricing_of(choice)
    window = None if choice.is_embedded else _window(choice)
    size = window or 1_000_000
    longest = min(choice.settings.max_tokens or LONGEST_ANSWER, size)
    splits = [
        price(Usage(input_tokens=size - written, output_tokens=written)) for written in (0, longest)
    ]
    tokens = [price(Usage(input_tokens=size)), price(Usage(output_tokens=size))]
    if None in splits or None in tokens:
        return None
    dearest = max(cost for cost in splits if cost is not None)
    per_token = max(cost for cost in tokens if cost is not None) / size
    is_bounded = window is not None or not per_token
    return Call(choice.label, dearest if is_bounded else None, window, per_token)


def _window(choice: ModelChoice) -> int | None:
    if choice.endpoint is None:
        return ListPrice(choice.model.removeprefix("litellm/"), "").context_window()
    return ListPrice(choice.model, choice.endpoint.base_url).context_window()
