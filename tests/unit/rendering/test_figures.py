"""Numbers as people read them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agency_cli.calltree import Totals
from agency_cli.rendering.figures import age, cost, counted, duration, money, tokens, whole_cost


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        ("0", "$0"),
        ("0.0000123", "$0.000012"),
        ("0.0003", "$0.0003"),
        ("0.0031", "$0.0031"),
        ("0.02", "$0.0200"),
        ("0.12345", "$0.1234"),
        ("1.239", "$1.24"),
        ("1234.5", "$1,234.50"),
    ],
)
def test_money_has_the_digits_that_matter(usd, text):
    assert money(Decimal(usd)) == text


@pytest.mark.parametrize("exponent", range(1, 20))
def test_an_amount_that_is_not_zero_never_looks_like_zero(exponent):
    assert set(money(Decimal(1).scaleb(-exponent))) - set("$0.") == {"1"}


@pytest.mark.parametrize(
    ("known", "unpriced", "short", "long"),
    [
        ("0.0012", (), "$0.0012", "$0.0012"),
        ("0", (), "$0", "$0"),
        ("0", ("own",), "? $", "? $"),
        ("0.0012", ("own",), "≥ $0.0012", "≥ $0.0012 + unknown"),
    ],
)
def test_an_unknown_cost_is_never_written_as_a_known_one(known, unpriced, short, long):
    totals = Totals(cost_usd=Decimal(known), unpriced_models=unpriced)
    assert cost(totals) == short
    assert whole_cost(totals) == long


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (9_999, "9,999"),
        (10_000, "10.0k"),
        (12_345, "12.3k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (999_499, "999k"),
        (999_500, "1.00M"),
        (1_234_567, "1.23M"),
    ],
)
def test_tokens_take_at_most_seven_characters(count, text):
    assert tokens(count) == text
    assert len(text) <= 7


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-0.01, "0.0s"),
        (8.24, "8.2s"),
        (59.94, "59.9s"),
        (59.96, "1m 00s"),
        (65, "1m 05s"),
        (3_599.7, "1h 00m"),
        (7_380, "2h 03m"),
    ],
)
def test_times_are_said_as_people_say_them(seconds, text):
    assert duration(seconds) == text


def test_one_is_singular():
    assert counted(1, "turn") == "1 turn"
    assert counted(2_000, "turn") == "2,000 turns"


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(-2, "0s"), (0.9, "0s"), (59, "59s"), (60, "1m"), (7200, "2h"), (86_399, "23h"), (4e6, "46d")],
)
def test_an_age_is_written_in_its_largest_unit(seconds, written):
    assert age(seconds) == written
