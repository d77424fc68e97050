"""From the text of a document to nodes; LibYAML does the parsing, and nothing grows unbounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NoReturn

import yaml

from agency_cli.checks.nearest import did_you_mean
from agency_cli.checks.subject import MOST_PROBLEMS
from agency_cli.errors import ManifestError, Problem
from agency_cli.loading.nodes import Document, Entry, MappingNode, Node, ScalarNode, SequenceNode
from agency_cli.loading.scalars import resolve
from agency_cli.loading.syntax import Places, syntax_problem
from agency_cli.problem_codes import ProblemCode

DEEPEST: Final = 64
"""How many mappings and lists may stand in each other."""
MOST_VALUES: Final = 100_000
"""How many values a document may have, those that its aliases stand for counted in."""

_STANDARD_TAG: Final = "tag:yaml.org,2002:"
_SCALAR_TYPES: Final[dict[str, tuple[type, ...]]] = {
    f"{_STANDARD_TAG}bool": (bool,),
    f"{_STANDARD_TAG}int": (int,),
    f"{_STANDARD_TAG}float": (int, float),
    f"{_STANDARD_TAG}null": (type(None),),
}
_EMPTY: Final = "the file is empty; a manifest begins with the line `version: 1`"
_TEXT_TAGS: Final = frozenset({f"{_STANDARD_TAG}str", "!"})


def compose(text: str, shown: str) -> tuple[Document, tuple[Problem, ...]]:
    """Return the document in `text`, and what is wrong with it but leaves it readable.

    Raises:
        ManifestError: It is not YAML, not one mapping, or grows or nests beyond the limits.
    """
    composer = _Composer(text, shown)
    root = composer.document()
    return Document(text, root), tuple(composer.problems)


class _Composer:
    """Reads events one by one, so that what nests or grows without bound is met early."""

    def __init__(self, text: str, shown: str) -> None:
        loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
        self._text = text
        self._shown = shown
        self._places = Places(text)
        self._events: Iterator[Any] = yaml.parse(text, Loader=loader)
        self._anchors: dict[str, Node | None] = {}
        self._values = 0
        self.problems: list[Problem] = []

    def document(self) -> Node:
        self._next()
        if isinstance(self._next(), yaml.StreamEndEvent):
            self._refuse("empty-file", _EMPTY, 1, 1)
        root = self._node(self._next(), 0)
        if isinstance(root, ScalarNode) and root.value is None:
            self._refuse("empty-file", _EMPTY, 1, 1)
        if not isinstance(root, MappingNode):
            found = "a list" if isinstance(root, SequenceNode) else "one value"
            what = f"a manifest is a mapping (`name: value` lines), and this file is {found}"
            self._refuse("not-a-mapping", what, root.line, root.column)
        self._next()
        more = self._next()
        if not isinstance(more, yaml.StreamEndEvent):
            what = "a second document begins here; a manifest is one document"
            self._refuse_at("second-document", what, more)
        return root

    def _next(self) -> Any:
        try:
            return next(self._events)
        except yaml.YAMLError as error:
            problem = syntax_problem(error, self._text, self._shown)
            raise ManifestError([*self.problems, problem]) from None

    def _node(self, event: Any, depth: int) -> Node:
        self._count(1, event)
        if isinstance(event, yaml.ScalarEvent):
            node: Node = self._scalar(event)
        elif isinstance(event, yaml.AliasEvent):
            return self._aliased(event, depth)
        else:
            node = self._collection(event, depth + 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _collection(self, event: Any, depth: int) -> Node:
        if depth > DEEPEST:
            what = f"mappings and lists nest deeper than {DEEPEST} levels here"
            self._refuse_at("too-deep", what, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", f"{_STANDARD_TAG}{'map' if is_mapping else 'seq'}"):
            self._note("unknown-tag", f"the tag {event.tag!r} means nothing here; remove it", event)
        return self._mapping(event, depth) if is_mapping else self._sequence(event, depth)

    def _sequence(self, start: Any, depth: int) -> SequenceNode:
        items = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._node(event, depth))
        size = 1 + sum(item.size for item in items)
        height = 1 + max((item.height for item in items), default=0)
        return SequenceNode(*self._span(start), size=size, height=height, items=tuple(items))

    def _mapping(self, start: Any, depth: int) -> MappingNode:
        entries: dict[str, Entry] = {}
        merged: list[MappingNode] = []
        size = height = 1
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._node(event, depth)
            is_merge = isinstance(event, yaml.ScalarEvent) and event.value == "<<"
            value = self._node(self._next(), depth)
            size += 1 + value.size
            height = max(height, 1 + value.height)
            if is_merge and event.implicit[0]:
                merged += self._merged(value)
            else:
                self._add(entries, key, value)
        for mapping in merged:
            for name, entry in (mapping.entries or {}).items():
                entries.setdefault(name, entry)
        return MappingNode(*self._span(start), size=size, height=height, entries=entries)

    def _merged(self, value: Node) -> list[MappingNode]:
        sources = value.items if isinstance(value, SequenceNode) else (value,)
        mappings = [source for source in sources if isinstance(source, MappingNode)]
        if len(mappings) < len(sources):
            what = "`<<` takes an alias of a mapping, such as `<<: *name`, or a list of them"
            self._problem("bad-merge", what, value.line, value.column)
        return mappings

    def _add(self, entries: dict[str, Entry], key: Node, value: Node) -> None:
        name = key.value if isinstance(key, ScalarNode) else None
        if not isinstance(name, str):
            written = self._text[key.start : key.end].strip()
            if not isinstance(key, ScalarNode):
                what = "a key must be a name; put a text that begins with { or [ in quotes"
            elif not written:
                what = "a key is missing before this colon"
            else:
                what = f'a key must be text; write it in quotes: "{written}"'
            self._problem("key-not-text", what, key.line, key.column)
        elif name in entries:
            first = entries[name].key
            what = f"the key {name!r} stands here a second time; the first is in line {first.line}"
            place = f", column {first.column}" if first.line == key.line else ""
            self._problem("duplicate-key", what + place, key.line, key.column)
        else:
            entries[name] = Entry(key, value)

    def _scalar(self, event: Any) -> ScalarNode:
        value: str | float | bool | None = event.value
        if event.tag in _SCALAR_TYPES:
            value = resolve(event.value)
            if type(value) not in _SCALAR_TYPES[event.tag]:
                what = f"{event.value[:40]!r} is no {event.tag.removeprefix(_STANDARD_TAG)}"
                self._note("unknown-tag", f"{what}, though its tag says so", event)
        elif event.tag is None:
            value = resolve(event.value) if event.implicit[0] else event.value
        elif event.tag not in _TEXT_TAGS:
            self._note("unknown-tag", f"the tag {event.tag!r} means nothing here; remove it", event)
        return ScalarNode(*self._span(event), value=value)

    def _aliased(self, event: Any, depth: int) -> Node:
        if event.anchor not in self._anchors:
            hint = did_you_mean(event.anchor, self._anchors)
            what = f"no anchor &{event.anchor} stands before this alias{hint}"
            self._refuse_at("unknown-alias", what, event)
        node = self._anchors[event.anchor]
        if node is None:
            self._refuse_at("alias-loop", f"*{event.anchor} stands inside of itself", event)
        if depth + node.height > DEEPEST:
            what = f"with this alias, mappings and lists nest deeper than {DEEPEST} levels"
            self._refuse_at("too-deep", what, event)
        self._count(node.size, event)
        return node

    def _count(self, values: int, event: Any) -> None:
        self._values += values
        if self._values > MOST_VALUES:
            alias = isinstance(event, yaml.AliasEvent)
            what = f"the document has more than {MOST_VALUES:,} values"
            code: ProblemCode = "alias-bomb" if alias else "too-many-values"
            self._refuse_at(code, what + (" when its aliases are expanded" if alias else ""), event)

    def _note(self, code: ProblemCode, what: str, event: Any) -> None:
        self._problem(code, what, *self._places.of(event.start_mark))

    def _problem(self, code: ProblemCode, message: str, line: int, column: int) -> None:
        if len(self.problems) <= MOST_PROBLEMS:
            self.problems.append(self._located(code, message, line, column))

    def _located(self, code: ProblemCode, message: str, line: int, column: int) -> Problem:
        return Problem(code=code, message=message, file=self._shown, line=line, column=column)

    def _refuse_at(self, code: ProblemCode, what: str, event: Any) -> NoReturn:
        self._refuse(code, what, *self._places.of(event.start_mark))

    def _refuse(self, code: ProblemCode, what: str, line: int, column: int) -> NoReturn:
        raise ManifestError([*self.problems, self._located(code, what, line, column)])

    def _span(self, event: Any) -> tuple[int, int, int, int]:
        return *self._places.of(event.start_mark), event.start_mark.index, event.end_mark.index
