"""What a parameter of a tool is for, as far as its name and its description tell."""

from __future__ import annotations

import re

RECIPIENT = "recipient_agent"
"""The parameter with which a tool of a message flow says who is asked."""
MESSAGE = "message"
"""The parameter with which it says what is asked."""

LONG_TEXTS = re.compile(
    r"\b(answer|body|code|comment|contents?|description|details|draft|explanation|feedback|html"
    r"|instructions|markdown|message|notes?|output|plan|prompt|report|response|result|review"
    r"|script|source|summary|text)\b"
)
PATHS = re.compile(r"\b(file|filename|filepath|path)\b")
MAY_BE_EMPTY = re.compile(
    r"\boptional|\bmay be empty|\bleave .{0,12}empty|\bempty (string )?(if|when)"
)


def is_long_text(name: str) -> bool:
    """Whether the parameter takes sentences or code, not a word or two."""
    return LONG_TEXTS.search(_words(name)) is not None


def is_path(name: str) -> bool:
    """Whether the parameter names a file."""
    return PATHS.search(_words(name)) is not None


def may_be_empty(description: str) -> bool:
    """Whether the description says that nothing need be given."""
    return MAY_BE_EMPTY.search(description.lower()) is not None


def _words(name: str) -> str:
    return re.sub(r"[^a-z]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
