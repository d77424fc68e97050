"""Responses of models as the journal keeps them, and given back to the SDK."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from agents.items import ModelResponse, TResponseStreamEvent
from agents.usage import Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseOutputItem,
    ResponseOutputItemDoneEvent,
    ResponseUsage,
)
from pydantic import BaseModel, TypeAdapter, ValidationError

from agency_cli.store import StoreFailed


@dataclass(slots=True)
class ReplyReader:
    """Finds the whole response in a stream of events."""

    _items: list[ResponseOutputItem] = field(default_factory=list)
    _event: ResponseCompletedEvent | None = None

    def add(self, event: TResponseStreamEvent) -> None:
        """Take in one event."""
        match event:
            case ResponseOutputItemDoneEvent(item=item):
                self._items.append(item)
            case ResponseCompletedEvent():
                self._event = event
            case _:
                pass

    def event(self) -> ResponseCompletedEvent:
        """Return the end of the stream, with the whole response; it has been read to there."""
        event = self._event
        assert event is not None
        # Some servers send the items one by one and leave them out of the whole.
        event.response.output = event.response.output or self._items
        return event


def record_of(response: Response) -> dict[str, Any]:
    """Return a response as JSON."""
    return {
        "id": response.id,
        "output": [_plain(item) for item in response.output],
        "usage": _plain(response.usage) if response.usage else None,
    }


def as_event(record: Mapping[str, Any], model: str) -> ResponseCompletedEvent:
    """Return a recorded response as the event that ends a stream.

    Raises:
        StoreFailed: It is no response.
    """
    try:
        return _event(record, model)
    except (KeyError, TypeError, ValidationError) as error:
        raise StoreFailed(
            f"an answer of {model} in the journal cannot be read; it is damaged, or a newer agency"
            " wrote it"
        ) from error


def _event(record: Mapping[str, Any], model: str) -> ResponseCompletedEvent:
    return ResponseCompletedEvent(
        type="response.completed",
        sequence_number=0,
        response=Response(
            id=record["id"],
            created_at=time.time(),
            model=model,
            object="response",
            output=_items().validate_python(record["output"]),
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
            status="completed",
            usage=_usage(record),
        ),
    )


def as_response(record: Mapping[str, Any]) -> ModelResponse:
    """Return a recorded response as one that was not streamed."""
    counted = _usage(record)
    usage = Usage(requests=1)
    if counted is not None:
        usage.input_tokens, usage.output_tokens = counted.input_tokens, counted.output_tokens
        usage.total_tokens = counted.total_tokens
        usage.input_tokens_details = counted.input_tokens_details
        usage.output_tokens_details = counted.output_tokens_details
    items = _items().validate_python(record["output"])
    return ModelResponse(output=items, usage=usage, response_id=record["id"])


def _usage(record: Mapping[str, Any]) -> ResponseUsage | None:
    return ResponseUsage.model_validate(record["usage"]) if record["usage"] else None


def _plain(value: BaseModel) -> dict[str, Any]:
    # Compatible servers have shapes of their own, which are kept as they are.
    return value.model_dump(mode="json", exclude_unset=True, warnings=False)


@cache
def _items() -> TypeAdapter[list[ResponseOutputItem]]:
    return TypeAdapter(list[ResponseOutputItem])
