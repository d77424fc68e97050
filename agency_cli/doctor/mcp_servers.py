"""MCP servers: whether their programs are there, and whether they answer."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from agency_cli.doctor.case import Case, ServerTrial
from agency_cli.doctor.finding import Finding, FindingStatus
from agency_cli.manifest import McpTool
from agency_cli.tools.programs import lacking, program_of


def programs(case: Case) -> Iterator[Finding]:
    """The programs that servers are."""
    for key, tool, _ in used_servers(case):
        server = tool.mcp
        if server.command is None or case.loaded is None:
            continue
        lack = lacking(server, case.loaded.folder)
        found = shutil.which(program_of(server, case.loaded.folder))
        yield Finding(
            kind="program",
            name=server.command,
            status=_missing(tool) if lack else "ok",
            detail=lack.partition(";")[0] if lack else str(found),
            advice=lack.partition("; ")[2],
            needed_by=(f"tools.{key}",),
        )


def mcp_servers(case: Case) -> Iterator[Finding]:
    """The servers, which were started or reached, and asked for their tools."""
    for key, tool, agents in used_servers(case):
        trial = case.trials.get(key)
        status: FindingStatus = "ok"
        if trial is None or trial.failure:
            status = "note" if trial is None else _missing(tool)
        yield Finding(
            kind="mcp server",
            name=key,
            status=status,
            detail="was not tried" if trial is None else _detail(trial),
            advice="" if status == "ok" or trial is None else _advice(tool),
            needed_by=agents,
        )


def used_servers(case: Case) -> Iterator[tuple[str, McpTool, tuple[str, ...]]]:
    """Yield each server that agents list, with its key, and those agents."""
    if case.loaded is None:
        return
    manifest = case.loaded.manifest
    for key, tool in manifest.tools.items():
        agents = tuple(name for name, agent in manifest.agents.items() if key in agent.tools)
        if isinstance(tool, McpTool) and agents:
            yield key, tool, agents


def _missing(tool: McpTool) -> FindingStatus:
    return "missing" if tool.required else "note"


def _detail(trial: ServerTrial) -> str:
    if trial.failure:
        return trial.failure
    offered = "" if trial.offered == trial.listed else f", {trial.offered} of them offered"
    notices = "".join(f"; {notice}" for notice in trial.notices)
    return f"answers, {trial.listed} tools{offered}{notices}"


def _advice(tool: McpTool) -> str:
    return "" if tool.required else "agents do without it, as it is not `required`"
