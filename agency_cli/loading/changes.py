"""What a manifest says, fact by fact, and how what it says now differs from what it said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agency_cli.loading.manifests import LoadedManifest

MOST_TOLD = 12
"""Changes that are told one by one; more are counted."""
_LONGEST_VALUE = 60

Facts = Mapping[str, str]
"""JSON of every value, by its place such as `agents.ceo.model`."""


def facts_of(loaded: LoadedManifest) -> dict[str, str]:
    """Return everything that a manifest and its files of instructions say; secrets are masked."""
    said = loaded.manifest.model_dump(mode="json", by_alias=True, exclude_unset=True)
    facts = dict(_leaves("", said))
    # As agents read them: from whichever file they come.
    facts |= {f"agents.{key}.instructions": json.dumps(t) for key, t in loaded.instructions.items()}
    return facts


def changes(before: Facts, after: Facts) -> list[str]:
    """Return how manifests differ, each change as a person says it; the first ones where many."""
    told = list(_differences(before, after))
    rest = len(told) - MOST_TOLD
    return told[:MOST_TOLD] + ([f"and {rest} more"] if rest > 0 else [])


def _differences(before: Facts, after: Facts) -> Iterator[str]:
    for place in dict.fromkeys((*before, *after)):
        old, new = before.get(place), after.get(place)
        if old == new:
            continue
        if old is None or new is None:
            word, value = ("new", new) if old is None else ("gone", old)
            yield f"{place} is {word} ({_short(value or '')})"
        elif place.endswith(".instructions"):
            yield f"{place}: {_changed_line(_as_text(old), _as_text(new))}"
        else:
            yield f"{place} was {_short(old)} and is {_short(new)}"


def _leaves(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(f"{place}.{key}" if place else str(key), inner)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(f"{place}[{index}]", inner)
    else:
        yield place, json.dumps(value, ensure_ascii=False, sort_keys=True)


def _as_text(fact: str) -> str:
    value = json.loads(fact)
    return value if isinstance(value, str) else fact


def _changed_line(old: str, new: str) -> str:
    """Return the first line in which two texts differ."""
    before, after = old.splitlines(), new.splitlines()
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    line = after[same] if same < len(after) else "(no line any more)"
    return f"from line {same + 1} on, which is {_short(line)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_VALUE else f"{line[: _LONGEST_VALUE - 1]}…"
