"""What LibYAML says about broken YAML, in words that help."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

import yaml

from agency_cli.errors import Problem
from agency_cli.problem_codes import ProblemCode

# By LibYAML's words, which have not changed in years; anything else is passed on as it is.
_ADVICE: Final = {
    "mapping values are not allowed in this context": (
        "a second `:` in one value, or a line that is not indented like its neighbours;"
        " put a text that holds `: ` in quotes"
    ),
    "block sequence entries are not allowed in this context": (
        "a list's first `- ` must begin a line of its own"
    ),
    "did not find expected ',' or ']'": "a list that begins with `[` here is not closed",
    "did not find expected ',' or '}'": "a mapping that begins with `{` here is not closed",
    "could not find expected ':'": "a key without a `:`",
    "did not find expected '-' indicator": (
        "a line that does not belong to the list around it; check its indentation"
    ),
    "did not find expected key": (
        "a line that does not belong to the mapping around it; check quotes and indentation"
    ),
    "did not find expected <document start>": (
        "a line that is indented less than the first; check its indentation"
    ),
    "found unknown escape character": (
        "an escape that YAML does not know; write \\\\ for a backslash, or use single quotes"
    ),
    "found a tab character where an indentation space is expected": (
        "a tab in the indentation; YAML indents with spaces"
    ),
}
_AT_CONTEXT: Final = frozenset(
    {
        "did not find expected ',' or ']'",
        "did not find expected ',' or '}'",
        "could not find expected ':'",
    }
)
"""What is best shown where it began, not where it was noticed."""


_BREAK: Final = re.compile("\r\n|\r|\n")
# What YAML takes for the end of a line, and editors do not.
_ODD_BREAK: Final = re.compile("[\x85\u2028\u2029]")


class Places:
    """Lines and columns of a parser's marks, counted as editors count.

    Args:
        text: What is parsed.
    """

    def __init__(self, text: str) -> None:
        is_odd = _ODD_BREAK.search(text) is not None
        self._starts = [0, *(found.end() for found in _BREAK.finditer(text))] if is_odd else None

    def of(self, mark: yaml.Mark) -> tuple[int, int]:
        """Return the 1-based line and column of a mark."""
        if self._starts is None:
            return mark.line + 1, mark.column + 1
        line = bisect_right(self._starts, mark.index)
        return line, mark.index - self._starts[line - 1] + 1


def syntax_problem(error: yaml.YAMLError, text: str, shown: str) -> Problem:
    """Return the problem that stopped the parser, with its place."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return Problem(code="yaml-syntax", message=f"not YAML: {error}", file=shown)
    code, message, mark = _explained(error, error.problem_mark, text)
    line, column = Places(text).of(mark)
    return Problem(code=code, message=message, file=shown, line=line, column=column)


def _explained(
    error: yaml.MarkedYAMLError, mark: yaml.Mark, text: str
) -> tuple[ProblemCode, str, yaml.Mark]:
    said = error.problem or ""
    if "nesting depth" in said:
        return "too-deep", "mappings and lists nest too deep here", mark
    if error.context == "while scanning a quoted scalar" and "end of stream" in said:
        start = error.context_mark or mark
        return "unclosed-quote", "this quote is never closed", start
    if said == "found character that cannot start any token":
        return *_bad_start(text[mark.index : mark.index + 1]), mark
    if said in _AT_CONTEXT and error.context_mark is not None:
        mark = error.context_mark
    code: ProblemCode = "tab" if "tab character" in said else "yaml-syntax"
    return code, f"not YAML: {_ADVICE.get(said, said)}", mark


def _bad_start(character: str) -> tuple[ProblemCode, str]:
    if character == "\t":
        return "tab", "a tab in the indentation; YAML indents with spaces"
    what = f"not YAML: a text cannot begin with {character!r} unless it stands in quotes"
    return "yaml-syntax", what
