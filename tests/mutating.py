"""Manifests that are damaged at random: in their bytes, their tokens, or their structure."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

MANIFESTS = Path(__file__).parent / "manifests"
WHOLE = (MANIFESTS / "every_key.yaml").read_bytes()
# What a structural mutation puts, or finds, at a place is told apart from all that was there.
FOREIGN_KEY = "zzqqxx"
_TOKENS = tuple(
    piece.encode()
    for line in (
        r": |- |  |[|]|{|}|'|\"|&a |*a|<<: |!!int |!!binary |? |~|#|%TAG| > |,|yes|.nan|1e999|0x10",
        "\n|>-\n|\t|---\n|...\n|\u2028|\ufeff|😀|${env.X}|${param.|${param.language}|2026-12-01",
    )
    for piece in (*line.split("|"), "|\n")
)
_BYTES = (b"\x00", b"\xff", b"\x80", b"\xed\xa0\x80", b"\x1b[2J", b"\r", b"\x85")
_FREE = frozenset(
    [
        "settings",
        "extra_params",
        "options",
        "output_schema",
        "json_schema",
        "headers",
        "query",
        "env",
        "when",
    ]
)
"""Keys below which any name may stand."""
_KEYS = frozenset(
    [
        "agents",
        "api_key",
        "applies_to",
        "approval",
        "base_url",
        "defaults",
        "description",
        "entry",
        "fallback",
        "flows",
        "guardrails",
        "instructions",
        "limits",
        "max_depth",
        "max_turns",
        "models",
        "name",
        "outbound",
        "params",
        "price",
        "providers",
        "python",
        "reminder",
        "to",
        "tool_name",
        "tools",
        "version",
    ]
)
"""Keys of the format that a letter too much makes unknown ones."""
Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Mutation:
    """A damaged manifest.

    Attributes:
        kind: `bytes`, `tokens` or `structure`.
        data: The file.
        path: Where the structure was changed.
        lines: The first and the last line of what stands there, from 1.
    """

    kind: str
    data: bytes
    path: Path_ = ()
    lines: tuple[int, int] = (0, 0)


def mutations(count: int, seed: int) -> Iterator[Mutation]:
    """Yield damaged manifests of the three kinds in turn; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - a test that can be repeated
    originals = [
        WHOLE,
        *(path.read_bytes() for path in sorted(MANIFESTS.glob("valid/*.yaml"))),
        *(path.read_bytes() for path in sorted(MANIFESTS.glob("pairs/*.bad.yaml"))),
    ]
    for number in range(count):
        match number % 3:
            case 0:
                yield Mutation("bytes", damaged(chance.choice(originals), chance, _BYTES))
            case 1:
                yield Mutation("tokens", damaged(chance.choice(originals), chance, _TOKENS))
            case _:
                yield _restructured(chance)


def damaged(data: bytes, chance: random.Random, pieces: tuple[bytes, ...]) -> bytes:
    """Return data in which some parts are replaced, gone, doubled, moved or repeated a lot."""
    result = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at, other = (chance.randrange(len(result) + 1) for _ in range(2))
        size = chance.choice([0, 1, 1, 4, 40])
        match chance.randrange(6):
            case 0 | 1:
                result[at : at + size] = chance.choice(pieces)
            case 2:
                del result[at : at + size]
            case 3:
                result[at:at] = result[at : at + size]
            case 4:
                result[other:other] = result[at : at + 10 * size]
            case _:
                result[at:at] = chance.choice(pieces) * chance.choice([2, 70, 3_000])
    return bytes(result)


def _restructured(chance: random.Random) -> Mutation:
    """Change one thing in a sound document, and write it so that each value has its own line."""
    document = yaml.safe_load(WHOLE)
    places = [path for path, value in _values(document) if path and _may_change(path)]
    path = chance.choice(places)
    match chance.randrange(4):
        case 0:
            place = _with_foreign_key(document, path, chance)
        case 1:
            place = _with_other_type(document, path)
        case 2:
            path = chance.choice([place for place in places if place[-1] in _KEYS])
            place = _with_misspelt_key(document, path, chance)
        case _:
            place = _with_value(document, path, chance)
    text = yaml.safe_dump(document, sort_keys=False, width=10_000, allow_unicode=True)
    return Mutation("structure", text.encode(), place, _lines_of(text, place))


def _may_change(path: Path_) -> bool:
    # Below these stands what its author is free to write.
    return not any(part in _FREE or str(part).startswith("x-") for part in path)


def _values(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    yield path, value
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _values(each, (*path, key))


def _holder(document: Any, path: Path_) -> Any:
    for part in path[:-1]:
        document = document[part]
    return document


def _with_foreign_key(document: Any, path: Path_, chance: random.Random) -> Path_:
    """Put an unknown key into the mapping at, or around, a place."""
    known = ("agents", "models", "tools", "providers", "guardrails", "params")
    while not isinstance(_at(document, path), dict) or path in ((name,) for name in known):
        path = path[:-1]
        if not path:
            break
    mapping = _at(document, path)
    items = list(mapping.items())
    items.insert(chance.randrange(len(items) + 1), (FOREIGN_KEY, "x"))
    mapping.clear()
    mapping.update(items)
    return (*path, FOREIGN_KEY)


def _with_other_type(document: Any, path: Path_) -> Path_:
    """Put a list of lists, which is wanted nowhere, at a place."""
    _holder(document, path)[path[-1]] = [[["x"]]]
    return path


def _with_value(document: Any, path: Path_, chance: random.Random) -> Path_:
    """Put a value that no place takes at the place of a single one."""
    while isinstance(_at(document, path), dict | list):
        inner = _at(document, path)
        parts = list(inner) if isinstance(inner, dict) else range(len(inner))
        changing = [part for part in parts if _may_change((part,))]
        if not changing:
            break
        path = (*path, chance.choice(changing))
    _holder(document, path)[path[-1]] = {FOREIGN_KEY: [["x"]]}
    return path


def _at(document: Any, path: Path_) -> Any:
    for part in path:
        document = document[part]
    return document


def _with_misspelt_key(document: Any, path: Path_, chance: random.Random) -> Path_:
    """Double a letter of a key."""
    mapping, key = _holder(document, path), str(path[-1])
    at = chance.randrange(1, len(key))
    misspelt = key[:at] + key[at] + key[at:]
    items = [(misspelt if name == key else name, value) for name, value in mapping.items()]
    mapping.clear()
    mapping.update(items)
    return (*path[:-1], misspelt)


def _lines_of(text: str, path: Path_) -> tuple[int, int]:
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    first = 0
    for part in path:
        if isinstance(node, yaml.MappingNode):
            key, node = next(pair for pair in node.value if pair[0].value == part)
            first = key.start_mark.line
        else:
            node = node.value[part]
            first = node.start_mark.line
    return first + 1, max(node.end_mark.line, first + 1)
