"""The tools of this agency: plain functions, which need nothing but types and a docstring."""

from __future__ import annotations

import math

WORDS_PER_MINUTE = 220


def reading_time(text: str) -> str:
    """Say how long a text takes to read.

    Args:
        text: The whole text.
    """
    words = len(text.split())
    minutes = max(1, math.ceil(words / WORDS_PER_MINUTE))
    return f"{words} words, {minutes} min"
