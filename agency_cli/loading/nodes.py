"""A document as nodes that know where they stand in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

Path = tuple[str | int, ...]


@dataclass(eq=False, slots=True)
class Node:
    """A value and where it stands.

    Attributes:
        line: 1-based.
        column: 1-based, counted in characters.
        start: Index of its first character in the text.
        end: Index behind its last character.
        size: How many values it holds, itself and what its aliases stand for counted in.
        height: How many mappings and lists nest in it, aliases expanded.
    """

    line: int
    column: int
    start: int
    end: int
    size: int = 1
    height: int = 0


@dataclass(eq=False, slots=True)
class ScalarNode(Node):
    value: str | float | bool | None = None


@dataclass(eq=False, slots=True)
class SequenceNode(Node):
    items: tuple[Node, ...] = ()


class Entry(NamedTuple):
    key: Node
    value: Node


@dataclass(eq=False, slots=True)
class MappingNode(Node):
    entries: dict[str, Entry] | None = None

    def get(self, key: str | int) -> Entry | None:
        return self.entries.get(key) if self.entries and isinstance(key, str) else None


class SourceText(NamedTuple):
    """A file that is included: as messages name it, and its text."""

    shown: str
    text: str


class Document(NamedTuple):
    """The text of a manifest and the nodes in it.

    Attributes:
        text: The text.
        root: The top; what files add to it included.
        grafts: Where nodes come from that stand in other files, as do those below them, by ids.
    """

    text: str
    root: Node
    grafts: Mapping[int, SourceText] = {}

    def data(self) -> object:
        """Return plain dictionaries, lists and scalars."""
        return plain(self.root)

    def place(
        self, path: Path, *, at_key: bool = False, within: str = "", nth: int = 0
    ) -> tuple[int, int]:
        """Return line and column of a place, or of the nearest place around it that exists.

        Args:
            path: Keys and indexes from the top.
            at_key: Point at the key, not at its value.
            within: A piece of the value's text to point at, if it stands there as written.
            nth: Which occurrence of `within`, from 0.
        """
        node, key, source = self._find(path)
        text = self.text if source is None else source.text
        if at_key:
            return key.line, key.column
        if within and isinstance(node, ScalarNode):
            start = nth_index(text, within, nth, node.start, node.end)
            if start is not None:
                return line_and_column(text, start)
        return node.line, node.column

    def file_of(self, path: Path) -> str | None:
        """Return the file that a place stands in, as messages name it; None for the manifest."""
        source = self._find(path)[2]
        return None if source is None else source.shown

    def _find(self, path: Path) -> tuple[Node, Node, SourceText | None]:
        node = key = self.root
        source = None
        for part in path:
            if isinstance(node, MappingNode) and (entry := node.get(part)):
                node, key = entry.value, entry.key
            elif isinstance(node, SequenceNode) and isinstance(part, int):
                node = key = node.items[part]
            else:
                break
            source = self.grafts.get(id(node)) or self.grafts.get(id(key)) or source
        return node, key, source


def plain(node: Node) -> object:
    """Return what a node stands for as dictionaries, lists and scalars."""
    if isinstance(node, MappingNode):
        return {key: plain(entry.value) for key, entry in (node.entries or {}).items()}
    if isinstance(node, SequenceNode):
        return [plain(item) for item in node.items]
    assert isinstance(node, ScalarNode)
    return node.value


def line_and_column(text: str, index: int) -> tuple[int, int]:
    """Return the 1-based line and column of a character."""
    # A break is a line feed, a carriage return, or both together.
    breaks = text.count("\n", 0, index) + text.count("\r", 0, index)
    breaks -= text.count("\r\n", 0, index)
    line_start = max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1
    return breaks + 1, index - line_start + 1


def nth_index(text: str, piece: str, nth: int, start: int, end: int) -> int | None:
    """Return where the nth occurrence of a whole piece begins between two indexes."""
    for position, index in enumerate(_indexes(text, piece, start, end)):
        if position == nth:
            return index
    return None


def _indexes(text: str, piece: str, start: int, end: int) -> Iterator[int]:
    # A name inside a longer name is another name: `dev` does not stand in `developer`; and
    # behind another dollar sign, a reference is only text.
    before = r"(?<![\w-])" if piece[0].isalnum() else r"(?<!\$)"
    after = r"(?![\w-])" if piece[-1].isalnum() else ""
    for found in re.compile(before + re.escape(piece) + after).finditer(text, start, end):
        yield found.start()
