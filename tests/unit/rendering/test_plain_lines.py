"""A run in plain lines."""

from __future__ import annotations

import pytest
from replays import REPLAYS, failing, handoffs, hostile, interrupted, three_levels
from terminals import ClosedPipe, Pipe

from agency_cli.calltree import CallTree
from agency_cli.rendering.plain import PlainWatcher


def lines_for(recording, *, stream=None, verbose=False):
    stream = stream or Pipe()
    with PlainWatcher(CallTree(), stream, verbose=verbose) as watcher:
        for event in recording.events:
            watcher.on_event(event)
    return stream.getvalue().splitlines()


def test_every_beginning_and_end_is_a_line_that_stands_for_itself():
    lines = lines_for(three_levels(text="Some text."))
    assert lines == [
        "dev_shop: run 3f2a91c07b1e",
        "ceo starts: Build a REST API for users",
        "  developer starts, asked by ceo: Write the backend. Some text.",
        "  assistant starts, asked by ceo: Schedule a review for Friday",
        '    developer calls write_file path=api/users.py text="from fastapi import APIRouter"',
        "    developer: write_file ok (0.2s)",
        "    assistant starts, asked by developer: Write the API's documentation",
        "    assistant calls list_files",
        "    assistant: list_files ok (0.1s)",
        "    assistant ok (gpt-5-mini, 1 turn, 1,444 tokens, $0.0031, 1.6s)",
        "  developer ok (gpt-5-mini, 3 turns, 4,332 tokens, $0.0093, 4.2s)",
        "  assistant ok (gpt-5-mini, 2 turns, 2,888 tokens, $0.0062, 4.6s)",
        "ceo ok (gpt-5.6, 7 turns, 10,108 tokens, $0.0397, 9.1s)",
    ]


def test_failures_are_told_once_with_their_whole_reason():
    lines = lines_for(failing())
    assert sum("connection refused" in line for line in lines) == 1
    assert "    developer: call of llama3.3:70b failed (0.4s): ollama could not be reached at" in (
        "\n".join(lines)
    )
    assert any("send_message failed (0.1s): send_message cannot reach" in line for line in lines)
    assert any(line.startswith("note: openai answered 429") for line in lines)


def test_an_unknown_price_is_told_as_unknown():
    lines = lines_for(failing())
    assert any("developer failed" in line and "? $" in line for line in lines)
    assert "≥ $0.0123 + unknown" in lines[-1]


def test_handoffs_say_who_gives_to_whom():
    lines = lines_for(handoffs())
    assert "triage hands over to billing" in lines
    assert "billing hands over to refunds" in lines


def test_what_was_cancelled_is_told():
    lines = lines_for(interrupted())
    assert lines[-1].startswith("ceo cancelled (gpt-5.6, 3 turns")
    assert not any("send_message" in line for line in lines)


@pytest.mark.parametrize("name", sorted(REPLAYS))
@pytest.mark.parametrize("verbose", [False, True])
def test_no_line_holds_a_control_character(name, verbose):
    text = "\n".join(lines_for(REPLAYS[name](), verbose=verbose))
    assert not any(ord(sign) < 32 for sign in text.replace("\n", ""))


def test_verbose_adds_model_calls_and_whole_texts():
    brief, whole = lines_for(hostile()), lines_for(hostile(), verbose=True)
    assert not any("call of" in line for line in brief)
    assert sum("call of gpt-5" in line for line in whole) == 7
    assert any("gave: [bold red]markup[/]" in line for line in whole)


def test_a_reader_that_goes_away_does_not_disturb_the_run():
    tree = CallTree()
    watcher = PlainWatcher(tree, ClosedPipe(), verbose=False)
    for event in three_levels().events:
        watcher.on_event(event)
    assert tree == CallTree.of(three_levels().events)
