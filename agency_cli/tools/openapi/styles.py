"""How OpenAPI writes values into addresses, headers and forms: `style` and `explode`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

STYLES: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
"""The styles of each place; the first is the usual one."""
_SEPARATORS: Final = {"form": ",", "spaceDelimited": " ", "pipeDelimited": "|", "simple": ","}


def text_of(value: object) -> str:
    """Return one value as it stands in an address: JSON's words for what is no text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def pairs_of(name: str, value: Any, style: str, *, explode: bool) -> list[tuple[str, str]]:
    """Return the names and values, not yet escaped, that a value becomes in a query or a form."""
    if isinstance(value, Mapping):
        if style == "deepObject":
            return [(f"{name}[{key}]", text_of(each)) for key, each in value.items()]
        if explode:
            return [(key, text_of(each)) for key, each in value.items()]
    elif not isinstance(value, list):
        return [(name, text_of(value))]
    elif explode or style == "deepObject":
        return [(name, text_of(each)) for each in value]
    return [(name, _SEPARATORS.get(style, ",").join(_flat(value)))]


def path_text(name: str, value: Any, style: str, *, explode: bool) -> str:
    """Return what stands in a path, escaped."""
    match style:
        case "label":
            between = "." if explode else ","
            return "." + between.join(_escaped(value, explode=explode))
        case "matrix":
            if explode and isinstance(value, list):
                return "".join(f";{name}={_quoted(each)}" for each in value)
            if explode and isinstance(value, Mapping):
                return "".join(f";{_quoted(k)}={_quoted(each)}" for k, each in value.items())
            return f";{name}={','.join(_escaped(value, explode=False))}"
        case _:
            return ",".join(_escaped(value, explode=explode))


def header_text(value: Any, *, explode: bool) -> str:
    """Return what stands in a header."""
    if explode and isinstance(value, Mapping):
        return ",".join(f"{key}={text_of(each)}" for key, each in value.items())
    return ",".join(_flat(value))


def _escaped(value: Any, *, explode: bool) -> list[str]:
    if explode and isinstance(value, Mapping):
        return [f"{_quoted(key)}={_quoted(each)}" for key, each in value.items()]
    return [quote(each, safe="") for each in _flat(value)]


def _flat(value: Any) -> list[str]:
    """Return a list's values; of a mapping, its keys and values one after another."""
    if isinstance(value, Mapping):
        return [each for key, held in value.items() for each in (key, text_of(held))]
    return [text_of(each) for each in value] if isinstance(value, list) else [text_of(value)]


def _quoted(value: object) -> str:
    return quote(text_of(value), safe="")
