"""Keys of the format whose feature does not exist yet: they are refused, never ignored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agency_cli.checks.subject import Path
from agency_cli.errors import Problem

_ANY: Final = object()

# One row a key: its place, where `*` stands for every name or position, and the value that is not
# supported where others are. A row goes when its feature comes.
_UNSUPPORTED: Final[tuple[tuple[tuple[str, ...], object], ...]] = (
    (("tools", "*", "openapi"), _ANY),
)


def unsupported_keys(document: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem for each key, or value, that is not supported yet.

    Args:
        document: The document, interpolated; its shape need not be sound.
    """
    for pattern, refused in _UNSUPPORTED:
        for path, value in _found(document, pattern, ()):
            if refused is _ANY:
                what = f"{pattern[-1]!r} is not supported yet; remove it"
                yield Problem(code="not-supported-yet", message=what, path=path, at_key=True)
            elif value == refused:
                what = f"`{pattern[-1]}: {value}` is not supported yet"
                yield Problem(code="not-supported-yet", message=what, path=path)


def _found(value: Any, pattern: tuple[str, ...], path: Path) -> Iterator[tuple[Path, Any]]:
    if not pattern:
        yield path, value
    elif pattern[0] != "*":
        if isinstance(value, dict) and pattern[0] in value:
            yield from _found(value[pattern[0]], pattern[1:], (*path, pattern[0]))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _found(inner, pattern[1:], (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _found(inner, pattern[1:], (*path, index))
