"""How one value of a manifest differs from another, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

_LONGEST = 80


def told(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield how two mappings differ, key by key: `model: a → b`, `tools: + shell, - files`."""
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from (f"{key}.{inner}" for inner in told(before, after))
        elif _is_plain_list(before) and _is_plain_list(after):
            yield f"{key}: {_moved(before, after)}"
        elif before is None:
            yield f"{key}: + {shown(after)}"
        elif after is None:
            yield f"{key}: - {shown(before)}"
        else:
            yield f"{key}: {shown(before)} → {shown(after)}"


def shown(value: object) -> str:
    """Return a value on one line, shortened where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _is_plain_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and not any(isinstance(each, dict | list) for each in value)


def _moved(before: list[Any], after: list[Any]) -> str:
    added = [f"+ {shown(each)}" for each in after if each not in before]
    removed = [f"- {shown(each)}" for each in before if each not in after]
    return ", ".join([*added, *removed]) or "in another order"
