"""One MCP server: connected for as long as an agency is, and again where the server went away."""

from __future__ import annotations

import asyncio
import contextvars
import copy
from dataclasses import dataclass, field
from pathlib import Path

from agents import FunctionTool, ModelBehaviorError, UserError
from agents.mcp import MCPServerManager
from agents.tool_context import ToolContext
from mcp import MCPError
from mcp.types import CONNECTION_CLOSED, Tool
from pydantic import ValidationError

from agency_cli.errors import ServerUnavailable, one_line
from agency_cli.foreign import ToolRefused, is_cancelled
from agency_cli.manifest import McpTool
from agency_cli.run_context import RunContext
from agency_cli.tools.mcp.clients import OverHttp, client_of
from agency_cli.tools.mcp.function_tools import fault_of_schema, function_tool, missing_arguments
from agency_cli.tools.mcp.logs import ServerLog
from agency_cli.tools.mcp.naming import Choice
from agency_cli.tools.mcp.results import ServerSaid, readable
from agency_cli.tools.programs import lacking

CLOSING = 10.0
"""Seconds; more than a program is given to end before it is killed."""
LONGEST_REASON = 300
"""Characters of what an error says."""
_NOT_LET_IN = ("401", "403")


class ServerLost(ToolRefused):
    """A call was cut off, or not made, as the server went away."""


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool of a server.

    Attributes:
        own_name: The server's name of it.
        tool: The tool as agents have it.
    """

    own_name: str
    tool: FunctionTool


@dataclass
class Connection:
    """A server and the connection to it, which the SDK's manager opens and closes.

    One task holds the connection, as it must be closed where it was opened; calls are made from
    any other.

    Attributes:
        key: The server's name under `tools`.
        spec: What the manifest says of it.
        place: Where it says that.
        tools: What it offers, once it was connected; the same after it was connected again.
        notices: What a person should know of its tools.
    """

    key: str
    spec: McpTool
    place: str
    folder: Path
    log: ServerLog
    tools: list[ServerTool] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    listed: int = 0
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _closing: asyncio.Event = field(default_factory=asyncio.Event)
    _holder: asyncio.Task[None] | None = None
    _is_lost: bool = False
    _opened: int = 0
    _nonsense: str = ""

    def __post_init__(self) -> None:
        self.client = client_of(self.key, self.spec, self.folder, self.log)
        self.client.message_handler = self._note  # type: ignore[attr-defined]

    @property
    def is_open(self) -> bool:
        return self._holder is not None and not self._holder.done() and not self._is_lost

    async def open(self) -> None:
        """Connect, unless it is connected, and ask for its tools.

        Raises:
            ServerUnavailable: It did not start, or does not answer as an MCP server does.
        """
        async with self._lock:
            if not self.is_open:
                await self._open()

    async def close(self) -> None:
        """Close the connection; a program ends, or is ended. Nothing is raised."""
        holder, self._holder = self._holder, None
        if holder is None:
            return
        self._closing.set()
        await asyncio.wait([holder])

    async def _open(self) -> None:
        await self.close()
        self._nonsense, self._is_lost = "", False
        try:
            async with asyncio.timeout(self.spec.startup_timeout_seconds):
                await self._connect()
                found = await self.client.list_tools()
        except BaseException as error:
            if self._holder is not None:
                self._holder.cancel()
            await self.close()
            if is_cancelled(error) or not isinstance(error, Exception | asyncio.CancelledError):
                raise
            raise ServerUnavailable(f"{self.place}: {self.what_failed(error)}") from error
        if not found:
            await self.close()
            raise ServerUnavailable(f"{self.place}: the MCP server {self.key!r} has no tools")
        self._opened += 1
        if self._opened == 1:
            self._take(found)

    async def _connect(self) -> None:
        connected: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        # It outlives the run in which it is opened, and so must not belong to it.
        self._holder = asyncio.create_task(
            self._hold(connected, self._closing), context=contextvars.Context()
        )
        await asyncio.shield(connected)

    async def _hold(self, connected: asyncio.Future[None], closing: asyncio.Event) -> None:
        manager = MCPServerManager(
            [self.client],
            connect_timeout_seconds=None,
            cleanup_timeout_seconds=CLOSING,
            strict=True,
            suppress_cancelled_error=False,
        )
        try:
            async with manager:
                connected.set_result(None)
                await closing.wait()
        except BaseException as error:  # noqa: BLE001 - foreign code; who waits is told
            if not connected.done():
                connected.set_exception(_in_a_future(error))
                # Who waited may be gone.
                connected.exception()

    def _take(self, found: list[Tool]) -> None:
        choice = Choice(self.spec.allow, self.spec.deny)
        by_name = {tool.name: tool for tool in found}
        self.listed = len(by_name)
        self.notices = [f"tools.{self.key}.{text}" for text in choice.idle_patterns(by_name)]
        self.tools = []
        for name, tool in by_name.items():
            fault = fault_of_schema(tool) if choice.takes(name) else ""
            if fault:
                # A provider would refuse all that is asked with it.
                what = f"the tool {name!r} is left out, as its schema is none ({fault})"
                self.notices.append(f"tools.{self.key}: {what}")
            elif choice.takes(name):
                self.tools.append(ServerTool(name, self._function_tool(tool)))
        if not self.tools:
            self.notices.append(f"tools.{self.key}: allow and deny leave none of its tools")

    def _function_tool(self, tool: Tool) -> FunctionTool:
        inner = function_tool(self.key, tool, self.client, self.spec.description)

        async def invoke(context: ToolContext[RunContext], arguments: str) -> object:
            missing = missing_arguments(tool, arguments)
            if missing:
                raise ServerSaid(f"wrong arguments ({', '.join(missing)} missing); correct them")
            await self._open_again()
            opened = self._opened
            try:
                return readable(await inner.on_invoke_tool(context, arguments))
            except ModelBehaviorError:
                raise
            except Exception as error:
                raise self._failure(error, opened) from error

        outer = copy.copy(inner)
        outer.on_invoke_tool = invoke
        return outer

    async def _open_again(self) -> None:
        """Connect again, once for each call, to a server that went away."""
        if self.is_open:
            return
        try:
            await self.open()
        except ServerUnavailable as error:
            self._is_lost = True
            raise ServerLost(f"the server went away, and is not back: {error}") from error

    def _failure(self, error: Exception, opened: int) -> Exception:
        """Return what a model is told of a call that failed; note where the server is gone."""
        match root := _root(error):
            case ServerSaid():
                return root
            case MCPError() if not _is_closed(root):
                return ServerSaid(f"the server refuses the call: {root.message}")
            case _:
                if opened == self._opened:
                    self._is_lost = True
                return ServerLost(
                    f"the MCP server went away during the call ({self._reason(root)}), and whether"
                    f" the call took effect is unknown{self.log.last_words()}; the next call starts"
                    " or reaches it anew"
                )

    async def _note(self, message: object) -> None:
        if isinstance(message, Exception):
            self._nonsense = "; what it writes is no MCP"

    def what_failed(self, error: BaseException) -> str:
        """Return why the server cannot be used, and what to do about it, in one line."""
        return f"the MCP server {self.key!r} {self._why(_root(error))}"

    def _why(self, error: BaseException) -> str:
        server = self.spec.mcp
        lack = None if server.command is None else lacking(server, self.folder)
        if lack:
            return f"did not start: {lack}"
        if isinstance(error, TimeoutError):
            return (
                f"did not answer within {self.spec.startup_timeout_seconds:g} seconds"
                f"{self._nonsense}{self.log.last_words()}; see to it, or raise"
                f" tools.{self.key}.startup_timeout_seconds"
            )
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            return f"lists tools that are none: {place}: {first['msg']}"[:LONGEST_REASON]
        if server.command is not None:
            is_closed = _is_closed(error)
            what = "ended" if is_closed else f"failed to start ({one_line(error)})"
            return f"{what} before it answered{self._nonsense}{self.log.last_words()}"
        reason = self._reason(error)
        advice = "headers" if any(code in reason for code in _NOT_LET_IN) else "url"
        return f"cannot be used: {reason}; see whether it runs, and check its {advice}"

    def _reason(self, error: BaseException) -> str:
        """Return what an error says, without what the SDK puts before it."""
        text = one_line(error) or type(error).__name__
        status = self.client.last_status if isinstance(self.client, OverHttp) else None
        said = text.rpartition("': ")[2].rstrip(".")[:LONGEST_REASON]
        return said if status is None or str(status) in said else f"HTTP {status}, {said}"


def _root(error: BaseException) -> BaseException:
    """Return the error that others were raised for; the SDK and anyio wrap them."""
    while True:
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        elif isinstance(error.__cause__, Exception) and not isinstance(
            error, ServerSaid | UserError
        ):
            error = error.__cause__
        else:
            return error


def _is_closed(error: BaseException) -> bool:
    # Servers use the same code for errors of their own.
    closed = (CONNECTION_CLOSED, "Connection closed")
    return isinstance(error, MCPError) and (error.code, error.message) == closed


def _in_a_future(error: BaseException) -> BaseException:
    """Return an error that a future can hold and that is not taken for a wish to stop."""
    if isinstance(error, Exception):
        return error
    return ServerLost(f"{type(error).__name__} {one_line(error)}".strip())
