"""Money for tokens: by the manifest's price, else by the list; unknown is not free."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agency_cli.events import Usage
from agency_cli.manifest import Price
from agency_cli.pricing import FREE, ListPrice, OwnPrice

OPENAI = "https://api.openai.com/v1"


def test_an_own_price_counts_cached_and_written_tokens_apart():
    price = Price(input=2, output=10, cached_input=0.5, cache_write=3)
    usage = Usage(
        input_tokens=1_000_000,
        cached_input_tokens=400_000,
        cache_write_tokens=100_000,
        output_tokens=10_000,
    )
    assert OwnPrice(price)(usage) == Decimal("0.5") * 2 + Decimal("0.2") + Decimal("0.3") + Decimal(
        "0.1"
    )


def test_an_own_price_without_a_cache_price_charges_input():
    usage = Usage(input_tokens=1_000_000, cached_input_tokens=500_000)
    assert OwnPrice(Price(input=2, output=1))(usage) == 2


def test_free_costs_nothing_which_is_not_unknown():
    assert OwnPrice(FREE)(Usage(input_tokens=10, output_tokens=10)) == 0


def test_a_listed_model_is_priced_per_request_with_its_cached_tokens_cheaper():
    plain = ListPrice("gpt-5-mini", OPENAI)(Usage(input_tokens=1000, output_tokens=100))
    cached = ListPrice("gpt-5-mini", OPENAI)(
        Usage(input_tokens=1000, cached_input_tokens=1000, output_tokens=100)
    )
    assert plain is not None
    assert cached is not None
    assert 0 < cached < plain


@pytest.mark.parametrize("model", ["gpt-5-mini-2025-08-07", "gpt-5-mini"])
def test_a_dated_name_finds_its_price(model):
    assert ListPrice(model, OPENAI)(Usage(input_tokens=1000)) == Decimal("0.00025")


def test_a_gateway_that_serves_a_model_by_openais_name_has_openais_price():
    assert ListPrice("gpt-5-mini", "http://127.0.0.1:1/v1")(Usage(input_tokens=1000)) is not None


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro"])
def test_a_model_of_litellm_has_the_price_of_the_provider_in_its_name(model):
    _, _, bare = model.partition("/")
    usage = Usage(input_tokens=1000, output_tokens=1000)
    assert ListPrice(model, "")(usage)
    assert ListPrice(bare, "https://api.openai.com/v1")(usage) is None


def test_a_model_that_nobody_lists_has_no_price():
    assert ListPrice("llama3.3:70b", "http://127.0.0.1:1/v1")(Usage(input_tokens=1000)) is None


def test_more_cached_tokens_than_input_does_not_break_pricing():
    usage = Usage(input_tokens=10, cached_input_tokens=20, output_tokens=1)
    assert ListPrice("gpt-5-mini", OPENAI)(usage) is not None
