"""The tools do what they say; they are Python functions, and tested as such."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

# By its path: another agency beside this one may have a `tools` too.
reading_time = runpy.run_path(str(Path(__file__).with_name("tools.py")))["reading_time"]


@pytest.mark.parametrize(
    ("words", "told"), [(1, "1 words, 1 min"), (220, "220 words, 1 min"), (221, "221 words, 2 min")]
)
def test_the_reading_time_is_rounded_up(words: int, told: str) -> None:
    assert reading_time("word " * words) == told
