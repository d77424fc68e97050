"""How many terminal cells text takes, and fitting text into them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

ELLIPSIS = "…"
_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"
_EMOJI = range(0x1F300, 0x1FB00)
_SKIN_TONES = range(0x1F3FB, 0x1F400)


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """Yield what a terminal draws as one sign, with its width of 1 or 2 cells."""
    sign, width = "", 0
    for char in text:
        if sign and _joins(sign, char):
            sign += char
            width = 2 if char == _EMOJI_STYLE else width
            continue
        if sign:
            yield sign, width
        sign, width = char, 2 if _is_wide(char) else 1
    if sign:
        yield sign, width


def _joins(sign: str, char: str) -> bool:
    return (
        sign.endswith(_JOINER)
        or char in (_JOINER, _EMOJI_STYLE)
        or ord(char) in _SKIN_TONES
        or unicodedata.category(char) in {"Mn", "Me", "Mc"}
    )


def _is_wide(char: str) -> bool:
    # Emoji that are newer than Python's tables have no width there.
    new_emoji = ord(char) in _EMOJI and unicodedata.category(char) == "Cn"
    return new_emoji or unicodedata.east_asian_width(char) in "WF"


def cell_width(text: str) -> int:
    """Return how many terminal cells the text takes."""
    if text.isascii():
        return len(text)
    return sum(width for _, width in clusters(text))


def shortened(text: str, limit: int, *, ellipsis: str = ELLIPSIS) -> str:
    """Return the text, cut with an ellipsis where it is wider than `limit` cells."""
    if cell_width(text) <= limit:
        return text
    return _head(text, limit - cell_width(ellipsis)) + ellipsis


def wrapped(text: str, limit: int) -> list[str]:
    """Return the text in lines of at most `limit` cells, broken between words where possible."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and cell_width(lines[-1]) + 1 + cell_width(word) <= limit:
            lines[-1] += f" {word}"
        else:
            lines.extend(_pieces(word, limit))
    return lines


def _pieces(word: str, limit: int) -> Iterator[str]:
    while cell_width(word) > limit:
        piece = _head(word, limit)
        seam = max(piece.rfind("_"), piece.rfind("-")) + 1
        piece = piece[:seam] if seam * 2 > len(piece) else piece
        yield piece
        word = word[len(piece) :]
    yield word


def _head(text: str, limit: int) -> str:
    head, used = "", 0
    for sign, width in clusters(text):
        used += width
        if used > limit:
            break
        head += sign
    return head
