"""A manifest is laid out in one way, construct by construct."""

from __future__ import annotations

import pytest
from laid_out import AGENCIES, TEMPLATES, TIDY, UNTIDY, data

from agency_cli.errors import ManifestError
from agency_cli.formatting import Unformattable, format_text


def test_an_untidy_manifest_comes_out_in_the_one_layout():
    assert format_text(UNTIDY, "agency.yaml") == TIDY


@pytest.mark.parametrize("path", [*AGENCIES, *TEMPLATES], ids=lambda path: path.parent.name)
def test_what_is_shipped_is_laid_out_already(path):
    text = path.read_text()
    assert format_text(text, str(path)) == text


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_endings_of_other_systems_become_line_feeds(ending):
    assert format_text(UNTIDY.replace("\n", ending), "agency.yaml") == TIDY


@pytest.mark.parametrize(
    ("written", "laid_out"),
    [
        ("a:   1", "a: 1\n"),
        ("a: 1 # c", "a: 1  # c\n"),
        ("a :  b", "a: b\n"),
        ("{ a : 1,b: [ ] }", "{a: 1, b: []}\n"),
        ('{"a":1,b: }', '{"a": 1, b: }\n'),
        ("a: &x  {b: 1}\nc: *x", "a: &x {b: 1}\nc: *x\n"),
        ("&k  a: 1\n*k : 2", "&k a: 1\n*k : 2\n"),
        ("a: !!str   1", "a: !!str 1\n"),
        ("---\na: 1\n...", "---\na: 1\n...\n"),
        ("%YAML 1.2\n---\na: 1", "%YAML 1.2\n---\na: 1\n"),
        ("?   a\n:   b", "? a\n: b\n"),
        ("a:\n- - b\n  -   c", "a:\n  - - b\n    - c\n"),
        ("a:\n-\n     b: 1\n     c: 2", "a:\n  -\n    b: 1\n    c: 2\n"),
        ("a:\n       long", "a:\n  long\n"),
        ("a: [\n  b,\n]", "a: [\n  b,\n]\n"),
        ("a: [\nb,\n]", "a: [\n  b,\n]\n"),
        ("a: 1\n\n\n\nb: 2\n\n\n", "a: 1\n\nb: 2\n"),
        ("a: 0o17\nb: 1_000\nc: 2026-01-02\nd: ~", "a: 0o17\nb: 1_000\nc: 2026-01-02\nd: ~\n"),
        ("a: 1\n  # deeper", "a: 1\n  # deeper\n"),
        ("a: 1  # one\n      # two\nb: 2", "a: 1  # one\n      # two\nb: 2\n"),
        ("a:   # x\n    b: 1   # y", "a:   # x\n  b: 1   # y\n"),
    ],
)  # fmt: skip
def test_each_construct_has_its_layout(written, laid_out):
    assert format_text(written, "agency.yaml") == laid_out


@pytest.mark.parametrize(
    ("written", "laid_out"),
    [
        ("a: 'b'", 'a: "b"\n'),
        ("'a': 'it''s'", '"a": "it\'s"\n'),
        ("a: 'say \"b\"'", "a: 'say \"b\"'\n"),
        (r"a: 'C:\temp'", "a: 'C:\\temp'\n"),
        (r'a: "\u00e9"', 'a: "\\u00e9"\n'),
        ("a: ''", 'a: ""\n'),
        ("a: 'on'\nb: on", 'a: "on"\nb: on\n'),
    ],
)
def test_quotes_are_double_where_that_needs_no_backslash(written, laid_out):
    assert format_text(written, "agency.yaml") == laid_out


@pytest.mark.parametrize(
    ("written", "laid_out"),
    [
        ("a: |\n     b\n       c\n", "a: |\n  b\n    c\n"),
        ("a: |2\n    b\n", "a: |2\n    b\n"),
        ("a:\n   b: |1\n      c\n", "a:\n  b: |1\n     c\n"),
        ("a: |+\n   b\n\n\n", "a: |+\n  b\n\n\n"),
        ("a: |   # why\n   b\n", "a: |   # why\n  b\n"),
        ("a: |\n  b \n  \n  c\n", "a: |\n  b \n\n  c\n"),
        ("a: |\n  b\n     \nc: 1\n", "a: |\n  b\n     \nc: 1\n"),
        # Without a line feed at its end the text has none either, and it must not get one.
        ("a: |\n  b", "a: |-\n  b\n"),
        ("a: >+2\n   b", "a: >-2\n   b\n"),
        ('a: "b\n        c \\\n   d"', 'a: "b\n        c \\\n   d"\n'),
        ('a:\n      b: "c\n\n          d"', 'a:\n  b: "c\n\n      d"\n'),
    ],
)
def test_texts_of_several_lines_keep_every_character(written, laid_out):
    assert format_text(written, "agency.yaml") == laid_out
    assert data(laid_out) == data(written)


def test_comments_that_are_aligned_stay_aligned():
    text = (
        "a:            # one\n"
        "     b: 1     # two\n"
        "     c:   12  # three\n"
    )  # fmt: skip
    columns = {line.index("#") for line in format_text(text, "agency.yaml").splitlines()}
    assert len(columns) == 1


def test_what_no_layout_can_keep_is_left_alone():
    # To YAML this character ends a line, to everybody else it is one of the line.
    with pytest.raises(Unformattable):
        format_text("a: b # c\u2028d: e\n", "agency.yaml")


@pytest.mark.parametrize("text", ["a: [b", "- a", "", "# nothing", "a: 1\n---\nb: 2", "a: @b"])
def test_what_is_no_manifest_is_told_with_its_place(text):
    with pytest.raises(ManifestError) as raised:
        format_text(text, "agency.yaml")
    assert all(found.file == "agency.yaml" and found.line for found in raised.value.problems)
