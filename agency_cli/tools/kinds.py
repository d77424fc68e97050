"""The table of tool kinds, and the tools that one agent is offered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from agents import FunctionTool

from agency_cli.errors import Problem
from agency_cli.importing import CannotImport
from agency_cli.manifest import AnyTool, FilesTool, Manifest, PythonTool
from agency_cli.tools.files import files_tools
from agency_cli.tools.python import python_tools


def build_tools(
    specs: Mapping[str, AnyTool], folder: Path
) -> tuple[dict[str, list[FunctionTool]], list[Problem]]:
    """Return the tools behind each name under `tools`, and what is wrong with the others."""
    built: dict[str, list[FunctionTool]] = {}
    problems: list[Problem] = []
    for name, spec in specs.items():
        try:
            built[name] = _tools_of(spec, folder)
        except CannotImport as error:
            problems.append(
                Problem(code="broken-tool", message=str(error), path=("tools", name, "python"))
            )
    return built, problems


def name_clashes(
    agent: str,
    manifest: Manifest,
    tools: Mapping[str, list[FunctionTool]],
    of_flows: Iterable[str],
) -> list[Problem]:
    """Return a problem for each tool name that `agent` would offer twice.

    Args:
        agent: Its key.
        manifest: The manifest.
        tools: The tools behind each name under `tools`.
        of_flows: Names of the tools that the agent's flows give it.
    """
    owners: dict[str, str] = {}
    problems = []
    place: tuple[str | int, ...] = ("agents", agent)
    offered = [(name, "a flow", place) for name in of_flows]
    for position, key in enumerate(manifest.agents[agent].tools):
        path = (*place, "tools", position)
        offered += [(tool.name, key, path) for tool in tools.get(key, ())]
    for name, owner, path in offered:
        if name in owners:
            what = f"{agent} would have two tools named {name!r}, of {owners[name]} and of {owner}"
            problems.append(Problem(code="tool-name-clash", message=what, path=path))
        owners[name] = owner
    return problems


def _tools_of(spec: AnyTool, folder: Path) -> list[FunctionTool]:
    match spec:
        case PythonTool():
            return python_tools(spec, folder)
        case FilesTool():
            return files_tools(spec, folder)
        case _:
            raise AssertionError(f"the loader lets no {type(spec).__name__} pass yet")
