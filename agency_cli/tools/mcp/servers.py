"""The MCP servers of an agency: started together, used by all agents, closed together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agents import FunctionTool

from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.errors import ManifestError, ServerUnavailable
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import McpTool
from agency_cli.run_context import RunContext
from agency_cli.tools.approvals import unknown_arguments
from agency_cli.tools.credentials import secrets_of_tools, unset_in_tool
from agency_cli.tools.mcp.connection import Connection
from agency_cli.tools.mcp.logs import ServerLog
from agency_cli.tools.mcp.naming import is_of
from agency_cli.tools.programs import used_by
from agency_cli.tools.watched import watched

PATIENCE = 3.0
"""Seconds after which a person is told what is waited for."""


@dataclass
class Servers:
    """The servers of one agency.

    Attributes:
        loaded: The manifest.
        logs: Folder for what they write to their standard error; None keeps none of it.
        connections: One for each server, by its name under `tools`.
    """

    loaded: LoadedManifest
    logs: Path | None
    connections: dict[str, Connection] = field(init=False)
    _left_out: set[str] = field(default_factory=set)
    _told: set[str] = field(default_factory=set)
    _tools: dict[str, list[FunctionTool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        secrets = secrets_of_tools(self.loaded)
        self.connections = {
            key: Connection(
                key,
                spec,
                f"{self.loaded.place_of(('tools', key))}: tools.{key}",
                self.loaded.folder,
                ServerLog(self.logs and self.logs / f"mcp-{key}.log", secrets),
            )
            for key, spec in self.loaded.manifest.tools.items()
            if isinstance(spec, McpTool)
        }

    async def ready(self, agents: Iterable[str], run: RunContext) -> None:
        """Connect the servers that agents use, at the same time; those that are stay as they are.

        Args:
            agents: Keys of the agents that the run can reach.
            run: Gets notices; where it is to end, what is under way is given up.

        Raises:
            ServerUnavailable: One that is required cannot be used; tells of all.
            ManifestError: Rules of approval that are about arguments which no tool has.
        """
        needed = [self.connections[key] for key in used_by(agents, self.loaded.manifest)]
        if not needed:
            return
        waited = [each for each in needed if not each.is_open and each.key not in self._left_out]
        opening = asyncio.ensure_future(asyncio.gather(*(self._open(each, run) for each in waited)))
        stopping = asyncio.ensure_future(run.stop.wait())
        try:
            await _first(opening, stopping, lambda: run.notify(_waiting(waited)))
            if not opening.done():
                return
            failures = [failure for failure in opening.result() if failure]
        finally:
            for task in (opening, stopping):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(opening, stopping, return_exceptions=True)
        if failures:
            raise ServerUnavailable("; ".join(failures))
        self._tools.clear()
        self._check([each for each in needed if each.tools], run.notify)

    def tools_of(self, agent: str) -> Sequence[FunctionTool]:
        """Return the tools that an agent has of servers that were connected."""
        if agent not in self._tools:
            self._tools[agent] = self._watched(agent, used_by([agent], self.loaded.manifest))
        return self._tools[agent]

    async def close(self) -> None:
        """Close all connections, at the same time; programs end, or are ended."""
        await asyncio.gather(*(each.close() for each in self.connections.values()))

    async def attempt(self, key: str) -> Connection | ServerUnavailable:
        """Connect one; return it, or why it cannot be used."""
        connection = self.connections[key]
        unset = unset_in_tool(key, self.loaded)
        if unset:
            verb = "is" if len(unset) == 1 else "are"
            return ServerUnavailable(f"{connection.place}: {' and '.join(unset)} {verb} not set")
        try:
            await connection.open()
        except ServerUnavailable as error:
            return error
        return connection

    async def _open(self, connection: Connection, run: RunContext) -> str:
        """Connect one; return why the run cannot begin, or nothing."""
        tried = await self.attempt(connection.key)
        if isinstance(tried, Connection):
            return ""
        if connection.spec.required:
            return str(tried)
        if any(is_of(connection.key, name) for name in run.past.tools):
            # What its tools gave back then belongs to the conversation that goes on.
            return f"{tried}; the run has used it, and goes on only with it"
        # Trying again before each message would make a person wait for it each time.
        self._left_out.add(connection.key)
        run.notify(f"{tried}; the run goes on without it, as it is not `required`")
        return ""

    def _check(self, connected: Sequence[Connection], notify: Callable[[str], None]) -> None:
        """Say what the manifest says of tools that there are not."""
        new = [each for each in connected if each.key not in self._told]
        tools = {each.key: [tool.tool for tool in each.tools] for each in new}
        problems = list(unknown_arguments(self.loaded.manifest, tools))
        if problems:
            raise ManifestError([self.loaded.locate(problem) for problem in problems])
        for connection in new:
            self._told.add(connection.key)
            for notice in (*connection.notices, *_idle_rules(connection)):
                notify(notice)

    def _watched(self, agent: str, keys: Iterable[str]) -> list[FunctionTool]:
        return [
            watched(each.tool, agent, connection.key, connection.spec, own_name=each.own_name)
            for connection in (self.connections[key] for key in keys)
            for each in connection.tools
        ]


async def try_servers(loaded: LoadedManifest) -> dict[str, Connection | ServerUnavailable]:
    """Connect every server that an agent uses, close all, and return what came of each."""
    servers = Servers(loaded, None)
    keys = used_by(loaded.manifest.agents, loaded.manifest)
    try:
        tried = await asyncio.gather(*(servers.attempt(key) for key in keys))
    finally:
        await servers.close()
    return dict(zip(keys, tried, strict=True))


async def _first(
    opening: asyncio.Future[list[str]],
    stopping: asyncio.Future[Literal[True]],
    impatient: Callable[[], None],
) -> None:
    """Wait for one of the two; after some time tell what is waited for."""
    both = (opening, stopping)
    done, _ = await asyncio.wait(both, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    if not done:
        impatient()
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)


def _waiting(connections: Iterable[Connection]) -> str:
    late = ", ".join(each.key for each in connections if not each.tools)
    return f"waiting for MCP servers: {late}"


def _idle_rules(connection: Connection) -> Iterable[str]:
    """Tell of rules of approval whose `tool` is none of the server's."""
    approval = connection.spec.approval
    if approval is None or isinstance(approval, str):
        return
    names = [name for each in connection.tools for name in (each.own_name, each.tool.name)]
    for position, rule in enumerate(approval):
        if rule.tool is not None and not any(rule.is_about((name,)) for name in names):
            own = [each.own_name for each in connection.tools]
            yield (
                f"tools.{connection.key}.approval[{position}]: no tool of the server matches"
                f" {rule.tool!r}{did_you_mean(rule.tool, own)}; it has: {listed(sorted(own))}"
            )
