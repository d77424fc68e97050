"""YAML as this program reads it, with the place of everything."""

from __future__ import annotations

import pytest

from agency_cli.errors import ManifestError
from agency_cli.loading.composing import compose

TEXT = """\
version: 1
"naïve 😀": {a: [x, y], b: 'two words'}   # a comment
agents:
  ceo:
    tools:
      - files
      - shell
    instructions: |
      One @dev here,
      two developer, dev.
"""


def document(text):
    found, problems = compose(text, "agency.yaml")
    assert not problems
    return found


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("No", "No"),
        ("y", "y"),
        ("true", True),
        ("TRUE", True),
        ("tRue", "tRue"),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("None", "None"),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("-7", -7),
        ("+7", 7),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-01-31", "2026-01-31"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("-.inf", float("-inf")),
        ("1.2.3", "1.2.3"),
        (".", "."),
        ("-", "-"),
        ("9" * 5000, "9" * 5000),
        ("'7'", "7"),
        ('"true"', "true"),
        ("!!str 7", "7"),
        ("! 7", "7"),
        ("!!int 7", 7),
        ("!!float 7", 7),
    ],
)
def test_plain_scalars_mean_what_yaml_1_2_says(written, value):
    if written == "-":
        written = "'-'"
    data = document(f"key: {written}\n").data()
    assert data == {"key": value}
    assert type(data["key"]) is type(value)


@pytest.mark.parametrize(
    ("path", "value_place", "key_place"),
    [
        (("version",), (1, 10), (1, 1)),
        (("naïve 😀",), (2, 12), (2, 1)),
        (("naïve 😀", "a", 1), (2, 20), (2, 20)),
        (("naïve 😀", "b"), (2, 27), (2, 24)),
        (("agents", "ceo"), (5, 5), (4, 3)),
        (("agents", "ceo", "tools", 1), (7, 9), (7, 9)),
        (("agents", "ceo", "instructions"), (8, 19), (8, 5)),
        # Nothing there: the place of what is around it.
        (("agents", "ceo", "missing", "deeper"), (5, 5), (4, 3)),
    ],
)
def test_every_value_and_key_has_the_place_that_an_editor_shows(path, value_place, key_place):
    assert document(TEXT).place(path) == value_place
    assert document(TEXT).place(path, at_key=True) == key_place


def test_a_piece_of_a_text_has_its_own_place():
    path = ("agents", "ceo", "instructions")
    assert document(TEXT).place(path, within="@dev") == (9, 11)
    assert document(TEXT).place(path, within="dev", nth=1) == (10, 22)
    assert document(TEXT).place(path, within="nobody") == (8, 19)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_whatever_ends_them(line_end):
    text = TEXT.replace("\n", line_end)
    path = ("agents", "ceo", "instructions")
    assert document(text).place(path, within="@dev") == (9, 11)


def test_what_is_merged_keeps_the_place_where_it_is_written():
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], x: 5}\nd: *a\n"
    found = document(text)
    assert found.data() == {
        "a": {"x": 1, "y": 2},
        "b": {"y": 3, "z": 4},
        "c": {"x": 5, "y": 2, "z": 4},
        "d": {"x": 1, "y": 2},
    }
    assert found.place(("c", "y")) == (1, 17)
    assert found.place(("c", "x")) == (3, 22)
    assert found.place(("d", "x"), at_key=True) == (1, 8)


def test_a_quoted_merge_key_is_a_key_like_others():
    assert document('a: {"<<": 1}').data() == {"a": {"<<": 1}}


def test_an_anchor_can_be_given_again():
    assert document("a: &x 1\nb: *x\nc: &x 2\nd: *x\n").data() == {"a": 1, "b": 1, "c": 2, "d": 2}


def test_both_places_of_a_duplicate_key_are_named():
    problems = compose("a: 1\nb: {c: 1, c: 2}\na: 3\n", "agency.yaml")[1]
    assert [(p.line, p.column) for p in problems] == [(2, 11), (3, 1)]
    assert "line 2, column 5" in problems[0].message
    assert "line 1" in problems[1].message


def test_a_fault_of_syntax_comes_after_what_was_found_before_it():
    with pytest.raises(ManifestError) as raised:
        compose("a: 1\na: 2\nb: [\n", "agency.yaml")
    assert [problem.code for problem in raised.value.problems] == ["duplicate-key", "yaml-syntax"]
