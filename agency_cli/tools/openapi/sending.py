"""One request to a service, and its response as text for a model."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

import httpx2

from agency_cli.errors import one_line
from agency_cli.foreign import ToolRefused
from agency_cli.tools.openapi.calling import Prepared

USUAL_SECONDS: Final = 30.0
"""How long a call may take where the manifest says nothing, redirects included."""
LARGEST_BODY: Final = 200_000
"""Bytes of a response that are read."""
LARGEST_ERROR: Final = 4_000
"""Characters of a response that says what went wrong."""
MOST_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD: Final = frozenset({307, 308})
_PORTS: Final = {"http": 80, "https": 443}


async def sent(request: Prepared, client: httpx2.AsyncClient, seconds: float) -> str:
    """Send a request, and return what the service answers.

    Raises:
        ToolRefused: It cannot be reached, takes too long, or answers that something is wrong.
    """
    try:
        async with asyncio.timeout(seconds) as clock:
            return await _answered(request, client)
    except TimeoutError:
        if not clock.expired():
            raise
        raise ToolRefused(
            f"{_shown(request.url)} took longer than {seconds:g} s (`timeout_seconds`) and was"
            " given up; whether it took effect is unknown"
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        reason = one_line(error) or type(error).__name__
        raise ToolRefused(f"{_shown(request.url)} cannot be reached: {reason}") from error


async def _answered(request: Prepared, client: httpx2.AsyncClient) -> str:
    for _ in range(MOST_REDIRECTS + 1):
        async with client.stream(
            request.method,
            request.whole_url,
            headers={"Accept-Encoding": "identity", **request.headers},
            content=request.content or None,
            files=[(name, (None, text)) for name, text in request.fields] or None,
        ) as response:
            where = response.headers.get("location", "")
            if response.status_code not in _REDIRECTS or not where:
                return await _text_of(response)
            request = _redirected(request, response.status_code, where)
    raise ToolRefused(f"more than {MOST_REDIRECTS} redirects, one after another")


def _redirected(request: Prepared, status: int, where: str) -> Prepared:
    """Return the request that a redirect asks for.

    Raises:
        ToolRefused: It leads to another server, which the manifest says nothing of.
    """
    url = urljoin(request.url, where)
    if not _is_same_server(urlsplit(request.url), urlsplit(url)):
        raise ToolRefused(
            f"HTTP {status}: it redirects to another server, {urlsplit(url).hostname}, which is not"
            " followed"
        )
    moved = replace(request, url=url)
    if status in _SAME_METHOD or request.method in {"GET", "HEAD"}:
        return moved
    headers = {k: v for k, v in request.headers.items() if k.lower() != "content-type"}
    return replace(moved, method="GET", headers=headers, content=b"", fields=())


def _is_same_server(old: SplitResult, new: SplitResult) -> bool:
    """Say whether a redirect stays where it was, or goes from HTTP to HTTPS there."""
    try:
        before, after = _server(old), _server(new)
    except ValueError:
        return False
    upgraded = (before[0], before[2]) == ("http", 80) and (after[0], after[2]) == ("https", 443)
    return before == after or (upgraded and before[1] == after[1])


def _server(parts: SplitResult) -> tuple[str, str, int]:
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)


async def _text_of(response: httpx2.Response) -> str:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > LARGEST_BODY:
            break
    status = f"{response.status_code} {response.reason_phrase}".strip()
    text = _readable(bytes(content), response)
    if response.is_success:
        kind = response.headers.get("content-type", "")
        return f"[{status}; {kind}]\n{text}".replace("; ]", "]").rstrip()
    end = "" if len(text) <= LARGEST_ERROR else " [cut here]"
    raise ToolRefused(f"HTTP {status}: {text[:LARGEST_ERROR]}{end}".rstrip(": "))


def _readable(content: bytes, response: httpx2.Response) -> str:
    cut = len(content) > LARGEST_BODY
    if b"\0" in content[:8_192] or not _is_text(response.headers.get("content-type", "")):
        size = f"more than {LARGEST_BODY:,}" if cut else f"{len(content):,}"
        return f"({size} bytes that are not text)" if content else ""
    try:
        text = content[:LARGEST_BODY].decode(response.encoding or "utf-8", errors="replace")
    except LookupError:
        text = content[:LARGEST_BODY].decode(errors="replace")
    return f"{text}\n[cut here, after {LARGEST_BODY:,} bytes]" if cut else text


def _is_text(content_type: str) -> bool:
    """Say whether a content type may be one of text; most that are not stand in few families."""
    plain = content_type.partition(";")[0].strip().lower()
    return not plain.startswith(("image/", "audio/", "video/", "font/")) or plain == "image/svg+xml"


def _shown(url: str) -> str:
    return url if len(url) <= 200 else f"{url[:200]}…"  # noqa: PLR2004 - of a message
