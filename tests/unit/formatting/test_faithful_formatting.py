"""Whatever a manifest looks like, what it says stays, comments included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laid_out import AGENCIES, CASES, TEMPLATES, UNTIDY, holds

from agency_cli.errors import ManifestError
from agency_cli.formatting import Unformattable, format_text
from agency_cli.loading.composing import compose

PIECES = [
    " ", "  ", "    ", "\n", "\n\n\n", "# c", "  # c\n", "#", "'", "''", '"', ":", ": ", "- ",
    "- a\n", "? ", "[", "]", "{", "}", ", ", "|", "|+\n", "|2\n", ">-\n", "&a ", "*a",
    "!!str ", "\t", "\\", "<<: ", "---\n", "é😀", "\r\n", "x: 1\n", "  x:\n    # c\n", "%",
    "\u2028",
]  # fmt: skip
SOURCES = [UNTIDY, *(path.read_text() for path in [*AGENCIES, *TEMPLATES])] + [
    path.read_text() for path in CASES if path.parent.name == "valid"
]
PLACES = st.floats(0, 1)
INSERTED = st.tuples(st.just("insert"), PLACES, st.sampled_from(PIECES))
CUT = st.tuples(st.just("cut"), PLACES, st.integers(1, 4))
INDENTED = st.tuples(st.just("indent"), PLACES, st.integers(0, 8))
REMARKED = st.tuples(st.just("remark"), PLACES, st.integers(0, 8))
WIDENED = st.tuples(st.just("widen"), PLACES, st.integers(2, 3))


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_manifest_of_the_tests_is_laid_out_or_told_of(path):
    text = path.read_bytes().decode(errors="replace").removeprefix("\ufeff")
    try:
        after = format_text(text, path.name)
    except ManifestError:
        with pytest.raises(ManifestError):
            compose(text, path.name)
    else:
        holds(text, after)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(SOURCES),
    st.lists(st.one_of(INSERTED, CUT, INDENTED, REMARKED, WIDENED), min_size=1, max_size=5),
)
def test_no_mutation_makes_it_change_what_is_said(text, mutations):
    for mutation in mutations:
        text = mutated(text, *mutation)
    try:
        after = format_text(text, "agency.yaml")
    except (ManifestError, Unformattable):
        return
    holds(text, after)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SOURCES), st.lists(st.one_of(REMARKED, WIDENED), min_size=1, max_size=6))
def test_comments_and_indentation_never_keep_it_from_its_work(text, mutations):
    for mutation in mutations:
        text = mutated(text, *mutation)
    try:
        compose(text, "agency.yaml")
    except ManifestError:
        # A comment in the middle of a text that goes over several lines ends it.
        return
    holds(text, format_text(text, "agency.yaml"))


def mutated(text: str, kind: str, place: float, what: object) -> str:
    """Return a text with one thing changed, at a place between its start, 0, and its end, 1."""
    at = round(place * len(text))
    if kind == "insert":
        return f"{text[:at]}{what}{text[at:]}"
    if kind == "cut":
        return text[:at] + text[at + what :]
    lines = text.split("\n")
    row = round(place * (len(lines) - 1))
    if kind == "indent":
        lines[row] = " " * what + lines[row].lstrip(" ")
    elif kind == "remark":
        lines.insert(row, " " * what + "# new")
    else:
        lines = [" " * (len(line) - len(line.lstrip(" "))) * (what - 1) + line for line in lines]
    return "\n".join(lines)
