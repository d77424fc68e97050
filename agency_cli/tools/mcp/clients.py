"""The SDK's clients of MCP servers, made from what a manifest says."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
from agents.mcp import MCPServer, MCPServerSse, MCPServerStdio, MCPServerStreamableHttp
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult

from agency_cli.manifest import McpTool
from agency_cli.tools.mcp.logs import ServerLog
from agency_cli.tools.mcp.results import plain
from agency_cli.tools.programs import folder_of, program_of

if TYPE_CHECKING:
    # A protocol of the SDK, in no public module.
    from agents.mcp.server import MCPStreamTransport

NO_LIMIT = 24 * 3600.0
"""Seconds; calls are cut off by the tool's `timeout_seconds` and by the run's limits alone."""


class _Stdio(MCPServerStdio):
    log: ServerLog

    def create_streams(self) -> AbstractAsyncContextManager[MCPStreamTransport]:
        return self._logged()

    @asynccontextmanager
    async def _logged(self) -> AsyncGenerator[MCPStreamTransport]:
        with self.log.opened() as stderr:
            async with stdio_client(self.params, errlog=stderr) as streams:
                # The program has it now, and its end is seen only if nobody else has.
                stderr.close()
                yield streams

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        return plain(await super().call_tool(tool_name, arguments, meta))


class OverHttp:
    """What the clients of servers at an address have in common.

    Attributes:
        last_status: The HTTP status of the last answer that was an error; None after another.
    """

    last_status: int | None = None

    def make_http_client(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        """Return the HTTP client to use; it follows no redirect, as headers may hold a key."""
        hooks = {"response": [self._note]}
        return httpx2.AsyncClient(headers=headers, timeout=timeout, auth=auth, event_hooks=hooks)

    async def _note(self, response: httpx2.Response) -> None:
        self.last_status = response.status_code if response.is_error else None


class _StreamableHttp(OverHttp, MCPServerStreamableHttp):
    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        return plain(await super().call_tool(tool_name, arguments, meta))


class _Sse(OverHttp, MCPServerSse):
    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        return plain(await super().call_tool(tool_name, arguments, meta))


def client_of(key: str, spec: McpTool, folder: Path, log: ServerLog) -> MCPServer:
    """Return the client of a server, not connected.

    Args:
        key: The server's name under `tools`.
        spec: What the manifest says of it.
        folder: The manifest's folder.
        log: Gets the standard error of a program.
    """
    server = spec.mcp
    common: dict[str, Any] = {"name": key, "client_session_timeout_seconds": None}
    if server.url is None:
        client = _Stdio(
            {
                "command": program_of(server, folder),
                "args": server.args,
                "env": _revealed(server.env),
                "cwd": folder_of(server, folder),
                "encoding_error_handler": "replace",
            },
            **common,
        )
        client.log = log
        return client
    where: Any = {
        "url": server.url,
        "headers": _revealed(server.headers),
        "timeout": spec.startup_timeout_seconds,
        "sse_read_timeout": NO_LIMIT,
    }
    kind = _Sse if server.transport == "sse" else _StreamableHttp
    over_http = kind(where, **common)
    over_http.params["httpx_client_factory"] = over_http.make_http_client
    return over_http


def _revealed(secrets: Mapping[str, Any]) -> dict[str, str]:
    return {name: value.get_secret_value() for name, value in secrets.items()}
