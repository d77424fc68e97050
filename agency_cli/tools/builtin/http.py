"""The built-in `http` tool: requests to named hosts, and to no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

import httpx2
from agents import FunctionTool, function_tool

from agency_cli.foreign import ToolRefused
from agency_cli.manifest import HttpTool

USUAL_SECONDS = 30.0
"""How long a request may take where the manifest says nothing, redirects included."""
LARGEST_BODY = 200_000
"""Bytes of a response that are read."""
MOST_REDIRECTS = 5
_PORTS: Final = {"http": 80, "https": 443}
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_WITH_BODY: Final = frozenset({307, 308})


def http_tools(spec: HttpTool) -> list[FunctionTool]:
    """Return `http_request`."""
    headers = {name: value.get_secret_value() for name, value in spec.headers.items()}
    methods = list(spec.methods)

    async def http_request(
        url: str, method: str = "GET", body: str = "", content_type: str = "application/json"
    ) -> str:
        """Send an HTTP request, and return the status and the text of the response.

        Args:
            url: The whole address, with http:// or https://.
            method: The method of the request.
            body: The body of the request; empty for none.
            content_type: What the body is.
        """
        if method.upper() not in methods:
            raise ToolRefused(f"the method {method} is not allowed; use {' or '.join(methods)}")
        request = Request(method.upper(), url, headers, body.encode(), content_type)
        return await sent(request, spec.hosts, spec.timeout_seconds or USUAL_SECONDS)

    about = spec.description or "Send an HTTP request, and return the status and the text."
    allowed = f"Hosts: {', '.join(spec.hosts)}. Methods: {', '.join(methods)}."
    return [
        function_tool(
            http_request,
            description_override=f"{about}\n\n{allowed}",
            failure_error_function=None,
        )
    ]


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `headers` are those of the manifest, for the host that is asked first."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    content_type: str

    @property
    def all_headers(self) -> dict[str, str]:
        typed = {"content-type": self.content_type} if self.body else {}
        return {"accept-encoding": "identity", **self.headers, **typed}

    def redirected(self, status: int, where: str) -> Request:
        """Return the request that a redirect asks for; another host gets no headers."""
        url = urljoin(self.url, where)
        to_another = _host(urlsplit(url)) != _host(urlsplit(self.url))
        moved = replace(self, url=url, headers={} if to_another else self.headers)
        if status in _WITH_BODY or self.method in {"GET", "HEAD"}:
            return moved
        return replace(moved, method="GET", body=b"")


async def sent(request: Request, hosts: Iterable[str], seconds: float) -> str:
    """Send a request, follow redirects among the hosts, and return the response as text.

    Raises:
        ToolRefused: The address is not allowed, the host cannot be reached, or it takes too long.
    """
    allowed = list(hosts)
    # Neither proxies nor passwords of the machine's user have a part in it.
    async with httpx2.AsyncClient(timeout=seconds, trust_env=False) as client:
        for _ in range(MOST_REDIRECTS + 1):
            require_allowed(request.url, allowed)
            try:
                async with client.stream(
                    request.method,
                    request.url,
                    headers=request.all_headers,
                    content=request.body or None,
                ) as response:
                    where = response.headers.get("location", "")
                    if response.status_code in _REDIRECTS and where:
                        request = request.redirected(response.status_code, where)
                        continue
                    return await _text_of(response)
            except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
                reason = str(error) or type(error).__name__
                raise ToolRefused(f"{_shown(request.url)} cannot be reached: {reason}") from error
    raise ToolRefused(f"more than {MOST_REDIRECTS} redirects, the last to {_shown(request.url)}")


def require_allowed(url: str, hosts: Iterable[str]) -> None:
    """Refuse an address that no pattern of `hosts` allows.

    Args:
        url: The address.
        hosts: `example.org`, `example.org:8080` or `*.example.org`; without a port, the usual one.

    Raises:
        ToolRefused: The address is none, or of another host; the text says which there are.
    """
    try:
        parts = urlsplit(url)
        host = _host(parts)
    except ValueError:
        raise ToolRefused(f"{url[:200]!r} is no address") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ToolRefused(f"{url[:200]!r} is no address that begins with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise ToolRefused("an address with a user name is not allowed")
    if not any(_matches(pattern.lower(), host, parts) for pattern in hosts):
        raise ToolRefused(f"the host {host} is not allowed; use {', '.join(hosts)}")


def _matches(pattern: str, host: str, parts: SplitResult) -> bool:
    name, _, port = pattern.partition(":")
    wanted = port or str(_PORTS[parts.scheme])
    own, _, own_port = host.rpartition(":")
    if own_port != wanted:
        return False
    return own.endswith(name[1:]) if name.startswith("*.") else own == name


def _host(parts: SplitResult) -> str:
    port = parts.port if parts.port is not None else _PORTS.get(parts.scheme, 0)
    return f"{(parts.hostname or '').rstrip('.')}:{port}"


async def _text_of(response: httpx2.Response) -> str:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > LARGEST_BODY:
            break
    status = f"{response.status_code} {response.reason_phrase}".strip()
    kind = response.headers.get("content-type", "")
    cut = len(content) > LARGEST_BODY
    text = _decoded(bytes(content[:LARGEST_BODY]), response.encoding)
    if text is None:
        return f"[{status}; {kind or 'no content type'}; {len(content):,} bytes that are not text]"
    end = f"\n[cut here, after {LARGEST_BODY:,} bytes]" if cut else ""
    return f"[{status}; {kind}]\n{text}{end}".replace("; ]", "]").rstrip()


def _decoded(content: bytes, encoding: str | None) -> str | None:
    if b"\0" in content[:8_192]:
        return None
    try:
        return content.decode(encoding or "utf-8", errors="replace")
    except LookupError:
        return content.decode(errors="replace")


def _shown(url: str) -> str:
    return url if len(url) <= 200 else f"{url[:200]}…"  # noqa: PLR2004 - of a message
