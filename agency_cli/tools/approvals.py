"""Rules of approval that can match no call, as they name arguments that no tool has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agents import FunctionTool

from agency_cli.checks.approvals import unknown_in_rules
from agency_cli.errors import Problem
from agency_cli.manifest import Manifest


def unknown_arguments(
    manifest: Manifest, tools: Mapping[str, Sequence[FunctionTool]]
) -> Iterator[Problem]:
    """Yield a problem for each argument in the rules of a tool that it does not take.

    Args:
        manifest: The manifest.
        tools: The tools behind each name under `tools`; those that could not be built are not
            in it.
    """
    for name, built in tools.items():
        taken = [key for tool in built for key in tool.params_json_schema.get("properties", {})]
        yield from unknown_in_rules(manifest.tools[name].approval, taken, ("tools", name))
