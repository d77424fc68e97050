"""A line of a manifest that is shown holds no secret, and all else that stands in it."""

from __future__ import annotations

import pytest

from agency_cli.checks.secrets import masked
from agency_cli.errors import Problem
from agency_cli.loading import SourceLines
from agency_cli.rendering.problems.excerpt import excerpt

KEY = "sk-abcdefghijklmnopqrstuvwx"


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        (f"x: {KEY}", KEY),
        (f"x: [{KEY}, b]", KEY),
        ("api_key: hunter2", "hunter2"),
        ("x: {api_key: 'hunter two', base_url: y}", "hunter two"),
        ('apiKey: "hunter2"  # mine', "hunter2"),
        ("PASSWORD=hunter2", "hunter2"),
        ("Authorization: Basic aHVudGVyMg", "aHVudGVyMg"),
        ("token: ${env.TOKEN:-hunter2}", "hunter2"),
        ("url: https://me:hunter2@example.org/v1", "hunter2"),
        ("seed: 0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
    ],
)
def test_what_may_be_a_secret_becomes_stars_of_the_same_length(line, secret):
    shown = masked(line)
    assert secret not in shown
    assert len(shown) == len(line)
    assert shown.split(":")[0].split("=")[0] == line.split(":")[0].split("=")[0]


@pytest.mark.parametrize(
    "line",
    [
        "api_key: ${env.OPENAI_API_KEY}",
        'headers: {Authorization: "Bearer ${env.TOKEN}"}',
        "max_tokens: 500000",
        "instructions_file: a_very_long_name_of_a_file_of_instructions.md",
        "base_url: http://localhost:11434/v1",
        "  - ceo > developer, assistant",
    ],
)
def test_what_is_no_secret_stays(line):
    assert masked(line) == line


def test_a_credential_is_hidden_even_if_it_looks_like_a_word():
    text = "tools:\n  t:\n    mcp:\n      env:\n        PLACE: home\n"
    place = ("tools", "t", "mcp", "env", "PLACE")
    problem = Problem(code="wrong-type", message="", file="x", line=5, column=16, path=place)
    assert SourceLines({"x": text}).line(problem) == "        PLACE: ****"


def shown(line, column, **rest):
    return excerpt(line, Problem(code="empty", message="", line=7, column=column, **rest))


def test_the_marks_stand_below_the_place_whatever_stands_before_it():
    assert shown("a: b", 4) == ["  7 | a: b", "    |    ^"]
    assert shown("\ta: b c", 5) == ["  7 |  a: b c", "    |     ^"]
    assert shown("名: [x, wörd]", 8) == ["  7 | 名: [x, wörd]", "    |         ^^^^"]
    assert shown("a: 你好 b", 4) == ["  7 | a: 你好 b", "    |    ^^^^"]
    assert shown("a: 'b c' d", 4) == ["  7 | a: 'b c' d", "    |    ^^^^^"]
    assert shown("key: 1", 1) == ["  7 | key: 1", "    | ^^^"]
    assert shown("- a > b", 7, within="b") == ["  7 | - a > b", "    |       ^"]
    assert shown("a:", 40) == ["  7 | a:", "    |   ^"]
    assert shown("", 1) == ["  7 |", "    | ^"]


def test_a_long_line_is_cut_around_the_place():
    line = "x" * 200 + " needle " + "y" * 200
    first, second = shown(line, 202, within="needle")
    assert len(first) < 120
    assert first[second.index("^") : second.rindex("^") + 1] == "needle"
    first, second = shown(line, 1)
    assert first.startswith("  7 | xxx")
    assert first.endswith("x…")
    assert second.startswith("    | ^")


def test_no_line_steers_the_terminal():
    assert all(part.isprintable() for part in shown("a: \x1b[31m\u202e\x00b", 4))


def test_a_line_that_is_gone_is_not_shown(tmp_path):
    lines = SourceLines({"x": "one line"})
    assert lines.line(Problem(code="empty", message="", file="x", line=2, column=1)) is None
    assert lines.line(Problem(code="empty", message="", file=str(tmp_path), line=1)) is None
    assert lines.line(Problem(code="empty", message="", file="/dev/stdin", line=1)) is None
    assert lines.line(Problem(code="empty", message="")) is None
