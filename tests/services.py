"""OpenAPI documents for tests, and the tools that are made of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from agents import FunctionTool

from agency_cli.foreign import ToolRefused
from agency_cli.manifest import OpenApiTool
from agency_cli.tools.openapi.faults import Unusable
from agency_cli.tools.openapi.function_tools import openapi_tools
from agency_cli.tools.openapi.service import Service, read_service

OK: dict[str, Any] = {"responses": {"200": {"description": "ok"}}}


def document(paths: Mapping[str, Any], *, version: str = "3.1.0", **rest: Any) -> dict[str, Any]:
    return {
        "openapi": version,
        "info": {"title": "Test", "version": "1"},
        "servers": [{"url": "https://api.example.org/v1"}],
        "paths": paths,
        **rest,
    }


def getting(*parameters: Mapping[str, Any], path: str = "/things", **rest: Any) -> dict[str, Any]:
    """Return the paths of a service with one operation, `look`."""
    operation = {"operationId": "look", "parameters": list(parameters), **rest}
    return {path: {"get": {**operation, "responses": {"200": {"description": "ok"}}}}}


def posting(schema: Any, kind: str = "application/json", **body: Any) -> dict[str, Any]:
    """Return the paths of a service with one operation, `make`, that takes a body."""
    content = {kind: {"schema": schema}}
    operation = {"operationId": "make", "requestBody": {"content": content, **body}}
    return {"/things": {"post": {**operation, "responses": {"200": {"description": "ok"}}}}}


def paths_of(*ids: str) -> dict[str, Any]:
    """Return paths with one operation of each id."""
    return {f"/{number}": {"get": {"operationId": each, **OK}} for number, each in enumerate(ids)}


def written(folder: Path, content: Any, name: str = "service.yaml") -> str:
    text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


def read(folder: Path, content: Any, **spec: Any) -> Service:
    return read_service(OpenApiTool(openapi=written(folder, content), **spec), folder)


def refused(folder: Path, content: Any, **spec: Any) -> Unusable:
    """Return why a document cannot be used, which is one line."""
    with pytest.raises(Unusable) as caught:
        read(folder, content, **spec)
    assert "\n" not in str(caught.value)
    return caught.value


def tools_of(folder: Path, content: Any, **spec: Any) -> dict[str, FunctionTool]:
    declared = OpenApiTool(openapi=written(folder, content), **spec)
    return {tool.name: tool for tool in openapi_tools(declared, folder, lambda _: None)}


def properties(tool: FunctionTool) -> dict[str, Any]:
    return tool.params_json_schema["properties"]


def call(tool: FunctionTool, **arguments: Any) -> str:
    """Call a tool as the runner does; what it refuses is returned with a mark."""

    async def main() -> str:
        try:
            return str(await tool.on_invoke_tool(cast("Any", None), json.dumps(arguments)))
        except ToolRefused as error:
            return f"refused: {error}"

    return asyncio.run(main())
