"""Foreign text on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replays import HOSTILE

from agency_cli.rendering.printable import arguments_line, lines_of, one_line

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=200)


@given(ANY_TEXT)
def test_no_text_steers_a_terminal(text):
    for line in (*lines_of(text), one_line(text)):
        assert not any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 for sign in line)
        assert not any("\ud800" <= sign <= "\udfff" for sign in line)
        assert not set(line) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(ANY_TEXT, st.integers(1, 50))
def test_one_line_keeps_its_limit(text, limit):
    assert len(one_line(text, limit)) <= limit


def test_control_characters_are_written_out_so_that_they_can_be_seen():
    assert one_line("\x1b[31mred\x07") == r"\x1b[31mred\x07"
    assert "\x1b" not in "".join(lines_of(HOSTILE))


def test_lines_keep_their_ends_whatever_system_they_come_from():
    assert lines_of("a\r\nb\nc\td") == ["a", "b", "c   d"]


def test_a_cut_shows():
    assert one_line("a" * 300, 10) == "aaaaaaaaa…"
    assert one_line(" a  b\n\nc ", 10) == "a b c"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ('{"path": "a.py", "text": "two words", "n": 3}', 'path=a.py text="two words" n=3'),
        ('{"nested": {"a": [1, null]}, "empty": ""}', 'nested={"a": [1, null]} empty=""'),
        ("{}", ""),
        ("not JSON\x1b", r"not JSON\x1b"),
        ("[1, 2]", "[1, 2]"),
        ("[" * 100_000, "[" * 199 + "…"),
    ],
)
def test_arguments_read_like_a_call_whatever_they_are(arguments, line):
    assert arguments_line(arguments) == line
