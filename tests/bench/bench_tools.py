"""The tool of ten_turns.yaml."""

from __future__ import annotations


def note(text: str) -> str:
    """Note a part."""
    return f"noted: {text}"
