"""Lays the tokens of a text out: where each line begins, and the spaces within it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import yaml

from agency_cli.formatting.blocks import Nesting
from agency_cli.formatting.lines import Line, joined
from agency_cli.formatting.reading import Gap, Remark, Token, gap_between, tokens_of
from agency_cli.formatting.scalars import STEP, scalar_lines

_OPENING: Final = (yaml.FlowMappingStartToken, yaml.FlowSequenceStartToken)
_CLOSING: Final = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)


class Layout:
    """The new lines of a text.

    Attributes:
        comments: Every comment between its tokens, in order.
    """

    def __init__(self, text: str) -> None:
        """Lay out a text whose lines end in line feeds.

        Raises:
            Unformattable: It has something between its tokens that cannot be kept.
        """
        self.comments: list[str] = []
        self._nesting = Nesting()
        self._lines: list[Line] = []
        self._blank = False
        self._last: Token | None = None
        # The columns of blocks that were open behind the last token.
        self._columns: list[tuple[int, int]] = []
        for token in tokens_of(text):
            self._nesting.follow(token)
            if token.source or token.kind is yaml.StreamEndToken:
                self._put(token, self._gap_before(token, text))

    def text(self) -> str:
        """Return the text as it is laid out."""
        return joined(self._lines)

    def _gap_before(self, token: Token, text: str) -> Gap:
        last = self._last
        if last is None:
            return gap_between(text, 0, token.start, 0)
        return gap_between(text, last.end, token.start, last.last_column)

    def _put(self, token: Token, gap: Gap) -> None:
        if gap.trailing is not None:
            self.comments.append(gap.trailing.text)
            self._lines[-1].remark = gap.trailing
        indent = self._nesting.indent_of(token)
        self._put_lines(gap.lines, token, indent)
        if token.kind is yaml.StreamEndToken:
            return
        if gap.breaks:
            self._add(Line(" " * indent))
        elif self._last is not None:
            self._lines[-1].text += space_between(self._last, token)
        self._put_source(token)

    def _put_source(self, token: Token) -> None:
        column = len(self._lines[-1].text)
        outer = self._outer_of(token)
        self._nesting.place(token, column)
        first, *rest = (
            scalar_lines(token, column, outer) if token.kind is yaml.ScalarToken else [token.source]
        )
        self._lines[-1].text += first
        self._lines += [Line(line) for line in rest]
        self._lines[-1].was = token.last_column
        self._last = token
        self._columns = list(self._nesting.columns())

    def _outer_of(self, token: Token) -> tuple[int, int]:
        """Return the columns of the block that a scalar's further lines must exceed."""
        return self._nesting.outer if "\n" in token.source else (0, 0)

    def _put_lines(self, remarks: Sequence[Remark], token: Token, indent: int) -> None:
        for remark in remarks:
            if not remark.text:
                self._blank = True
                continue
            self.comments.append(remark.text)
            if self._goes_on(remark, token):
                self._lines.append(Line("", remark=remark))
            else:
                self._add(Line(" " * self._indent_of_remark(remark, token, indent) + remark.text))

    def _goes_on(self, remark: Remark, token: Token) -> bool:
        """Tell whether a comment goes on with one that stands behind the content of a line."""
        above = self._lines[-1].remark if self._lines and not self._blank else None
        return above is not None and above.column == remark.column != token.column

    def _indent_of_remark(self, remark: Remark, token: Token, indent: int) -> int:
        """Return the column of a comment: that of what it stands beside."""
        bracket = self._nesting.bracket
        if bracket is not None:
            return max(remark.column + bracket.shift, 0)
        places = list(self._columns)
        if token.kind is not yaml.StreamEndToken:
            places.insert(0, (token.column, indent))
        same = [now for was, now in places if was == remark.column]
        if same:
            return same[0]
        deepest = max(places, default=(0, 0))
        if remark.column < deepest[0]:
            return max((now for was, now in places if was < remark.column), default=0)
        # Deeper, it would be text of a scalar that ends above it.
        is_block = self._last is not None and self._last.style in ("|", ">")
        return deepest[1] if is_block or not places else deepest[1] + STEP

    def _add(self, line: Line) -> None:
        if self._blank and self._lines:
            self._lines.append(Line(""))
        self._blank = False
        self._lines.append(line)


def space_between(before: Token, after: Token) -> str:
    """Return what stands between two tokens of one line."""
    if before.kind in _OPENING:
        return ""
    if after.kind in _CLOSING:
        # `{a: }` is a key without a value, and `{a:}` another key.
        return " " if before.kind is yaml.ValueToken else ""
    if after.kind is yaml.FlowEntryToken:
        return " " if before.kind in (yaml.ValueToken, yaml.TagToken) else ""
    if after.kind is yaml.ValueToken:
        return " " if before.kind in (yaml.AliasToken, yaml.TagToken, yaml.AnchorToken) else ""
    return " "
