"""The final output and the summary."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from replays import ANSWER, HOSTILE, failing, interrupted, one_agent, three_levels
from terminals import AsciiTerminal, Pipe, Terminal, environ, widest

from agency_cli.calltree import CallTree
from agency_cli.rendering.answer import print_answer
from agency_cli.rendering.glyphs import ASCII, UNICODE
from agency_cli.rendering.summary import print_result, summary_lines


def summary(recording, glyphs=UNICODE):
    return [line.text for line in summary_lines(CallTree.of(recording.events), glyphs)]


def answer_on(stream, text, **options):
    print_answer(text, stream, environ(**options))
    return stream.shown if isinstance(stream, Terminal) else stream.getvalue()


def test_one_model_and_one_agent_are_one_line():
    assert summary(one_agent()) == [
        "gpt-5-mini · 1 request · 1,234 tokens in (411 cached) · 210 out · $0.0031 · 1.3s",
        "run 3f2a91c07b1e",
    ]


def test_models_and_agents_have_a_table_each_and_both_the_same_total():
    assert summary(three_levels()) == [
        "model       requests  input  cached  output     cost",
        "gpt-5.6            2  2,468     822     420  $0.0242",
        "gpt-5-mini         5  6,170   2,055   1,050  $0.0155",
        "",
        "agent       requests  input  cached  output     cost",
        "ceo                2  2,468     822     420  $0.0242",
        "developer          2  2,468     822     420  $0.0062",
        "assistant          3  3,702   1,233     630  $0.0093",
        "",
        "total              7  8,638   2,877   1,470  $0.0397  9.1s",
        "run 3f2a91c07b1e",
    ]


def test_models_without_a_price_are_named_with_what_to_do():
    lines = summary(failing())
    assert "no price known for: llama3.3:70b; give it as `price` below `models`" in lines
    assert any(line.startswith("total so far") and "≥ $0.0123" in line for line in lines)


def test_a_run_that_was_stopped_tells_what_it_spent_until_then():
    assert any(line.startswith("total so far         3") for line in summary(interrupted()))


def test_the_thread_is_named():
    tree = CallTree.of(one_agent().events)
    tree.started = replace(tree.started, thread_id="c880477dc21f")
    assert [line.text for line in summary_lines(tree, ASCII)][-1] == (
        "run 3f2a91c07b1e - thread c880477dc21f"
    )


def test_the_answer_goes_to_stdout_and_all_else_to_stderr():
    stdout, stderr = Pipe(), Pipe()
    tree = CallTree.of(three_levels().events)
    print_result(tree, stdout=stdout, stderr=stderr, environ={})
    assert stdout.getvalue() == ANSWER + "\n"
    assert stderr.getvalue().splitlines() == summary(three_levels())


def test_quiet_is_the_answer_alone():
    stdout, stderr = Pipe(), Terminal()
    tree = CallTree.of(three_levels().events)
    print_result(tree, stdout=stdout, stderr=stderr, environ=environ(), quiet=True)
    assert (stdout.getvalue(), stderr.getvalue()) == (ANSWER + "\n", "")


def test_a_run_without_an_answer_writes_nothing_on_stdout():
    stdout = Pipe()
    print_result(CallTree.of(failing().events), stdout=stdout, stderr=Pipe(), environ={})
    assert stdout.getvalue() == ""


def test_the_summary_on_a_terminal_says_the_same():
    stderr = Terminal()
    tree = CallTree.of(three_levels().events)
    print_result(tree, stdout=Pipe(), stderr=stderr, environ=environ())
    assert [line.rstrip() for line in stderr.shown.strip().splitlines()] == summary(three_levels())


def test_where_there_is_no_terminal_the_answer_is_exactly_what_the_model_wrote():
    assert answer_on(Pipe(), HOSTILE.replace("\r", "")) == HOSTILE.replace("\r", "") + "\n"


def test_on_a_terminal_markdown_is_drawn_and_nothing_of_it_is_left_out():
    text = answer_on(Terminal(), ANSWER + "\n<div>a block of HTML</div>\n\nline one\nline two")
    assert "# The API" not in text
    assert "The API" in text
    for part in ("List<User>", "<b>all</b>", "<div>a block of HTML</div>", "def add(a, b):"):
        assert part in text
    assert "line one line two" not in text


def test_a_code_block_wider_than_the_terminal_stays_within_it():
    code = f"```python\n{'x = 1; ' * 40}\n```\n{'我' * 100}"
    assert widest(answer_on(Terminal(), code, width=40).splitlines()) <= 40


def test_an_answer_never_steers_the_terminal():
    for given in (environ(), environ(NO_COLOR="1"), environ() | {"TERM": "dumb"}):
        terminal = Terminal()
        print_answer(HOSTILE, terminal, given)
        assert "\x1b]0;" not in terminal.getvalue()
        assert "\x07" not in terminal.getvalue()
        assert "[bold red]markup[/]" in terminal.shown
        assert ":smile:" in terminal.shown


def test_no_color_leaves_the_answer_as_it_was_written():
    terminal = Terminal()
    print_answer(ANSWER, terminal, environ(NO_COLOR="1"))
    assert terminal.getvalue() == ANSWER + "\n"


@pytest.mark.parametrize("value", [{"a": ["*b*", 1]}, ["# x"]])
def test_an_answer_that_is_json_stays_json_on_a_terminal(value):
    assert json.loads(answer_on(Terminal(), json.dumps(value))) == value


def test_an_ascii_terminal_gets_an_answer_without_a_crash():
    assert "?" in answer_on(AsciiTerminal(), "# 漢字 é")
