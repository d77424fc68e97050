"""What LibYAML says about broken YAML, in words that help."""

from __future__ import annotations

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


def syntax_problem(error: yaml.YAMLError, text: str, shown: str) -> Problem:
    """Return the problem that stopped the parser, with its place."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return Problem(code="yaml-syntax", message=f"not YAML: {error}", file=shown)
    said, mark = error.problem or "", error.problem_mark
    if "nesting depth" in said:
        return _problem("too-deep", "mappings and lists nest too deep here", mark, shown)
    if error.context == "while scanning a quoted scalar" and "end of stream" in said:
        start = error.context_mark or mark
        return _problem("unclosed-quote", "this quote is never closed", start, shown)
    if said == "found character that cannot start any token":
        return _bad_start(mark, text, shown)
    if said in _AT_CONTEXT and error.context_mark is not None:
        mark = error.context_mark
    code: ProblemCode = "tab" if "tab character" in said else "yaml-syntax"
    return _problem(code, f"not YAML: {_ADVICE.get(said, said)}", mark, shown)


def _bad_start(mark: yaml.Mark, text: str, shown: str) -> Problem:
    character = text[mark.index : mark.index + 1]
    if character == "\t":
        return _problem("tab", "a tab in the indentation; YAML indents with spaces", mark, shown)
    what = f"not YAML: a text cannot begin with {character!r} unless it stands in quotes"
    return _problem("yaml-syntax", what, mark, shown)


def _problem(code: ProblemCode, message: str, mark: yaml.Mark, shown: str) -> Problem:
    return Problem(
        code=code, message=message, file=shown, line=mark.line + 1, column=mark.column + 1
    )
