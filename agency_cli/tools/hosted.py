"""Tools that the provider runs: the SDK's objects, made from what a manifest says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from agents import (
    CodeInterpreterTool,
    FileSearchTool,
    HostedMCPTool,
    ImageGenerationTool,
    Tool,
    UserError,
    WebSearchTool,
)
from pydantic import ValidationError

from agency_cli.errors import Problem, one_line
from agency_cli.manifest import AnyTool, HostedTool


def build_hosted(specs: Mapping[str, AnyTool]) -> tuple[dict[str, Tool], list[Problem]]:
    """Return the hosted tools by their names under `tools`, and what is wrong with the others."""
    built: dict[str, Tool] = {}
    problems: list[Problem] = []
    for name, spec in specs.items():
        if not isinstance(spec, HostedTool):
            continue
        try:
            built[name] = _tool(spec)
        except (UserError, ValidationError, TypeError, ValueError) as error:
            what = f"{spec.hosted} cannot be set up so: {one_line(error)}"
            path = ("tools", name, "options")
            problems.append(Problem(code="broken-tool", message=what, path=path))
    return built, problems


def _tool(spec: HostedTool) -> Tool:
    options: Any = spec.options
    match spec.hosted:
        case "web_search":
            return WebSearchTool(**options)
        case "file_search":
            return FileSearchTool(**options)
        case "code_interpreter":
            return CodeInterpreterTool(cast("Any", {"type": "code_interpreter", **options}))
        case "image_generation":
            return ImageGenerationTool(cast("Any", {"type": "image_generation", **options}))
        case "mcp":
            return HostedMCPTool(cast("Any", {"type": "mcp", **options}))
        case name:
            raise AssertionError(f"the loader lets no {name} pass")
