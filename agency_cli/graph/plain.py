"""Text of a manifest, made safe to stand on one line of a drawing."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
"""Joins emoji into one sign; every other format character would only disturb."""
_DROPPED = {"Cc", "Cf", "Cs", "Co"}


def plain(text: str) -> str:
    """Return the text on one line, without control characters that a terminal would obey."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kept = (
        char
        for char in unicodedata.normalize("NFC", " ".join(text.split()))
        if char == _JOINER or unicodedata.category(char) not in _DROPPED
    )
    return "".join(kept)


def encodable(text: str, encoding: str) -> bool:
    """Whether every character of the text can be written in the encoding."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
