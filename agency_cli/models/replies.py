"""Replies that are not what they claim to be: caught while they are read.

The SDK takes a login page in place of a stream for an empty success, and a Chat Completions
stream that just stops for a finished one. Every call of ours is streamed, so a reply must begin
like a stream of server-sent events and end with the mark of a finished response.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import httpx2

from agency_cli.run_context import current_frame

EVENT_STREAM_START = re.compile(rb"\s*(?:data|event|id|retry)?:|\s*$")
FINISHED = re.compile(
    rb'(?:^|\n)data:\s*\[DONE\]|"finish_reason"\s*:\s*"|"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed)'
    rb'|error)"|"error"\s*:\s*\{'
)
CUT_SHORT = re.compile(rb'"finish_reason"\s*:\s*"(length|content_filter)"')
"""How Chat Completions tells that an answer is not whole, which the SDK does not pass on."""
KEPT = 256
"""How many bytes of the past are kept, so that a mark cut by a chunk's border is found."""


class UnusableReply(Exception):
    """A reply that says nothing of use; its text says what was wrong with it."""


async def check_reply(response: httpx2.Response) -> None:
    """Response hook of the HTTP client: watch a successful reply while it is read."""
    headers = response.headers
    # Compressed bytes tell nothing here; the client asks for none, see `clients`.
    if response.is_success and "content-encoding" not in headers:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = CheckedStream(response.stream, headers.get("content-type", ""))


class CheckedStream(httpx2.AsyncByteStream):
    """A reply's bytes, unchanged; raises UnusableReply where they are no finished stream."""

    def __init__(self, inner: httpx2.AsyncByteStream, content_type: str) -> None:
        self._inner = inner
        self._content_type = content_type
        self._begun = False
        self._finished = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async with aclosing(self._read()) as chunks:
                async for chunk in chunks:
                    yield chunk
        except httpx2.TransportError:
            # A whole answer is one, and was paid for, however the connection ends after it.
            if not self._finished:
                raise
        if not self._finished:
            raise UnusableReply(
                "the reply stopped before it was finished" if self._begun else "the reply was empty"
            )

    async def _read(self) -> AsyncGenerator[bytes]:
        kept = b""
        # A client that has read the mark of the end looks once more whether anything follows.
        async for chunk in self._inner:
            if not self._begun and chunk.strip():
                self._begun = True
                self._require_events(chunk)
            kept += chunk
            self._finished = self._finished or FINISHED.search(kept) is not None
            self._note_cut(kept)
            kept = kept[-KEPT:]
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _note_cut(self, recent: bytes) -> None:
        cut = CUT_SHORT.search(recent)
        frame = current_frame.get(None)
        if cut is not None and frame is not None:
            frame.cut_short = cut[1].decode()

    def _require_events(self, chunk: bytes) -> None:
        if "event-stream" in self._content_type or EVENT_STREAM_START.match(chunk):
            return
        kind = self._content_type or "something unnamed"
        raise UnusableReply(f"the reply is {kind}, not a stream of events; is the address right?")
