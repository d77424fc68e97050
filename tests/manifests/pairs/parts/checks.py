"""Guardrails of the pairs."""


def is_short(value: str) -> bool:
    """Say whether a value is short."""
    return len(value) < 1000
