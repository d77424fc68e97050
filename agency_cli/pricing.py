"""Tokens of one model call -> money; the manifest's prices first, then the bundled price list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Protocol

from agency_cli.events import Usage
from agency_cli.manifest import Price

PER_MILLION = Decimal(1_000_000)
FREE = Price(input=0, output=0)


class Pricing(Protocol):
    """Says what one model call cost, in US dollars; None where no price is known."""

    def __call__(self, usage: Usage) -> Decimal | None: ...


@dataclass(frozen=True, slots=True)
class OwnPrice:
    """A price that the manifest states."""

    price: Price

    def __call__(self, usage: Usage) -> Decimal:
        plain = usage.input_tokens - usage.cached_input_tokens - usage.cache_write_tokens
        input_price = Decimal(str(self.price.input))
        cached = self.price.cached_input
        written = self.price.cache_write
        return (
            max(plain, 0) * input_price
            + usage.cached_input_tokens * (input_price if cached is None else Decimal(str(cached)))
            + usage.cache_write_tokens * (input_price if written is None else Decimal(str(written)))
            + usage.output_tokens * Decimal(str(self.price.output))
        ) / PER_MILLION


@dataclass(frozen=True, slots=True)
class ListPrice:
    """A price of the list that genai-prices brings along (no network).

    Attributes:
        model: The provider's id of the model.
        base_url: Address of the provider's API; empty for LiteLLM, whose ids name the provider.
    """

    model: str
    base_url: str

    def __call__(self, usage: Usage) -> Decimal | None:
        """Price one request; tiers depend on a request's size, so never give it a sum."""
        # The list takes a third of a second to import and is not needed to begin a run.
        from genai_prices import Usage as ListUsage  # noqa: PLC0415 - see above
        from genai_prices import calc_price  # noqa: PLC0415 - see above

        counted = ListUsage(
            input_tokens=usage.input_tokens,
            cache_read_tokens=min(usage.cached_input_tokens, usage.input_tokens),
            cache_write_tokens=usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
        )
        price = partial(calc_price, counted, self.model)
        # A gateway at an address of its own serves OpenAI's models by their names.
        likely = (
            (
                partial(price, provider_api_url=self.base_url),
                partial(price, provider_id="openai"),
            )
            if self.base_url
            else (partial(price, provider_id="litellm"),)
        )
        for attempt in likely:
            try:
                return attempt().total_price
            except LookupError:
                continue
        return None

    def context_window(self) -> int | None:
        """Return how many tokens a call may have, input and output together, if the list knows."""
        from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - see above

        find = get_snapshot().find_provider_model
        likely: tuple[tuple[str | None, str | None], ...] = (
            ((None, self.base_url), ("openai", None)) if self.base_url else (("litellm", None),)
        )
        for provider, address in likely:
            try:
                _, model = find(self.model, None, provider, address)
            except LookupError:
                continue
            return model.context_window
        return None


def newest_change(today: date) -> date | None:
    """Return the day of the latest change of a price, not after `today`, that the list knows."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - see above
    from genai_prices.types import StartDateConstraint  # noqa: PLC0415 - see above

    days = {
        price.constraint.start_date
        for provider in get_snapshot().providers
        for model in provider.models
        for price in (model.prices if isinstance(model.prices, list) else ())
        if isinstance(price.constraint, StartDateConstraint)
    }
    return max((day for day in days if day <= today), default=None)


def warm_up() -> None:
    """Load the price list; to be called in a thread while a network is waited for."""
    ListPrice("gpt-5-mini", "https://api.openai.com/v1")(Usage(input_tokens=1, output_tokens=1))
