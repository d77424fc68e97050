"""The table of tool kinds, and the tools that one agent is offered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from agents import FunctionTool

from agency_cli.checks.tool_names import Offer, handoff_offer, tool_offers
from agency_cli.errors import Problem
from agency_cli.importing import CannotImport
from agency_cli.manifest import (
    AnyTool,
    AskUserTool,
    FilesTool,
    HostedTool,
    HttpTool,
    Manifest,
    McpTool,
    PythonTool,
    ShellTool,
)
from agency_cli.tools.builtin import builtin_tools
from agency_cli.tools.python import python_tools


def build_tools(
    specs: Mapping[str, AnyTool], folder: Path
) -> tuple[dict[str, list[FunctionTool]], list[Problem]]:
    """Return the tools behind each name under `tools`, and what is wrong with the others."""
    built: dict[str, list[FunctionTool]] = {}
    problems: list[Problem] = []
    for name, spec in specs.items():
        if isinstance(spec, McpTool | HostedTool):
            # A server's are known when it is connected; a provider's are none of ours.
            continue
        try:
            built[name] = _tools_of(spec, folder)
        except CannotImport as error:
            problems.append(
                Problem(code="broken-tool", message=str(error), path=("tools", name, "python"))
            )
    return built, problems


def offers_of(
    agent: str,
    manifest: Manifest,
    tools: Mapping[str, list[FunctionTool]],
    messages: Iterable[Offer],
) -> list[Offer]:
    """Return the names of all tools that `agent` offers: its handoffs', messages' and its own.

    Args:
        agent: Its key.
        manifest: The manifest.
        tools: The tools behind each name under `tools`.
        messages: Those of the agent's message flows.
    """
    flows = manifest.single_flows
    handing = [flow for flow in flows if flow.kind == "handoff" and flow.sender == agent]
    own = tool_offers(
        agent,
        manifest,
        lambda key: (
            [tool.name for tool in tools[key]] if key in tools else manifest.tools[key].known_names
        ),
    )
    return [*map(handoff_offer, handing), *messages, *own]


def _tools_of(spec: AnyTool, folder: Path) -> list[FunctionTool]:
    match spec:
        case PythonTool():
            return python_tools(spec, folder)
        case FilesTool() | ShellTool() | HttpTool() | AskUserTool():
            return builtin_tools(spec, folder)
        case _:
            raise AssertionError(f"the loader lets no {type(spec).__name__} pass yet")
