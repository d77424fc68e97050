"""Keeping keys out of what is written down."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

SHORTEST_SECRET = 6
"""Characters; what is shorter is no key, and stands in too many texts by chance."""


def without_secrets(line: str, secrets: Iterable[str]) -> str:
    """Return a text in JSON with a mark for each secret in it."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            line = line.replace(json.dumps(secret)[1:-1], "[secret]")
    return line


def value_without_secrets(value: Any, secrets: Iterable[str]) -> Any:
    """Return a value of JSON with a mark for each secret in its texts."""
    line = json.dumps(value)
    clean = without_secrets(line, secrets)
    return value if clean == line else json.loads(clean)


def replace_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return a plain text with a mark for each secret in it."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "[secret]")
    return text
