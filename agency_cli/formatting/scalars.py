"""Scalars at their new place: quotes of one kind, lines moved along."""

from __future__ import annotations

import re
from typing import Final

from agency_cli.formatting.reading import Token

STEP: Final = 2
"""Columns that each level of blocks is indented by."""


def scalar_lines(token: Token, column: int, outer: tuple[int, int]) -> list[str]:
    """Return the lines of a scalar, the first one without its indentation.

    Args:
        token: The scalar.
        column: Where it begins now.
        outer: Columns of the block around it: as they were, and as they are now.
    """
    if token.style in ("|", ">"):
        head, *body = token.source.split("\n")
        if token.is_unended:
            # It has no line feed at its end, and the text is about to get one.
            head = re.sub(r"^([|>])[-+]?([1-9]?)[-+]?", r"\1-\2", head)
        return _block(head, body, *outer)
    first, *rest = token.source.split("\n")
    if not rest:
        return [_quoted(first) if token.style == "'" else first]
    least = outer[1] + STEP
    moved = [_continued(line, column - token.column, least) for line in rest]
    return [_trimmed(first), *moved]


def _quoted(source: str) -> str:
    """Return a text in single quotes in double ones, if that needs no backslash."""
    text = source[1:-1].replace("''", "'")
    return source if '"' in text or "\\" in text else f'"{text}"'


def _block(head: str, body: list[str], outer: int, new_outer: int) -> list[str]:
    """Move the lines of a block scalar; spaces behind its indentation are text."""
    given = re.match(r"[|>][-+]?([1-9])", head)
    if given:
        indent, new = outer + int(given[1]), new_outer + int(given[1])
    else:
        indents = (len(line) - len(line.lstrip(" ")) for line in body if line.strip(" "))
        indent, new = next(indents, 0), new_outer + STEP
    moved = [" " * new + line[indent:] if line[indent:] else "" for line in body]
    return [head.rstrip(" \t"), *moved]


def _continued(line: str, shift: int, least: int) -> str:
    text = line.lstrip(" \t")
    indent = max(len(line) - len(text) + shift, least)
    text = _trimmed(text)
    return " " * indent + text if text else ""


def _trimmed(line: str) -> str:
    """Cut spaces at the end of a line, but one behind a backslash, which is text."""
    cut = line.rstrip(" \t")
    slashes = len(cut) - len(cut.rstrip("\\"))
    return line[: len(cut) + 1] if slashes % 2 else cut
