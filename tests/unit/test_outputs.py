"""What tools and agents give back reaches a model as text, whatever it is."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import BaseModel

from agency_cli.outputs import LONGEST_TEXT, as_text


class Point(BaseModel):
    x: int


CYCLE: list[object] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (None, ""),
        (5, "5"),
        (True, "true"),
        ({"a": 1, "b": ["ü"]}, '{"a": 1, "b": ["ü"]}'),
        (Point(x=1), '{"x":1}'),
        ([Point(x=1)], '[{"x": 1}]'),
        (Decimal("1.5"), '"1.5"'),
        ({("a", 1): 2}, "{('a', 1): 2}"),
        (CYCLE, "[[...]]"),
        (float("nan"), "NaN"),
    ],
)
def test_every_value_has_a_text(value, text):
    assert as_text(value) == text


def test_a_text_that_is_too_long_is_cut_and_says_so():
    text = as_text("x" * (LONGEST_TEXT + 5))
    assert text.endswith("[cut here: 200,005 characters in all]")
    assert len(text) < LONGEST_TEXT + 100
