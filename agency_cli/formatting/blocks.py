"""The blocks and brackets that a place in a text stands in, where they were and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import yaml

from agency_cli.formatting.reading import Token
from agency_cli.formatting.scalars import STEP

_STARTS: Final = (yaml.BlockMappingStartToken, yaml.BlockSequenceStartToken)
_OPENING: Final = (yaml.FlowMappingStartToken, yaml.FlowSequenceStartToken)
_CLOSING: Final = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
# In a list whose dashes stand below its own key, what ends the list is not said otherwise.
_ENDS_BARE_LIST: Final = (yaml.KeyToken, yaml.ValueToken, yaml.BlockEndToken)


@dataclass(slots=True)
class Block:
    """A mapping or a list in lines of its own.

    Attributes:
        was: Column of its keys or dashes before.
        now: The same after; None until its first one is placed.
        is_list: Whether it has dashes.
        is_bare: It is a list whose dashes stood below its own key.
    """

    was: int
    now: int | None = None
    is_list: bool = False
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class Bracket:
    """A mapping or a list in brackets; `shift` is how far its opening one moved to the right."""

    shift: int


class Nesting:
    """Follows the tokens of a text."""

    def __init__(self) -> None:
        self._open: list[Block | Bracket] = []
        self._begins_key = False

    def follow(self, token: Token) -> None:
        """Take a token into account, before it is placed."""
        if issubclass(token.kind, _ENDS_BARE_LIST) and self._is_bare():
            self._open.pop()
        if issubclass(token.kind, _STARTS):
            is_list = token.kind is yaml.BlockSequenceStartToken
            self._open.append(Block(token.column, is_list=is_list))
        elif token.kind is yaml.BlockEndToken:
            self._open.pop()
        elif token.kind is yaml.KeyToken:
            self._begins_key = True
        elif token.kind is yaml.BlockEntryToken and self._is_mapping():
            now = self.outer[1] + STEP
            self._open.append(Block(token.column, now, is_list=True, is_bare=True))

    def indent_of(self, token: Token) -> int:
        """Return the column of a token that begins a line."""
        top = self._open[-1] if self._open else None
        if isinstance(top, Bracket):
            least = self.outer[1] + (0 if issubclass(token.kind, _CLOSING) else STEP)
            return max(token.column + top.shift, least)
        if top is None:
            return 0
        if top.now is None:
            return self.outer[1] + STEP
        begins = self._begins_key or token.kind in (yaml.BlockEntryToken, yaml.ValueToken)
        return top.now if begins else top.now + STEP

    def place(self, token: Token, column: int) -> None:
        """Take into account where a token stands now."""
        self._begins_key = False
        if self._open and isinstance(top := self._open[-1], Block) and top.now is None:
            top.now = column
        if issubclass(token.kind, _OPENING):
            self._open.append(Bracket(column - token.column))
        elif issubclass(token.kind, _CLOSING):
            self._open.pop()

    @property
    def outer(self) -> tuple[int, int]:
        """Columns of the innermost block that is placed: as they were, and as they are now."""
        return [(0, -STEP), *self.columns()][-1]

    @property
    def bracket(self) -> Bracket | None:
        """The innermost mapping or list, if it is in brackets."""
        top = self._open[-1] if self._open else None
        return top if isinstance(top, Bracket) else None

    def columns(self) -> Iterator[tuple[int, int]]:
        """Yield the columns of each block that is placed, from the outermost."""
        for each in self._open:
            if isinstance(each, Block) and each.now is not None:
                yield each.was, each.now

    def _is_mapping(self) -> bool:
        top = self._open[-1] if self._open else None
        return isinstance(top, Block) and not top.is_list

    def _is_bare(self) -> bool:
        top = self._open[-1] if self._open else None
        return isinstance(top, Block) and top.is_bare
