"""All that differs between two states of an agency."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from agency_cli.comparing.flows import matched, said_of
from agency_cli.comparing.permissions import Permission, newly_permitted
from agency_cli.comparing.sides import Side
from agency_cli.comparing.values import shown, told
from agency_cli.graph import Change

MOST_LINES: Final = 60
"""Lines of one diff that are shown; more are counted."""
_SECTIONS: Final = ("agents", "tools", "models", "providers", "params", "guardrails")
_READ_ELSEWHERE: Final = frozenset({"instructions", "instructions_file"})
_SINGLE: Final = ("name", "description", "entry", "output_file", "tracing")


class Difference(NamedTuple):
    """One thing that was added, removed or changed.

    Attributes:
        section: What sort of thing: `agents`, `flows`, `limits`, ...
        name: Which one.
        details: What it is, or how it changed.
        diff: Lines of a unified diff, where it is a text.
    """

    section: str
    change: Change
    name: str
    details: tuple[str, ...] = ()
    diff: tuple[str, ...] = ()


class Comparison(NamedTuple):
    """What differs, and what of it permits more than before."""

    old: Side
    new: Side
    permitted: tuple[Permission, ...]
    differences: tuple[Difference, ...]


def compare(old: Side, new: Side) -> Comparison:
    """Return all that differs."""
    differences = (*_sections(old, new), *_flows(old, new), *_rest(old, new), *_texts(old, new))
    permitted = tuple(newly_permitted(old.manifest, new.manifest))
    return Comparison(old, new, permitted, differences)


def _sections(old: Side, new: Side) -> Iterator[Difference]:
    for section in _SECTIONS:
        before: Mapping[str, BaseModel] = getattr(old.manifest, section)
        after: Mapping[str, BaseModel] = getattr(new.manifest, section)
        for name in dict.fromkeys((*after, *before)):
            yield from _entry(section, name, _said(before.get(name)), _said(after.get(name)))


def _entry(
    section: str, name: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Iterator[Difference]:
    if before is None or after is None:
        said = after if before is None else before
        change: Change = "added" if before is None else "removed"
        details = tuple(f"{key}: {shown(value)}" for key, value in (said or {}).items())
        yield Difference(section, change, name, details)
    elif details := tuple(told(before, after)):
        yield Difference(section, "changed", name, details)


def _said(value: BaseModel | None) -> dict[str, Any] | None:
    """Return what is written of it; secrets are masked, and instructions are told of as texts."""
    if value is None:
        return None
    said = value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {key: each for key, each in said.items() if key not in _READ_ELSEWHERE}


def _flows(old: Side, new: Side) -> Iterator[Difference]:
    for pair in matched(old.manifest, new.manifest):
        before = said_of(pair.old) if pair.old else None
        after = said_of(pair.new) if pair.new else None
        yield from _entry("flows", pair.name, before, after)


def _rest(old: Side, new: Side) -> Iterator[Difference]:
    # A limit that is not written is in force all the same.
    limits = [side.manifest.limits.model_dump(mode="json") for side in (old, new)]
    yield from _single("limits", limits[0], limits[1])
    defaults = [_said(side.manifest.defaults) or {} for side in (old, new)]
    yield from _single("defaults", defaults[0], defaults[1])
    agency = [{name: getattr(side.manifest, name) for name in _SINGLE} for side in (old, new)]
    yield from _single("agency", agency[0], agency[1])


def _single(
    section: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Difference]:
    for words in told(before, after):
        name, _, how = words.partition(": ")
        yield Difference(section, "changed", name, (how,))


def _texts(old: Side, new: Side) -> Iterator[Difference]:
    """Yield what agents are told, and the code that is named, where it is not what it was."""
    before, after = old.loaded.instructions, new.loaded.instructions
    for agent in after:
        if agent in before and before[agent] != after[agent]:
            yield _text("instructions", agent, before[agent], after[agent])
    schemas = (old.loaded.output_schemas, new.loaded.output_schemas)
    for agent in schemas[1].keys() & schemas[0].keys():
        if details := tuple(told(schemas[0][agent], schemas[1][agent])):
            yield Difference("output schemas", "changed", agent, details)
    code = (old.code(), new.code())
    for name in dict.fromkeys((*code[1], *code[0])):
        if code[0].get(name) != code[1].get(name):
            change: Change = (
                "changed"
                if name in code[0] and name in code[1]
                else "added"
                if name in code[1]
                else "removed"
            )
            yield Difference("code", change, name)


def _text(section: str, name: str, before: str, after: str) -> Difference:
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[
        2:
    ]
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    kept = lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        kept.append(f"... and {len(lines) - MOST_LINES} more lines")
    details = (f"{added} {'line' if added == 1 else 'lines'} added, {removed} removed",)
    return Difference(section, "changed", name, details, tuple(kept))
