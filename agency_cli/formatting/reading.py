"""A text as tokens and as the gaps between them, where the comments are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import yaml

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class Unformattable(Exception):
    """A text that is sound, but that has to stay as it is; says why."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of YAML; those that only open or close a block have no text.

    Attributes:
        kind: Its class in PyYAML, such as `yaml.ValueToken`.
        start: Index of its first character.
        column: 0-based column there.
        source: Its characters; a block scalar without the blank lines that follow it.
        style: How a scalar is written: empty for plain, or one of `'`, `"`, `|`, `>`.
        is_unended: It is a block scalar whose last line, that of the text, does not end.
    """

    kind: type[yaml.Token]
    start: int
    column: int
    source: str
    style: str = ""
    is_unended: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.source)

    @property
    def last_column(self) -> int:
        """Column behind its last character."""
        before, broken, last = self.source.rpartition("\n")
        return len(last) + (0 if before or broken else self.column)


class Remark(NamedTuple):
    """A comment, or a blank line where the text is empty, and its 0-based column."""

    text: str
    column: int


class Gap(NamedTuple):
    """What stands between two tokens.

    Attributes:
        breaks: Whether the second one begins a line.
        trailing: The comment behind the first one, on its line.
        lines: The comments and blank lines that have a line for themselves.
    """

    breaks: bool
    trailing: Remark | None
    lines: tuple[Remark, ...]


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, the end of the stream last; line feeds end its lines."""
    for token in yaml.scan(text, Loader=_LOADER):
        if isinstance(token, yaml.StreamStartToken):
            continue
        start = token.start_mark.index
        source = text[start : token.end_mark.index]
        style = (token.style or "") if isinstance(token, yaml.ScalarToken) else ""
        is_block = style in ("|", ">")
        is_unended = is_block and "\n" in source and not source.endswith("\n")
        if is_block:
            source = _without_blank_end(source)
        yield Token(type(token), start, token.start_mark.column, source, style, is_unended)


def gap_between(text: str, start: int, end: int, column: int) -> Gap:
    """Read what stands between two indexes.

    Args:
        text: The whole text.
        start: Where the first token ends; 0 at the start of the text.
        end: Where the second one begins.
        column: Of `start`.

    Raises:
        Unformattable: It is neither space nor comment.
    """
    # A last line need not be ended.
    ended = "\n" if end == len(text) else ""
    first, *rest = (text[start:end] + ended).split("\n")
    if not rest:
        if first.strip(" \t"):
            raise Unformattable("it has characters that end lines in YAML only")
        return Gap(start == 0, None, ())
    if rest.pop().strip(" \t"):
        raise Unformattable("it has characters that end lines in YAML only")
    if start == 0:
        return Gap(True, None, tuple(_remark(line, 0) for line in (first, *rest)))
    trailing = _remark(first, column)
    return Gap(True, trailing if trailing.text else None, tuple(_remark(line, 0) for line in rest))


def _remark(line: str, column: int) -> Remark:
    text = line.strip(" \t")
    if text and not text.startswith("#"):
        raise Unformattable("it has characters that end lines in YAML only")
    return Remark(text, column + len(line) - len(line.lstrip(" \t")))


def _without_blank_end(source: str) -> str:
    """Cut a block scalar behind its last line; spaces beyond its indentation are a line, too."""
    head, _, body = source.partition("\n")
    signs = head.partition("#")[0]
    if "+" in signs:
        # Its blank lines are text.
        return source.removesuffix("\n")
    indents = (len(line) - len(line.lstrip(" ")) for line in body.split("\n") if line.strip(" "))
    indent = 0 if re.search("[1-9]", signs) else next(indents, len(body))
    lines = source.split("\n")
    while len(lines) > 1 and not lines[-1].strip(" ") and len(lines[-1]) <= indent:
        lines.pop()
    return "\n".join(lines)
