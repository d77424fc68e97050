"""One turn of the embedded model: the calls that it makes, or the answer that it gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agency_cli.errors import ProviderFailed
from agency_cli.models.local.asking import Asker
from agency_cli.models.local.conversation import (
    Conversation,
    PastCall,
    one_line,
    shortened,
)
from agency_cli.models.local.deciding import HANDOFF_PREFIX, Call, Decider, Offer
from agency_cli.models.local.engine import ChatMessage
from agency_cli.models.local.filling import fill
from agency_cli.models.local.parameters import RECIPIENT
from agency_cli.models.local.schemas import Schema, Unfillable
from agency_cli.models.local.speaker import Speaker

ANSWER = Offer("answer", "The answer to the task.", {})
TOKENS_OF_AN_ANSWER = 200
TOKENS_ABOVE_RESULTS = 80
LONGEST_INSTRUCTIONS = 1000
LONGEST_REQUEST = 1500
LONGEST_REQUEST_WITH_RESULTS = 500
LONGEST_RESULT = 300
LONGEST_EARLIER = 200
EXCHANGES_KEPT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """All that one model call is given.

    Attributes:
        instructions: The agent's.
        conversation: What is asked, and what was done for it.
        offers: Tools and handoffs that may be called.
        output_schema: What the answer must satisfy; None where it is a text.
        tool_choice: The SDK's setting: `auto`, `required`, `none`, or the name of a tool.
        parallel: Whether one response may have several calls.
        depth: How many delegations lie above the agent.
        waiting: Keys of the agents that wait for this one, directly or not, and its own.
    """

    instructions: str = ""
    conversation: Conversation
    offers: tuple[Offer, ...] = ()
    output_schema: Schema | None = None
    tool_choice: str | None = None
    parallel: bool = True
    depth: int = 0
    waiting: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call, whole: the arguments are JSON."""

    name: str
    arguments: str


Part = Text | ToolCall
Emit = Callable[[Part], None]


def take_turn(request: TurnRequest, speaker: Speaker, emit: Emit) -> None:
    """Emit the calls or the answer of one turn, as they come.

    Raises:
        Stopped: Nobody waits any more.
        ProviderFailed: The output schema is beyond this model.
    """
    if not _call_tools(request, speaker, emit):
        _answer(request, speaker, emit)


def _call_tools(request: TurnRequest, speaker: Speaker, emit: Emit) -> bool:
    """Make the calls that are decided for; a tool whose arguments cannot be made is passed over."""
    decider = Decider(
        conversation=request.conversation,
        instructions=request.instructions,
        speaker=speaker,
        tool_choice=request.tool_choice,
        parallel=request.parallel,
        depth=request.depth,
        waiting=request.waiting,
    )
    offers = list(request.offers)
    while calls := decider.next_calls(offers):
        called = [_call(call, request, speaker, emit) for call in calls]
        if any(called):
            return True
        offers = [offer for offer in offers if offer not in [call.offer for call in calls]]
    return False


def _call(call: Call, request: TurnRequest, speaker: Speaker, emit: Emit) -> bool:
    asker = Asker(speaker, request.conversation, call.offer, request.instructions)
    try:
        arguments = fill(call.schema, asker, name=call.offer.name)
    except Unfillable:
        return False
    emit(ToolCall(call.offer.name, json.dumps(arguments, ensure_ascii=False)))
    return True


def _answer(request: TurnRequest, speaker: Speaker, emit: Emit) -> None:
    if request.output_schema is None:
        _answer_in_words(request, speaker, emit)
        return
    asker = Asker(speaker, request.conversation, ANSWER, request.instructions)
    try:
        value = fill(request.output_schema, asker, name="answer", thorough=True)
    except Unfillable as reason:
        raise ProviderFailed(
            f"the embedded model cannot write what the output schema asks for: {reason};"
            " use another model for this agent"
        ) from reason
    emit(Text(json.dumps(value, ensure_ascii=False)))


def _answer_in_words(request: TurnRequest, speaker: Speaker, emit: Emit) -> None:
    """Write the answer. One that rests on results carries them, as they are too much to retell."""
    results = [_result_line(call) for call in request.conversation.calls if _has_result(call)]
    most = TOKENS_ABOVE_RESULTS if results else TOKENS_OF_AN_ANSWER
    speaker.prose(_messages(request, results), most, lambda text: emit(Text(text)))
    if results:
        emit(Text("\n\n" + "\n".join(results)))


def _messages(request: TurnRequest, results: list[str]) -> list[ChatMessage]:
    conversation = request.conversation
    messages: list[ChatMessage] = []
    if request.instructions.strip():
        instructions = shortened(request.instructions, LONGEST_INSTRUCTIONS)
        messages.append({"role": "system", "content": instructions})
    for exchange in conversation.earlier[-EXCHANGES_KEPT:]:
        messages += [
            {"role": "user", "content": one_line(exchange.request, LONGEST_EARLIER)},
            {"role": "assistant", "content": one_line(exchange.answer, LONGEST_EARLIER)},
        ]
    most = LONGEST_REQUEST_WITH_RESULTS if results else LONGEST_REQUEST
    asked = shortened(_request_text(conversation), most)
    if results:
        asked += "\n\nResults:\n" + "\n".join(results) + "\n\nSay in two sentences what was done."
    return [*messages, {"role": "user", "content": asked or "Hello"}]


def _request_text(conversation: Conversation) -> str:
    task, original = conversation.task, conversation.original
    return task if task == original else f"{task}\n\n{original}"


def _has_result(call: PastCall) -> bool:
    return bool(call.output.strip()) and not call.name.startswith(HANDOFF_PREFIX)


def _result_line(call: PastCall) -> str:
    who = _recipient(call.arguments) or call.name
    return f"- {who}: {one_line(call.output, LONGEST_RESULT)}"


def _recipient(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get(RECIPIENT, ""))
