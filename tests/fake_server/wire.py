"""HTTP/1.1 over asyncio, as much as a test server needs, with a hand on how a body ends."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

LONGEST_HEAD = 64 * 1024
LONGEST_BODY = 64 * 1024 * 1024


class ClientLeft(Exception):
    """The client closed the connection before it had sent all, or had its answer."""


class BadRequest(Exception):
    """What came is no HTTP request that this server reads; its text says why."""


@dataclass(frozen=True)
class HttpRequest:
    """`headers` have lower-case names."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def keeps_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


class WatchedReader(asyncio.StreamReader):
    """Knows at once that the client has closed its end, even while nobody reads."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=LONGEST_HEAD, loop=loop)
        self.closed = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.closed.set()

    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        self.closed.set()


class Connection:
    """One connection of a client."""

    def __init__(self, reader: WatchedReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def next_request(self) -> HttpRequest | None:
        """Read the next request; None where the client has no more.

        Raises:
            BadRequest: What came is not HTTP, or has no length.
            ClientLeft: The client closed the connection before its request was whole.
        """
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except asyncio.LimitOverrunError:
            raise BadRequest("the head is too long") from None
        first, _, rest = head.decode("latin-1").partition("\r\n")
        method, _, target = first.partition(" ")
        path, _, version = target.rpartition(" ")
        if not version.startswith("HTTP/1."):
            raise BadRequest(f"no HTTP/1 request: {first[:80]!r}")
        lines = (line.partition(":") for line in rest.splitlines() if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in lines}
        body = await self._body(method, headers)
        return HttpRequest(method, path.partition("?")[0], headers, body)

    async def _body(self, method: str, headers: Mapping[str, str]) -> bytes:
        length = headers.get("content-length", "0" if method == "GET" else "")
        if not length.isdecimal() or int(length) > LONGEST_BODY:
            raise BadRequest("the body needs a Content-Length of at most 64 MB")
        if headers.get("expect", "").lower() == "100-continue":
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            return await self._reader.readexactly(int(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            # Calls that run side by side are cancelled at any moment, so also in mid-request.
            raise ClientLeft from None

    async def pause(self, seconds: float) -> None:
        """Wait, but not longer than the client does.

        Raises:
            ClientLeft: The client closed the connection meanwhile.
        """
        if seconds > 0:
            try:
                await asyncio.wait_for(self._reader.closed.wait(), seconds)
            except TimeoutError:
                return
        if self._reader.closed.is_set():
            raise ClientLeft

    async def send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Send a whole answer."""
        await self._write(_head(status, {**headers, "content-length": str(len(body))}) + body)

    async def send_json(
        self, status: int, body: Any, headers: Mapping[str, str] | None = None
    ) -> None:
        content = {"content-type": "application/json"}
        await self.send(status, {**content, **(headers or {})}, json.dumps(body).encode())

    async def begin_stream(self, headers: Mapping[str, str]) -> None:
        """Send the head of an answer whose chunks follow."""
        await self._write(_head(200, {**headers, "transfer-encoding": "chunked"}))

    async def send_chunk(self, data: bytes) -> None:
        await self._write(b"%x\r\n%b\r\n" % (len(data), data))

    async def end_stream(self) -> None:
        await self._write(b"0\r\n\r\n")

    async def promise(self, headers: Mapping[str, str], body: bytes, *, sent: int) -> None:
        """Send an answer's head and only the first `sent` bytes of its body."""
        head = _head(200, {**headers, "content-length": str(len(body))})
        await self._write(head + body[:sent])

    def close(self, *, reset: bool = False) -> None:
        """Close the connection in order, or with a reset."""
        raw = self._writer.get_extra_info("socket")
        if reset and raw is not None:
            # Lingering for no time is what makes closing a reset.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.close()

    async def _write(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError:
            raise ClientLeft from None


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {_reason(status)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
