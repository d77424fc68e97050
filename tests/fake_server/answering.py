"""Sends an answer, whole or streamed, sound or at fault, and notes what the client was told."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fake_server.chat import Chunk, chat_body, chat_chunks, chat_error_event
from fake_server.counting import Exchange, usage_of
from fake_server.model_request import ModelRequest
from fake_server.replies import (
    Answer,
    BodyFault,
    CutFault,
    ErrorEventFault,
    HangFault,
    Reply,
    StatusFault,
    error_body,
)
from fake_server.responses import responses_body, responses_chunks, responses_error_event
from fake_server.wire import Connection

EVENT_STREAM = "text/event-stream; charset=utf-8"
JSON = "application/json"


class Answering:
    """Answers one request; `number` makes its ids."""

    def __init__(self, connection: Connection, exchange: Exchange, number: int) -> None:
        self._connection = connection
        self._exchange = exchange
        self._request: ModelRequest = exchange.request
        self._number = number

    async def send(self, answer: Answer) -> bool:
        """Send an answer; return whether the connection can be used again."""
        match answer:
            case Reply():
                await self._connection.pause(answer.delay)
                await self._reply(answer)
            case StatusFault():
                await self._status(answer)
            case BodyFault():
                await self._body(answer)
            case ErrorEventFault():
                await self._error_event(answer)
            case CutFault():
                return await self._cut(answer)
            case HangFault():
                await self._connection.pause(answer.seconds)
                return False
        return True

    async def _reply(self, reply: Reply) -> None:
        if self._request.stream:
            await self._begin(EVENT_STREAM)
            for at, chunk in enumerate(self._chunks(reply)):
                await self._chunk(chunk, reply.chunk_delay if at else 0)
            await self._connection.end_stream()
        else:
            self._exchange.status = 200
            self._exchange.usage = usage_of(self._request, reply)
            await self._connection.send(200, self._headers(JSON), self._whole(reply))
        self._exchange.completed = reply.finish not in ("length", "content_filter")

    async def _status(self, fault: StatusFault) -> None:
        self._exchange.status = fault.status
        headers = self._headers("text/plain" if isinstance(fault.body, str) else JSON)
        if fault.retry_after is not None:
            headers["retry-after"] = f"{fault.retry_after:g}"
        await self._connection.send(fault.status, {**headers, **fault.headers}, fault.body_bytes())

    async def _body(self, fault: BodyFault) -> None:
        self._exchange.status = 200
        stream = self._request.stream
        kind = fault.content_type or (EVENT_STREAM if stream else JSON)
        body = fault.stream_body if stream else fault.body
        await self._connection.send(200, self._headers(kind), body)

    async def _error_event(self, fault: ErrorEventFault) -> None:
        if not self._request.stream:
            self._exchange.status = 500
            await self._connection.send_json(500, error_body(fault.message, 500))
            return
        await self._first_chunks(fault.reply, fault.after_chunks)
        is_chat = self._request.api == "chat"
        await self._connection.send_chunk(
            chat_error_event(fault.message)
            if is_chat
            else responses_error_event(fault.message, fault.after_chunks)
        )
        await self._connection.end_stream()

    async def _cut(self, fault: CutFault) -> bool:
        if self._request.stream:
            await self._first_chunks(fault.reply, fault.after_chunks)
            if fault.how == "ended":
                await self._connection.end_stream()
        else:
            body = self._whole(fault.reply)
            half = body[: len(body) // 2]
            promised = half if fault.how == "ended" else body
            self._exchange.status = 200
            await self._connection.promise(self._headers(JSON), promised, sent=len(half))
        if fault.how == "ended":
            return True
        self._connection.close(reset=fault.how == "reset")
        return False

    async def _first_chunks(self, reply: Reply, count: int) -> None:
        await self._begin(EVENT_STREAM)
        for at, chunk in enumerate(self._chunks(reply)):
            if at == count:
                return
            await self._chunk(chunk, reply.chunk_delay if at else 0)

    async def _begin(self, content_type: str) -> None:
        self._exchange.status = 200
        await self._connection.begin_stream(self._headers(content_type))

    async def _chunk(self, chunk: Chunk, delay: float) -> None:
        if delay:
            await self._connection.pause(delay)
        self._exchange.usage = chunk.usage or self._exchange.usage
        await self._connection.send_chunk(chunk.data)

    def _chunks(self, reply: Reply) -> Iterator[Chunk]:
        chunks = chat_chunks if self._request.api == "chat" else responses_chunks
        return chunks(self._request, reply, usage_of(self._request, reply), self._number)

    def _whole(self, reply: Reply) -> bytes:
        body = chat_body if self._request.api == "chat" else responses_body
        usage = usage_of(self._request, reply)
        return json.dumps(body(self._request, reply, usage, self._number)).encode()

    def _headers(self, content_type: str) -> dict[str, str]:
        return {"content-type": content_type, "x-request-id": f"req_{self._number}"}
