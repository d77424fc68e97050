"""Reading what was said, and ending a text that goes round in circles."""

from __future__ import annotations

from agency_cli.models.local.conversation import (
    REQUEST_MARK,
    Conversation,
    one_line,
    read_conversation,
    shortened,
)
from agency_cli.models.local.loops import LoopGuard
from agency_cli.models.local.parameters import is_long_text, is_path, may_be_empty
from agency_cli.models.local.speaker import literal

LINE = "This is a line that is long enough.\n"


def through(text, size):
    guard = LoopGuard()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return "".join(guard.feed(piece) for piece in pieces) + guard.rest(), guard.looped


def test_a_text_without_repetition_passes_unchanged():
    text = LINE + "This is a line that is different.\n" + "    return\n" * 4 + "the end"
    for size in (1, 3, 1000):
        assert through(text, size) == (text, False)


def test_a_text_ends_before_the_line_that_was_there_already():
    for size in (1, 7, 1000):
        assert through(LINE + "Another.\n" + LINE + "Never shown.\n", size) == (
            LINE + "Another.\n",
            True,
        )


def test_a_repeated_line_at_the_very_end_is_dropped():
    assert through(LINE + LINE.rstrip(), 5)[0] == LINE


def test_an_input_of_text_is_the_request():
    assert read_conversation("Hello").request == "Hello"


def test_images_are_named_and_broken_arguments_do_no_harm():
    conversation = read_conversation(
        [
            {
                "role": "user",
                "content": [{"type": "input_image"}, {"type": "input_text", "text": "x"}],
            },
            {"type": "function_call", "name": "f", "arguments": "{oops", "call_id": "1"},
            {"type": "function_call_output", "call_id": "other", "output": "lost"},
            {"type": "reasoning", "summary": []},
        ]
    )
    assert conversation.request == "[input_image]\nx"
    assert [(call.arguments, call.output) for call in conversation.calls] == [({}, "")]


def test_a_quoted_request_is_told_from_the_task_at_any_depth():
    inner = f"Write it.\n\n{REQUEST_MARK}Build an API"
    assert (Conversation(inner).task, Conversation(inner).original) == ("Write it.", "Build an API")
    plain = Conversation("Build an API")
    assert (plain.task, plain.original) == ("Build an API", "Build an API")


def test_a_long_text_keeps_its_ends():
    text = shortened("start " + "x" * 5000 + " end", 100)
    assert text.startswith("start")
    assert text.endswith("end")
    assert len(text) < 120
    assert one_line("a\n  b", 10) == "a b"


def test_parameters_are_known_by_their_words():
    assert is_long_text("fileContent")
    assert not is_long_text("context")
    assert is_path("file_path")
    assert not is_path("profile")
    assert may_be_empty("Optional notes")
    assert not may_be_empty("What to do with what is empty")


def test_a_literal_of_a_grammar_is_escaped():
    assert literal('a"b\\c\nd') == '"a\\"b\\\\c\\U0000000ad"'
