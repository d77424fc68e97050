"""What the declaration of an MCP server must say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agency_cli.checks.providers import fault_of_url
from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.manifest import FlowSpec, McpServer, McpTool, PythonTool

_ONLY_WITH: Final = {
    "args": "command",
    "env": "command",
    "folder": "command",
    "transport": "url",
    "headers": "url",
}
_EXAMPLE: Final = "`url: https://example.org/mcp`"


def servers_of_one_sort(subject: Subject) -> Iterator[Problem]:
    """A server is a program to start or an address, and says only what that sort heeds."""
    for key, server in _servers(subject):
        path: Path = ("tools", key, "mcp")
        if server.command is not None and server.url is not None:
            what = "'command' and 'url' exclude each other; keep one"
            yield Problem(code="exclusive-keys", message=what, path=(*path, "url"), at_key=True)
        elif server.command is None and server.url is None:
            what = "a server is a program to start or an address; write `command` or `url`"
            yield Problem(code="missing-key", message=what, path=path)
        else:
            yield from _without_effect(server, path)


def server_urls(subject: Subject) -> Iterator[Problem]:
    """The address of each server is one that requests can be sent to."""
    for key, server in _servers(subject):
        fault = "" if server.url is None else fault_of_url(server.url, _EXAMPLE)
        if fault:
            yield Problem(code="bad-url", message=fault, path=("tools", key, "mcp", "url"))


def names_of_servers(subject: Subject) -> Iterator[Problem]:
    """No tool takes a name that the tools of a server have."""
    manifest = subject.manifest
    prefixes = {f"mcp_{key.replace('.', '_')}__": key for key, _ in _servers(subject)}
    named: list[tuple[Path, str | None]] = [
        (("tools", key, "name"), tool.name)
        for key, tool in manifest.tools.items()
        if isinstance(tool, PythonTool)
    ]
    named += [
        (("flows", index, "tool_name"), flow.tool_name)
        for index, flow in enumerate(manifest.flows)
        if isinstance(flow, FlowSpec)
    ]
    for path, name in named:
        prefix = next((each for each in prefixes if name and name.startswith(each)), None)
        if prefix is not None:
            what = (
                f"{name!r} is kept for the tools of the MCP server {prefixes[prefix]!r}; choose"
                " another name"
            )
            yield Problem(code="reserved-name", message=what, path=path)


def _without_effect(server: McpServer, path: Path) -> Iterator[Problem]:
    there = "url" if server.command is None else "command"
    for key, needed in _ONLY_WITH.items():
        if needed != there and key in server.model_fields_set:
            what = f"{key!r} has no effect beside {there!r}; it belongs to {needed!r}: remove it"
            yield Problem(code="key-without-effect", message=what, path=(*path, key), at_key=True)


def _servers(subject: Subject) -> Iterator[tuple[str, McpServer]]:
    for key, tool in subject.manifest.tools.items():
        if isinstance(tool, McpTool):
            yield key, tool.mcp
