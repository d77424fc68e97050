"""The parts of a turn as events of the Responses API, which is what the SDK's runner reads."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseCreatedEvent,
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseFunctionCallArgumentsDoneEvent,
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseStreamEvent,
    ResponseTextDeltaEvent,
    ResponseTextDoneEvent,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from agency_cli.models.local.speaker import Speaker
from agency_cli.models.local.turn import Part, Text, ToolCall

PIECE = 40
"""Characters of arguments in one event."""


@dataclass(slots=True)
class ResponseWriter:
    """One response in the making; every method returns the events that it brings."""

    model: str
    _id: str = field(default_factory=lambda: f"resp_{uuid.uuid4().hex}")
    _output: list[ResponseOutputItem] = field(default_factory=list)
    _message: ResponseOutputMessage | None = None
    _number: int = -1

    def created(self) -> Iterator[ResponseStreamEvent]:
        yield ResponseCreatedEvent(
            type="response.created",
            response=self._response("in_progress"),
            sequence_number=self._next(),
        )

    def add(self, part: Part) -> Iterator[ResponseStreamEvent]:
        match part:
            case Text(text):
                yield from self._add_text(text)
            case ToolCall(name, arguments):
                yield from self._end_message()
                yield from self._add_call(name, arguments)

    def completed(self, speaker: Speaker) -> Iterator[ResponseStreamEvent]:
        """Finish the response, with the tokens that `speaker` counted."""
        if not self._output and self._message is None:
            yield from self._add_text("")
        yield from self._end_message()
        response = self._response("completed")
        response.usage = ResponseUsage(
            input_tokens=speaker.input_tokens,
            output_tokens=speaker.output_tokens,
            total_tokens=speaker.input_tokens + speaker.output_tokens,
            input_tokens_details=InputTokensDetails(
                cached_tokens=speaker.cached_tokens, cache_write_tokens=0
            ),
            output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
        )
        yield ResponseCompletedEvent(
            type="response.completed", response=response, sequence_number=self._next()
        )

    def _add_text(self, text: str) -> Iterator[ResponseStreamEvent]:
        if self._message is None:
            yield from self._begin_message()
        assert self._message is not None
        content = self._message.content[0]
        assert isinstance(content, ResponseOutputText)
        content.text += text
        yield ResponseTextDeltaEvent(
            type="response.output_text.delta",
            item_id=self._message.id,
            output_index=len(self._output),
            content_index=0,
            delta=text,
            logprobs=[],
            sequence_number=self._next(),
        )

    def _begin_message(self) -> Iterator[ResponseStreamEvent]:
        self._message = ResponseOutputMessage(
            id=f"msg_{uuid.uuid4().hex}",
            type="message",
            role="assistant",
            status="in_progress",
            content=[],
        )
        yield self._item_added(self._message)
        part = ResponseOutputText(type="output_text", text="", annotations=[], logprobs=[])
        self._message.content.append(part)
        yield ResponseContentPartAddedEvent(
            type="response.content_part.added",
            item_id=self._message.id,
            output_index=len(self._output),
            content_index=0,
            part=part.model_copy(),
            sequence_number=self._next(),
        )

    def _end_message(self) -> Iterator[ResponseStreamEvent]:
        message, self._message = self._message, None
        if message is None:
            return
        message.status = "completed"
        part = message.content[0]
        assert isinstance(part, ResponseOutputText)
        yield ResponseTextDoneEvent(
            type="response.output_text.done",
            item_id=message.id,
            output_index=len(self._output),
            content_index=0,
            text=part.text,
            logprobs=[],
            sequence_number=self._next(),
        )
        yield ResponseContentPartDoneEvent(
            type="response.content_part.done",
            item_id=message.id,
            output_index=len(self._output),
            content_index=0,
            part=part,
            sequence_number=self._next(),
        )
        yield self._item_done(message)

    def _add_call(self, name: str, arguments: str) -> Iterator[ResponseStreamEvent]:
        item_id = f"fc_{uuid.uuid4().hex}"
        call = ResponseFunctionToolCall(
            id=item_id,
            call_id=f"call_{uuid.uuid4().hex}",
            type="function_call",
            name=name,
            arguments="",
            status="in_progress",
        )
        yield self._item_added(call)
        for start in range(0, len(arguments), PIECE):
            yield ResponseFunctionCallArgumentsDeltaEvent(
                type="response.function_call_arguments.delta",
                item_id=item_id,
                output_index=len(self._output),
                delta=arguments[start : start + PIECE],
                sequence_number=self._next(),
            )
        yield ResponseFunctionCallArgumentsDoneEvent(
            type="response.function_call_arguments.done",
            item_id=item_id,
            output_index=len(self._output),
            arguments=arguments,
            name=name,
            sequence_number=self._next(),
        )
        done = call.model_copy(update={"arguments": arguments, "status": "completed"})
        yield self._item_done(done)

    def _item_added(self, item: ResponseOutputItem) -> ResponseOutputItemAddedEvent:
        return ResponseOutputItemAddedEvent(
            type="response.output_item.added",
            item=item.model_copy(deep=True),
            output_index=len(self._output),
            sequence_number=self._next(),
        )

    def _item_done(self, item: ResponseOutputItem) -> ResponseOutputItemDoneEvent:
        event = ResponseOutputItemDoneEvent(
            type="response.output_item.done",
            item=item,
            output_index=len(self._output),
            sequence_number=self._next(),
        )
        self._output.append(item)
        return event

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _response(self, status: str) -> Response:
        return Response.model_validate(
            {
                "id": self._id,
                "created_at": time.time(),
                "model": self.model,
                "object": "response",
                "status": status,
                "output": list(self._output),
                "parallel_tool_calls": True,
                "tool_choice": "auto",
                "tools": [],
            }
        )
