"""What tools need to be let in somewhere: variables that are not set, and what nobody may read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import SecretStr

from agency_cli.loading import LoadedManifest
from agency_cli.manifest import (
    HostedTool,
    McpTool,
    OpenApiTool,
    ToolSpec,
    credentials_in,
    credentials_of,
    without_scheme,
)


def unset_in_tool(key: str, loaded: LoadedManifest) -> list[str]:
    """Return the variables that a tool's credentials need and that are not set, each once."""
    found = (
        variable
        for place, variables in loaded.missing_env.items()
        if place[:2] == ("tools", key)
        for variable in variables
    )
    return list(dict.fromkeys(found))


def unset_of_agents(agents: Iterable[str], loaded: LoadedManifest) -> dict[str, list[str]]:
    """Return the variables that the tools of agents lack, and which tools those are.

    Servers that a run can do without are left out.
    """
    needed: dict[str, list[str]] = {}
    tools = loaded.manifest.tools
    for key in dict.fromkeys(
        name for agent in agents for name in loaded.manifest.agents[agent].tools
    ):
        spec = tools[key]
        if isinstance(spec, McpTool) and not spec.required:
            continue
        for variable in unset_in_tool(key, loaded):
            needed.setdefault(variable, []).append(f"tools.{key}")
    return needed


def secrets_of_tools(loaded: LoadedManifest) -> list[str]:
    """Return what must not be shown or written down: values of variables, and what is named so."""
    from_variables = {reference.path for reference in loaded.env if reference.is_credential}
    found: list[str] = []
    for key, spec in loaded.manifest.tools.items():
        found += credentials_of(spec)
        for place, value in _hidden(spec):
            if ("tools", key, *place) in from_variables:
                found.append(without_scheme(value))
            else:
                found += credentials_in({place[-1]: value})
    return list(dict.fromkeys(filter(None, found)))


def _hidden(spec: ToolSpec) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what may be a secret by where it comes from, and its place in the tool."""
    match spec:
        case McpTool(mcp=server):
            for place, value in _values({"env": server.env, "headers": server.headers}):
                yield ("mcp", *place), value
        case OpenApiTool():
            yield from _values({"headers": spec.headers, "query": spec.query})
        case HostedTool(options=options):
            headers = options.get("headers")
            for name, value in headers.items() if isinstance(headers, dict) else ():
                yield ("options", "headers", name), str(value)
            yield ("options", "authorization"), str(options.get("authorization", ""))
        case _:
            return


def _values(
    groups: Mapping[str, Mapping[str, SecretStr]],
) -> Iterator[tuple[tuple[str, str], str]]:
    for group, values in groups.items():
        for name, value in values.items():
            yield (group, name), value.get_secret_value()
