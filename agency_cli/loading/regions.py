"""Which places of a manifest hold credentials, and which are read by a model."""

from __future__ import annotations

from typing import Final

from agency_cli.loading.nodes import Path

Pattern = tuple[str, ...]

# `*` stands for one key or index, `**` at the end for everything below.
_CREDENTIALS: Final[tuple[Pattern, ...]] = (
    ("providers", "*", "api_key"),
    ("providers", "*", "headers", "*"),
    ("models", "*", "settings", "extra_headers", "*"),
    ("defaults", "settings", "extra_headers", "*"),
    ("agents", "*", "settings", "extra_headers", "*"),
    ("tools", "*", "headers", "*"),
    ("tools", "*", "query", "*"),
    ("tools", "*", "mcp", "headers", "*"),
    ("tools", "*", "mcp", "env", "*"),
    ("tools", "*", "options", "authorization"),
    ("tools", "*", "options", "headers", "*"),
)
_PROMPTS: Final[tuple[Pattern, ...]] = (
    ("description",),
    ("shared_instructions",),
    ("agents", "*", "instructions"),
    ("agents", "*", "description"),
    ("agents", "*", "output_schema", "**"),
    ("tools", "*", "description"),
    ("guardrails", "*", "message"),
    ("guardrails", "*", "judge", "instructions"),
    ("flows", "*", "extra_params", "**"),
    ("flows", "*", "reminder"),
    # A param's value can stand in any of the others.
    ("params", "**"),
)


def is_credential(path: Path) -> bool:
    """Whether the value at `path` may be missing until a run needs it."""
    return any(matches(pattern, path) for pattern in _CREDENTIALS)


def is_prompt(path: Path) -> bool:
    """Whether a model may read the value at `path`, so that no secret must reach it."""
    return any(matches(pattern, path) for pattern in _PROMPTS)


def matches(pattern: Pattern, path: Path) -> bool:
    """Whether a path has the shape of a pattern."""
    if pattern[-1] == "**":
        pattern, path = pattern[:-1], path[: len(pattern) - 1]
    return len(pattern) == len(path) and all(
        part in ("*", key) for part, key in zip(pattern, path, strict=True)
    )
