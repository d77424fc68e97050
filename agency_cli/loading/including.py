"""Files that a manifest includes: what they declare is added to it, each with its own place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from agency_cli.checks.nearest import did_you_mean
from agency_cli.errors import ManifestError, Problem
from agency_cli.loading.composing import compose
from agency_cli.loading.files import Place, TextFile
from agency_cli.loading.nodes import (
    Document,
    Entry,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    SourceText,
)
from agency_cli.loading.reading import read_text
from agency_cli.problem_codes import ProblemCode

Scalar = str | float | bool | None
MOST_FILES: Final = 100
"""How many files one manifest may include."""
NAMED: Final = ("providers", "models", "tools", "guardrails", "agents")
"""Sections whose entries have names."""
_ALLOWED: Final = (*NAMED, "flows", "include", "version")
# Where an entry of a section names a file, seen from the file that holds it.
_PATHS: Final = {
    "agents": (("instructions_file",), ("output_schema",)),
    "tools": (("python",), ("root",), ("folder",), ("openapi",), ("mcp", "folder")),
    "guardrails": (("python",), ("json_schema",)),
    "flows": (("send_message",),),
}


@dataclass(slots=True)
class Inclusion:
    """A document with all that its files add.

    Attributes:
        document: The whole.
        shown: The manifest as messages name it.
        files: The files that were read, for the manifest's hash.
        problems: What is wrong with them, located.
    """

    document: Document
    shown: str
    files: dict[Place, TextFile] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def with_includes(document: Document, folder: Path, shown: str) -> Inclusion:
    """Add what the files declare that a manifest names under `include`, and those that they name.

    Args:
        document: The manifest.
        folder: Its folder.
        shown: The manifest as messages name it.
    """
    root = document.root
    assert isinstance(root, MappingNode)
    if root.get("include") is None:
        return Inclusion(document, shown)
    whole = MappingNode(
        root.line, root.column, root.start, root.end, entries=dict(root.entries or {})
    )
    grafting = _Grafting(Inclusion(document, shown), whole, folder)
    grafting.include(root, _File(shown, folder, ""), ((folder / Path(shown).name).resolve(),))
    grafting.result.document = document._replace(root=whole, grafts=grafting.grafts)
    return grafting.result


@dataclass(frozen=True, slots=True)
class _File:
    """Where a file stands: as it is shown, its folder, and what leads there from the manifest."""

    shown: str
    folder: Path
    prefix: str


@dataclass(slots=True)
class _Grafting:
    result: Inclusion
    whole: MappingNode
    top: Path
    grafts: dict[int, SourceText] = field(default_factory=dict)
    _seen: set[Path] = field(default_factory=set)
    _moved: set[int] = field(default_factory=set)

    def include(self, root: MappingNode, file: _File, above: tuple[Path, ...]) -> None:
        """Add the files that `root`, the top of a file, names."""
        entry = root.get("include")
        if entry is None:
            return
        named = entry.value
        # The shape of the manifest itself is looked at with that of all its keys.
        is_top = len(above) == 1
        if not isinstance(named, SequenceNode):
            if not is_top:
                self._problem("wrong-type", "write a list, such as [shared/*.yaml]", file, named)
            return
        for item in named.items:
            if not isinstance(item, ScalarNode) or not isinstance(item.value, str):
                if not is_top:
                    self._problem("wrong-type", "name a file, or a pattern of files", file, item)
                continue
            for path in self._matches(item.value, file, item):
                self._include_one(path, file, item, above)

    def _matches(self, pattern: str, file: _File, item: Node) -> Iterator[Path]:
        if not any(sign in pattern for sign in "*?["):
            yield file.folder / pattern
            return
        try:
            found = sorted(each for each in file.folder.glob(pattern) if each.is_file())
        except (OSError, ValueError, NotImplementedError) as error:
            self._problem(
                "missing-file", f"{pattern!r} is no pattern of files: {error}", file, item
            )
            return
        if not found:
            self._problem("missing-file", f"no file fits {pattern!r}", file, item)
        yield from found

    def _include_one(self, path: Path, file: _File, item: Node, above: tuple[Path, ...]) -> None:
        resolved = path.resolve()
        if resolved in above:
            loop = [each.name for each in (*above[above.index(resolved) :], resolved)]
            what = f"files include each other in a circle: {' > '.join(loop)}; break it"
            self._problem("include-loop", what, file, item)
            return
        if resolved in self._seen:
            return
        self._seen.add(resolved)
        if len(self._seen) > MOST_FILES:
            self._problem(
                "too-many-files", f"more than {MOST_FILES} files are included", file, item
            )
            return
        prefix = os.path.relpath(path.parent, self.top)
        beside = os.path.dirname(file.shown)  # noqa: PTH120 - as written, `..` and all
        shown = os.path.normpath(Path(beside, os.path.relpath(path, file.folder)))
        one = _File(shown, path.parent, "" if prefix == "." else prefix)
        line, column = item.line, item.column
        at = Problem(code="", message="", file=file.shown, line=line, column=column)
        try:
            data, text = read_text(path, shown, at=at)
            document, problems = compose(text, shown)
        except ManifestError as error:
            self.result.problems += error.problems
            return
        self.result.problems += problems
        self.result.files["include", shown, "file"] = TextFile(shown, data, text)
        assert isinstance(document.root, MappingNode)
        self._graft(document.root, one, SourceText(shown, text))
        self.include(document.root, one, (*above, resolved))

    def _graft(self, root: MappingNode, file: _File, source: SourceText) -> None:
        for key, entry in (root.entries or {}).items():
            if key.startswith("x-") or key in {"include", "version"}:
                continue
            if key in NAMED and isinstance(entry.value, MappingNode):
                self._add_named(key, entry.value, file, source)
            elif key == "flows" and isinstance(entry.value, SequenceNode):
                self._add_flows(entry, file, source)
            elif key in _ALLOWED:
                kind = "list" if key == "flows" else "mapping"
                self._problem("wrong-type", f"{key} must be a {kind}", file, entry.value)
            else:
                hint = did_you_mean(key, _ALLOWED) or f"; there are {', '.join(_ALLOWED)}"
                what = f"a file that is included has no {key!r}{hint}"
                self._problem("not-in-an-include", what, file, entry.key)

    def _add_named(self, section: str, added: MappingNode, file: _File, source: SourceText) -> None:
        entries = self._section(section, added)
        for name, entry in (added.entries or {}).items():
            if name in entries:
                first = entries[name].key
                place = self.grafts.get(id(first))
                where = f"{place.shown if place else self._top_name}:{first.line}"
                what = f"{section}.{name} is declared in {where} too; give one of them another name"
                self._problem("duplicate-name", what, file, entry.key)
                continue
            entries[name] = entry
            self._claim(entry, section, file, source)

    def _add_flows(self, entry: Entry, file: _File, source: SourceText) -> None:
        assert isinstance(entry.value, SequenceNode)
        there = self.whole.get("flows")
        before = there.value if there is not None else None
        items = before.items if isinstance(before, SequenceNode) else ()
        if before is not None and not isinstance(before, SequenceNode):
            return
        added = entry.value
        for item in added.items:
            self._claim(Entry(item, item), "flows", file, source)
        at = before if before is not None else added
        flows = SequenceNode(at.line, at.column, at.start, at.end, items=(*items, *added.items))
        key = there.key if there is not None else entry.key
        self._set("flows", Entry(key, flows), source if there is None else None)

    def _section(self, name: str, added: MappingNode) -> dict[str, Entry]:
        """Return the entries of a section of the whole, as a copy that may be added to."""
        there = self.whole.get(name)
        if there is not None and not isinstance(there.value, MappingNode):
            return {}
        if there is not None and id(there.value) in self._moved:
            assert isinstance(there.value, MappingNode)
            return there.value.entries if there.value.entries is not None else {}
        old = there.value if there is not None else added
        assert isinstance(old, MappingNode)
        entries = dict(old.entries or {}) if there is not None else {}
        node = MappingNode(old.line, old.column, old.start, old.end, entries=entries)
        self._moved.add(id(node))
        self._set(name, Entry(there.key if there is not None else node, node), None)
        return entries

    def _set(self, name: str, entry: Entry, source: SourceText | None) -> None:
        assert self.whole.entries is not None
        self.whole.entries[name] = entry
        if source is not None:
            self.grafts[id(entry.key)] = source

    def _claim(self, entry: Entry, section: str, file: _File, source: SourceText) -> None:
        """Note where an entry comes from, and let the files that it names be seen from the top."""
        self.grafts |= {id(entry.key): source, id(entry.value): source}
        for keys in _PATHS.get(section, ()):
            node: Node | None = entry.value
            for key in keys:
                inner = node.get(key) if isinstance(node, MappingNode) else None
                node = inner.value if inner is not None else None
            if isinstance(node, ScalarNode) and id(node) not in self._moved:
                self._moved.add(id(node))
                node.value = _seen_from_top(node.value, file.prefix)

    @property
    def _top_name(self) -> str:
        return self.result.shown

    def _problem(self, code: ProblemCode, message: str, file: _File, node: Node) -> None:
        self.result.problems.append(
            Problem(code=code, message=message, file=file.shown, line=node.line, column=node.column)
        )


def _seen_from_top(value: Scalar, prefix: str) -> Scalar:
    """Return a path as it is seen from the manifest; what is no path, or absolute, as it is."""
    if not isinstance(value, str) or not prefix or "://" in value:
        return value
    file, colon, name = value.partition(":")
    if colon and not file.endswith(".py"):
        return value
    if Path(file).is_absolute():
        return value
    joined = Path(prefix, file).as_posix()
    return f"{joined}{'/' if file.endswith('/') else ''}{colon}{name}"
