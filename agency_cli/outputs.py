"""What tools and agents give back, as the text that a model reads."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import TypeGuard

from agents import ToolOutputFileContent, ToolOutputImage, ToolOutputText
from pydantic import BaseModel

LONGEST_TEXT = 200_000
"""Characters; about 50,000 tokens, more than any tool result is worth."""

MediaOutput = ToolOutputText | ToolOutputImage | ToolOutputFileContent
Media = MediaOutput | list[MediaOutput]


class NoText(TypeError):
    """A value that holds its results back, such as a generator; there is nothing to read yet."""


def is_media(value: object) -> TypeGuard[Media]:
    """Say whether a value is more than a text: an image, a file, or several parts."""
    parts = value if isinstance(value, list) else [value]
    return bool(parts) and all(isinstance(part, MediaOutput) for part in parts)


def as_text(value: object) -> str:
    """Return a string as it is, nothing as an empty string, and anything structured as JSON.

    Raises:
        NoText: It is a generator or another iterator.
    """
    if isinstance(value, Iterator | AsyncIterator):
        raise NoText(f"it gave an iterator ({type(value).__name__}); let it return a whole text")
    if isinstance(value, str):
        text = value
    elif value is None:
        text = ""
    elif isinstance(value, bytes | bytearray | memoryview):
        text = _decoded(bytes(value))
    elif isinstance(value, list) and is_media(value):
        parts = (part.text if isinstance(part, ToolOutputText) else _json(part) for part in value)
        text = "\n".join(parts)
    elif isinstance(value, BaseModel):
        text = value.model_dump_json()
    else:
        text = _json(value)
    text = whole_characters(text)
    return text if len(text) <= LONGEST_TEXT else _cut(text)


def whole_characters(text: str) -> str:
    """Halves of characters, as file names of other encodings have them, cannot be sent."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"[{len(value):,} bytes that are not text]"


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (ValueError, TypeError, RecursionError):
        # Cyclic, or with keys that JSON has no form for.
        return repr(value)


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return str(value)


def _cut(text: str) -> str:
    return f"{text[:LONGEST_TEXT]}\n[cut here: {len(text):,} characters in all]"
