"""The table of tool kinds, and the tools that one agent is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from agents import FunctionTool

from agency_cli.checks.tool_names import Offer, handoff_offer, tool_offers
from agency_cli.errors import Problem, ServerUnavailable
from agency_cli.importing import CannotImport
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import (
    AnyTool,
    AskUserTool,
    FilesTool,
    HostedTool,
    HttpTool,
    Manifest,
    McpTool,
    OpenApiTool,
    PythonTool,
    ShellTool,
)
from agency_cli.tools.builtin import builtin_tools
from agency_cli.tools.openapi.faults import NotFetched, Unusable
from agency_cli.tools.openapi.function_tools import OperationTool, openapi_tools
from agency_cli.tools.python import python_tools


def build_tools(
    loaded: LoadedManifest, notify: Callable[[str], None]
) -> tuple[dict[str, list[FunctionTool]], list[Problem]]:
    """Return the tools behind each name under `tools`, and what is wrong with the others.

    Args:
        loaded: The manifest.
        notify: Gets what is left out.

    Raises:
        ServerUnavailable: A document of a service cannot be fetched.
    """
    built: dict[str, list[FunctionTool]] = {}
    problems: list[Problem] = []
    for name, spec in loaded.manifest.tools.items():
        if isinstance(spec, McpTool | HostedTool):
            # A server's are known when it is connected; a provider's are none of ours.
            continue
        try:
            built[name] = _tools_of(name, spec, loaded.folder, notify)
        except CannotImport as error:
            problems.append(
                Problem(code="broken-tool", message=str(error), path=("tools", name, "python"))
            )
        except Unusable as error:
            path = ("tools", name, *error.place)
            problems.append(Problem(code=error.code, message=str(error), path=path))
        except NotFetched as error:
            place = loaded.place_of(("tools", name, "openapi"))
            raise ServerUnavailable(f"{place}: tools.{name}.openapi: {error}") from error
    return built, problems


def own_name_of(tool: FunctionTool) -> str:
    """Return what else a tool is called in rules of approval; most have one name only."""
    return tool.route if isinstance(tool, OperationTool) else ""


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


def _tools_of(
    name: str, spec: AnyTool, folder: Path, notify: Callable[[str], None]
) -> list[FunctionTool]:
    match spec:
        case PythonTool():
            return python_tools(spec, folder)
        case FilesTool() | ShellTool() | HttpTool() | AskUserTool():
            return builtin_tools(spec, folder)
        case OpenApiTool():
            return openapi_tools(spec, folder, lambda text: notify(f"tools.{name}: {text}"))
        case _:
            raise AssertionError(f"the loader lets no {type(spec).__name__} pass yet")
