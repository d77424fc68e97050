"""What a rule of the fake server can answer: a reply of a model, or a fault."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FinishReason = Literal["stop", "tool_calls", "length", "content_filter"]
Ending = Literal["dropped", "reset", "ended"]
"""How a cut answer ends: the connection closed before the body was complete, the connection
reset, or a body that is complete by HTTP's rules and lacks the rest."""

LOGIN_PAGE = "<!DOCTYPE html><html><body><h1>Sign in to continue</h1></body></html>"
ERROR_CODES = {
    400: "invalid_request",
    401: "invalid_api_key",
    404: "not_found",
    429: "rate_limit_exceeded",
}


@dataclass(frozen=True, kw_only=True)
class TokenUsage:
    """Tokens of one request, counted as OpenAI counts.

    `cached` and `cache_write` are parts of `input`, `reasoning` is a part of `output`.
    """

    input: int = 0
    cached: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            input=self.input + other.input,
            cached=self.cached + other.cached,
            cache_write=self.cache_write + other.cache_write,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
        )


@dataclass(frozen=True)
class ToolCall:
    """A call that the model makes. Arguments given as text are sent as they are, sound or not."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None

    @property
    def arguments_text(self) -> str:
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One response of a model.

    Attributes:
        text: What it says; may be empty beside tool calls.
        tool_calls: What it calls; several are parallel.
        refusal: Said instead of a text.
        hosted: Items of tools that the provider runs, as the Responses API has them.
        reasoning: Summary of its thoughts, sent before everything else.
        usage: None derives it from the sizes of request and reply.
        delay: Seconds before the first byte.
        chunk_delay: Seconds before each later chunk of a stream.
        finish_reason: None is `tool_calls` where there are any, else `stop`.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    refusal: str = ""
    reasoning: str = ""
    hosted: tuple[Mapping[str, Any], ...] = ()
    usage: TokenUsage | None = None
    delay: float = 0.0
    chunk_delay: float = 0.0
    finish_reason: FinishReason | None = None

    @property
    def finish(self) -> FinishReason:
        return self.finish_reason or ("tool_calls" if self.tool_calls else "stop")


@dataclass(frozen=True, kw_only=True)
class StatusFault:
    """An HTTP status that says the request failed."""

    status: int
    body: Any = None
    retry_after: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    times: int | None = None

    def body_bytes(self) -> bytes:
        if isinstance(self.body, str):
            return self.body.encode()
        return json.dumps(self.body or _error_body(self.status)).encode()


@dataclass(frozen=True, kw_only=True)
class CutFault:
    """A reply that stops after some chunks of a stream, or halfway through a body."""

    after_chunks: int
    how: Ending
    reply: Reply
    times: int | None = None


@dataclass(frozen=True, kw_only=True)
class BodyFault:
    """HTTP 200 with a body that is not an answer; `content_type` None is that of the request."""

    body: bytes
    stream_body: bytes
    content_type: str | None = None
    times: int | None = None


@dataclass(frozen=True, kw_only=True)
class ErrorEventFault:
    """An error reported within a stream that began well; as a status where nothing is streamed."""

    message: str
    after_chunks: int
    reply: Reply
    times: int | None = None


@dataclass(frozen=True, kw_only=True)
class HangFault:
    """Silence, then the connection is closed."""

    seconds: float
    times: int | None = None


AnyFault = StatusFault | CutFault | BodyFault | ErrorEventFault | HangFault
Answer = Reply | AnyFault

CUT_REPLY = Reply(text="This answer is long enough to be cut somewhere in its middle.")


class Fault:
    """Makes every kind of fault. `times` is how often it happens; None is every time."""

    @staticmethod
    def status(
        status: int,
        *,
        body: Any = None,
        retry_after: float | None = None,
        headers: Mapping[str, str] | None = None,
        times: int | None = None,
    ) -> StatusFault:
        """Answer with an HTTP status; a body that is text is sent as it is, else as JSON."""
        return StatusFault(
            status=status, body=body, retry_after=retry_after, headers=headers or {}, times=times
        )

    @staticmethod
    def cut(
        *,
        after_chunks: int = 2,
        how: Ending = "dropped",
        reply: Reply = CUT_REPLY,
        times: int | None = None,
    ) -> CutFault:
        """Stop in the middle of `reply`."""
        return CutFault(after_chunks=after_chunks, how=how, reply=reply, times=times)

    @staticmethod
    def not_json(*, times: int | None = None) -> BodyFault:
        """Answer HTTP 200 with a login page, as a proxy in the way does."""
        page = LOGIN_PAGE.encode()
        return BodyFault(
            body=page, stream_body=page, content_type="text/html; charset=utf-8", times=times
        )

    @staticmethod
    def garbage(*, times: int | None = None) -> BodyFault:
        """Answer in the right content type with data that is not JSON."""
        stream_body = b"data: this is not JSON\n\ndata: [DONE]\n\n"
        return BodyFault(body=b"this is not JSON", stream_body=stream_body, times=times)

    @staticmethod
    def empty(*, times: int | None = None) -> BodyFault:
        """Answer with a stream that holds only its end; with an empty object if not streamed."""
        return BodyFault(body=b"{}", stream_body=b"data: [DONE]\n\n", times=times)

    @staticmethod
    def error_event(
        message: str = "The server had an error while processing your request.",
        *,
        after_chunks: int = 2,
        reply: Reply = CUT_REPLY,
        times: int | None = None,
    ) -> ErrorEventFault:
        """Report an error in the middle of a stream."""
        return ErrorEventFault(message=message, after_chunks=after_chunks, reply=reply, times=times)

    @staticmethod
    def hang(seconds: float, *, times: int | None = None) -> HangFault:
        """Say nothing for some seconds, then close the connection."""
        return HangFault(seconds=seconds, times=times)


def _error_body(status: int) -> dict[str, Any]:
    return error_body(f"The server says {status}.", status)


def error_body(message: str, status: int) -> dict[str, Any]:
    """Return an error in OpenAI's shape."""
    client_error, server_error = 400, 500
    kind = "invalid_request_error" if client_error <= status < server_error else "server_error"
    code = ERROR_CODES.get(status, "server_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
