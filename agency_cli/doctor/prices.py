"""What each model costs, and how that is known."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib import metadata

from agency_cli.doctor.case import Case
from agency_cli.doctor.finding import Finding
from agency_cli.events import Usage
from agency_cli.models.choice import ModelChoice, pricing_of
from agency_cli.pricing import Pricing, newest_change

_SAMPLE = 1_000
"""Tokens; few, as some prices rise with the size of a request."""


def prices(case: Case) -> Iterator[Finding]:
    """The price of each model."""
    listed = False
    for model, users in case.models():
        if model.is_embedded:
            continue
        finding = _price(case, model, users)
        listed = listed or (model.price is None and finding.status == "ok")
        yield finding
    if listed:
        yield from price_list(case)


def price_list(_case: Case) -> Iterator[Finding]:
    """The list of prices that is installed, and how new it is."""
    known = newest_change(datetime.now(UTC).date())
    yield Finding(
        kind="price",
        name="list",
        status="ok",
        detail=f"genai-prices {metadata.version('genai-prices')}{_dated(known)}",
    )


def _dated(known: date | None) -> str:
    return f"; the latest change in it is of {known}" if known else ""


def _price(case: Case, model: ModelChoice, users: tuple[str, ...]) -> Finding:
    pricing = pricing_of(model)
    given = _per_million(pricing, Usage(input_tokens=_SAMPLE))
    written = _per_million(pricing, Usage(output_tokens=_SAMPLE))
    if given is not None and written is not None:
        source = "the manifest" if model.price is not None else "the list"
        return Finding(
            kind="price",
            name=model.label,
            status="ok",
            detail=f"{given} in, {written} out, for a million tokens; from {source}",
            needed_by=users,
        )
    limited = case.loaded is not None and case.loaded.manifest.limits.max_cost_usd is not None
    rest = "; limits.max_cost_usd cannot be kept" if limited else "; costs are shown as unknown"
    return Finding(
        kind="price",
        name=model.label,
        status="note",
        detail=f"no price is known{rest}",
        advice=f"declare the price of {model.model} under models: price: {{input: 1, output: 2}}",
        needed_by=users,
    )


def _per_million(pricing: Pricing, usage: Usage) -> str | None:
    cost = pricing(usage)
    if cost is None:
        return None
    amount = (cost * (Decimal(1_000_000) / _SAMPLE)).normalize()
    return f"${amount:f}"
