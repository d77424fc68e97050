"""Which branches of a call tree are drawn where there is not room for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agency_cli.rendering.glyphs import Glyphs
from agency_cli.rendering.outline import Branch


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a drawn tree, with what may stand below it.

    Attributes:
        branch: What the line shows; None where it stands for branches that are left out.
        guide: The lines of the tree left of it.
        below: The lines of the tree left of texts below it.
        hidden: How many branches are left out here.
        text_lines: How many lines of streamed text may stand below it.
    """

    branch: Branch | None
    guide: str
    below: str
    hidden: int = 0
    text_lines: int = 0


MOST_TEXT_LINES = 3


def all_rows(root: Branch, glyphs: Glyphs) -> list[Row]:
    """Return the rows of the whole tree, without streamed text."""
    return list(_Picture(glyphs, frozenset(), 0).rows(root))


def fitted_rows(root: Branch, glyphs: Glyphs, height: int) -> list[Row]:
    """Return rows that take at most `height` lines, 1 at least.

    Streamed text shrinks first, then finished branches fold, oldest first; running ones go last.
    """
    finished = _finished(root)
    attempts: list[tuple[int, Sequence[Branch]]] = [
        (MOST_TEXT_LINES, ()),
        (1, finished),
        (0, [*finished, *_running(root)]),
    ]
    rows: list[Row] = []
    for text_lines, victims in attempts:
        rows = _with_fewest_hidden(root, glyphs, victims, text_lines, height)
        if _height(rows) <= height:
            break
    return rows


def _with_fewest_hidden(
    root: Branch, glyphs: Glyphs, victims: Sequence[Branch], text_lines: int, height: int
) -> list[Row]:
    """Hide as many of the first victims as it takes; all of them where that is not enough."""
    low, high = 0, len(victims)
    while low < high:
        middle = (low + high) // 2
        if _height(_rows(root, glyphs, victims[:middle], text_lines)) <= height:
            high = middle
        else:
            low = middle + 1
    return _rows(root, glyphs, victims[:low], text_lines)


def _rows(root: Branch, glyphs: Glyphs, hidden: Sequence[Branch], text_lines: int) -> list[Row]:
    picture = _Picture(glyphs, frozenset(id(branch) for branch in hidden), text_lines)
    return list(picture.rows(root))


def _height(rows: Sequence[Row]) -> int:
    return sum(1 + row.text_lines for row in rows)


def _finished(root: Branch) -> list[Branch]:
    """Return finished branches in the order in which they may be left out.

    First what stands below other finished branches. A branch comes after all below it, so that
    what is left is always a tree.
    """
    inner: list[Branch] = []
    outer: list[Branch] = []

    def visit(branch: Branch, *, below_finished: bool) -> None:
        for child in branch.children:
            visit(child, below_finished=below_finished or not branch.running)
        if not branch.running:
            (inner if below_finished else outer).append(branch)

    for child in root.children:
        visit(child, below_finished=not root.running)
    return inner + outer


def _running(root: Branch) -> list[Branch]:
    """Return running branches, the last one first and each after all below it."""
    return [branch for branch in reversed(list(root.walk())[1:]) if branch.running]


@dataclass(frozen=True, slots=True)
class _Picture:
    glyphs: Glyphs
    hidden: frozenset[int]
    text_lines: int

    def rows(self, root: Branch) -> Iterator[Row]:
        yield from self._branch(root, "", "")

    def _branch(self, branch: Branch, guide: str, indent: str) -> Iterator[Row]:
        items = self._items(branch)
        yield Row(
            branch,
            guide,
            indent + (self.glyphs.pipe if items else self.glyphs.blank),
            hidden=0 if items else self._left_out(branch),
            text_lines=self.text_lines if branch.text.strip() else 0,
        )
        for item in items:
            last = item is items[-1]
            turn = indent + (self.glyphs.last if last else self.glyphs.fork)
            if item is None:
                yield Row(None, turn, "", hidden=self._left_out(branch))
            else:
                below = indent + (self.glyphs.blank if last else self.glyphs.pipe)
                yield from self._branch(item, turn, below)

    def _items(self, branch: Branch) -> list[Branch | None]:
        """Return the children to draw, with one None in place of all that are left out.

        Empty where all are left out: the branch itself then tells how many.
        """
        items: list[Branch | None] = []
        for child in branch.children:
            if id(child) not in self.hidden:
                items.append(child)
            elif None not in items:
                items.append(None)
        return items if items != [None] else []

    def _left_out(self, branch: Branch) -> int:
        gone = (child for child in branch.children if id(child) in self.hidden)
        return sum(1 for child in gone for _ in child.walk())
