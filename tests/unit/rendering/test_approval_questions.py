"""Questions show every argument, however long another one is, and nothing in them steers."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from agency_cli.events import ApprovalAsked, ApprovalDecided
from agency_cli.rendering.approvals import (
    MOST_LINES,
    decision,
    is_cut,
    question_lines,
    waiting_lines,
)

AT = datetime(2026, 1, 1, tzinfo=UTC)


def question(arguments: object, call: str = "1234abcd") -> ApprovalAsked:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ApprovalAsked(
        node_id="/c", call=call, agent="dev", subject="write", arguments=text, at=AT
    )


def shown(arguments: object, *, whole: bool = False) -> list[str]:
    return [line.text for line in question_lines(question(arguments), whole=whole)]


def test_a_long_argument_hides_no_other():
    text = "\n".join(f"line {number}" for number in range(1_000))
    lines = shown({"content": text, "path": "x.py"})
    assert lines[0] == "dev wants to call write"
    assert lines[-1] == "  path: x.py"
    assert len(lines) == MOST_LINES + 3
    assert any("more lines; `v` shows them" in line for line in lines)
    assert len(shown({"content": text, "path": "x.py"}, whole=True)) == 1_003


def test_a_long_line_hides_nothing_either_and_says_how_long_it_is():
    lines = shown({"content": "x" * 150_000, "path": "x.py"})
    assert max(map(len, lines)) < 600
    assert any("149,509 more characters; `v` shows them" in line for line in lines)
    assert lines[-1] == "  path: x.py"
    assert is_cut(question({"content": "x" * 150_000}))
    assert max(map(len, shown({"content": "x" * 150_000}, whole=True))) > 150_000


def test_only_what_is_cut_can_be_viewed_whole():
    assert is_cut(question({"content": "\n" * 100 + "x"}))
    assert not is_cut(question({"content": "x", "n": 1}))


def test_nothing_in_arguments_steers_the_terminal():
    lines = shown({"a\x1b[2J": "b\x1b]0;c\x07\u202e"}) + shown("no JSON \x1b[2J")
    assert not any(char in line for line in lines for char in "\x1b\x07\u202e")


def test_every_question_and_both_answers_stand_below_a_paused_run():
    lines = [
        line.text
        for line in waiting_lines(
            [question({"n": 1}), question({}, "99999999")], "agency runs resume r"
        )
    ]
    assert "  1234abcd  dev: write n=1" in lines
    assert "  99999999  dev: write" in lines
    assert "  agency runs resume r --approve 1234abcd" in lines
    assert "  agency runs resume r --approve all" in lines


def test_a_decision_says_what_by_whom_and_why():
    decided = ApprovalDecided(
        node_id="/c", call="1234abcd", approved=False, by="option", at=AT, reason="too\ndear"
    )
    assert decision(decided) == "denied by an option: too dear"
