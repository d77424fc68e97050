"""Elements of SVG, and texts in them: whatever a manifest holds, it is never markup."""

from __future__ import annotations

from collections.abc import Iterable

from agency_cli.graph.plain import plain
from agency_cli.graph.text.cells import clusters

_SIGNS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[] -"), frozenset("mwMW@%")
_EM_NARROW, _EM_USUAL, _EM_CAPITAL, _EM_WIDE, _EM_SQUARE = 0.36, 0.58, 0.72, 0.95, 1.05

Value = str | float


def element(name: str, *inside: str, **attributes: Value) -> str:
    """Return one element; `class_` is `class`, and `_` stands for `-`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_number(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def text_at(text: str, x: float, y: float, *, size: float, class_: str, room: float = 0) -> str:
    """Return a line of text; squeezed where it would be wider than its room."""
    tight: dict[str, Value] = {}
    if room and width_of(text, size) > room:
        tight = {"textLength": room, "lengthAdjust": "spacingAndGlyphs"}
    return element("text", escaped(text), x=x, y=y, class_=class_, font_size=size, **tight)


def escaped(text: str) -> str:
    """Return a text as XML has it: on one line, without characters that XML forbids."""
    kept = (char for char in plain(text) if not _is_forbidden(char))
    return "".join(_SIGNS.get(char, char) for char in kept)


def width_of(text: str, size: float) -> float:
    """Return about how wide a text is, in pixels; fonts differ, so rather too much."""
    return size * sum(_ems(sign, cells) for sign, cells in clusters(text))


def path(points: Iterable[tuple[float, float]]) -> str:
    """Return a line through points, as the `d` of a path."""
    return "M" + " L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _ems(sign: str, cells: int) -> float:
    if cells > 1:
        return _EM_SQUARE
    if sign in _NARROW:
        return _EM_NARROW
    if sign in _WIDE:
        return _EM_WIDE
    return _EM_CAPITAL if sign.isupper() else _EM_USUAL


def _is_forbidden(char: str) -> bool:
    return ord(char) & 0xFFFE == 0xFFFE  # noqa: PLR2004 - the last two of each plane


def _number(value: Value) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
