"""What a model call is about, read from the SDK's items: the request, and what was done for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FILE_NAME = re.compile(r"(?<![\w./-])[\w-][\w./-]*\.[A-Za-z]\w{0,5}(?![\w/])")
NUMBER = re.compile(r"(?<![\w.,/-])-?\d{1,12}(?:\.\d{1,6})?(?![\w/]|[.,-]\d)")
MOST_MENTIONED = 20
REQUEST_MARK = "The whole request:\n"
"""Stands above the request in what this model writes to a recipient, see `asking`."""


@dataclass(slots=True)
class PastCall:
    """A call of a tool that this model made for the request, and what came back."""

    name: str
    arguments: Mapping[str, Any]
    output: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier request and the answer that it got."""

    request: str
    answer: str


@dataclass(slots=True)
class Conversation:
    """The request that is open, the calls made for it, and the exchanges before it."""

    request: str = ""
    calls: list[PastCall] = field(default_factory=list)
    earlier: list[Exchange] = field(default_factory=list)

    @property
    def task(self) -> str:
        """What to do, without the request that a sender of ours quoted below it."""
        return self.request.partition(REQUEST_MARK)[0].strip() or self.request

    @property
    def original(self) -> str:
        """The request that all began with, as far as senders quoted it."""
        return self.request.rpartition(REQUEST_MARK)[2].strip()

    def files(self) -> list[str]:
        """Return the names of files that the request and the results so far speak of."""
        texts = [self.request, *(call.output for call in self.calls)]
        found = [name for text in texts for name in FILE_NAME.findall(text)]
        return list(dict.fromkeys(name for name in found if len(name) > len("e.g")))[
            :MOST_MENTIONED
        ]

    def numbers(self) -> list[str]:
        """Return the numbers that the request speaks of, as they are written."""
        return list(dict.fromkeys(NUMBER.findall(self.request)))[:MOST_MENTIONED]


def read_conversation(items: str | Sequence[Mapping[str, Any]]) -> Conversation:
    """Read the input of a model call.

    A request is all that the user said since the last answer; a handoff adds a reminder to it.
    """
    if isinstance(items, str):
        return Conversation(request=items)
    conversation = Conversation()
    by_id: dict[str, PastCall] = {}
    for item in items:
        match item.get("type", "message"):
            case "message":
                _add_message(conversation, item["role"], text_of(item["content"]))
            case "function_call":
                call = PastCall(item["name"], _arguments(item["arguments"]))
                by_id[item["call_id"]] = call
                conversation.calls.append(call)
            case "function_call_output" if item["call_id"] in by_id:
                by_id[item["call_id"]].output = text_of(item["output"])
            case _:
                pass  # reasoning and other providers' own items say nothing to this model
    return conversation


def text_of(content: str | Iterable[Mapping[str, Any]]) -> str:
    """Return the text of a message or of a tool's output; files and images are named only."""
    if isinstance(content, str):
        return content
    return "\n".join(_part_text(part) for part in content)


def shortened(text: str, most: int) -> str:
    """Cut `text` to `most` characters, in the middle: what is asked stands at the ends."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head].rstrip()}\n...\n{text[len(text) - (most - head) :].lstrip()}"


def one_line(text: str, most: int) -> str:
    """Return the text as a single line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3].rstrip()}..."


def _add_message(conversation: Conversation, role: str, text: str) -> None:
    if role == "assistant":
        conversation.earlier.append(Exchange(conversation.request, text))
        conversation.request = ""
        conversation.calls = []
    elif conversation.request:
        conversation.request += f"\n\n{text}"
    else:
        conversation.request = text


def _part_text(part: Mapping[str, Any]) -> str:
    for key in ("text", "refusal"):
        if key in part:
            return str(part[key])
    return f"[{part.get('type', 'something that is no text')}]"


def _arguments(text: str) -> Mapping[str, Any]:
    try:
        values = json.loads(text or "{}")
    except json.JSONDecodeError:
        return {}
    return values if isinstance(values, dict) else {}
