"""HTTP services: whether their documents can be read, and whether they answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agency_cli.doctor.case import Case
from agency_cli.doctor.finding import Finding
from agency_cli.doctor.servers import address_of, tried
from agency_cli.manifest import OpenApiTool

if TYPE_CHECKING:
    from agency_cli.tools.openapi.service import Service


def services(case: Case) -> Iterator[Finding]:
    """The documents, which are read or fetched, then the services, which are asked nothing."""
    users: dict[str, dict[str, None]] = {}
    for key, tool, agents in _used(case):
        found = _read(tool, case)
        yield _of_document(key, tool, agents, found)
        for url in _addresses(tool, found):
            users.setdefault(url, {})[f"tools.{key}"] = None
    addresses = {url: address_of(url) for url in users}
    failures = tried(set(addresses.values())) if case.connect else {}
    for url, needed_by in users.items():
        failure = failures.get(addresses[url])
        found = "answers" if failure is None else f"cannot be reached: {failure}"
        yield Finding(
            kind="service",
            name=addresses[url].host,
            status="missing" if failure else "ok" if case.connect else "note",
            detail=f"{addresses[url]} {found if case.connect else 'was not tried'}",
            advice="start it, or check its address and the network" if failure else "",
            needed_by=tuple(needed_by),
        )


def _of_document(
    key: str, tool: OpenApiTool, agents: tuple[str, ...], found: Service | str | None
) -> Finding:
    fault = found if isinstance(found, str) else ""
    return Finding(
        kind="openapi",
        name=key,
        status="missing" if fault else "ok" if found else "note",
        detail=_detail(tool, found),
        advice=fault.partition("; ")[2],
        needed_by=agents,
    )


def _addresses(tool: OpenApiTool, found: Service | str | None) -> set[str]:
    """Return where requests go, as far as that is known."""
    if found is None or isinstance(found, str):
        return {tool.base_url} if tool.base_url else set()
    return {operation.base_url for operation in found.operations}


def _used(case: Case) -> Iterator[tuple[str, OpenApiTool, tuple[str, ...]]]:
    """Yield each service that agents list, with its key, and those agents."""
    manifest = case.loaded.manifest if case.loaded else None
    for key, tool in manifest.tools.items() if manifest else ():
        assert manifest is not None
        agents = tuple(name for name, agent in manifest.agents.items() if key in agent.tools)
        if isinstance(tool, OpenApiTool) and agents:
            yield key, tool, agents


def _read(tool: OpenApiTool, case: Case) -> Service | str | None:
    """Return what the document brings, or why it brings nothing; None where it is not fetched."""
    # Few manifests need it.
    from agency_cli.tools.openapi.faults import NotFetched, Unusable  # noqa: PLC0415 - see above
    from agency_cli.tools.openapi.service import read_service  # noqa: PLC0415 - see above

    assert case.loaded is not None
    if tool.is_remote and not case.connect:
        return None
    try:
        return read_service(tool, case.loaded.folder)
    except (NotFetched, Unusable) as error:
        return str(error)


def _detail(tool: OpenApiTool, found: Service | str | None) -> str:
    from agency_cli.tools.openapi.documents import shown_name  # noqa: PLC0415 - few need it

    shown = shown_name(tool.openapi)
    if found is None:
        return f"{shown} was not fetched"
    if isinstance(found, str):
        return found.partition("; ")[0]
    left_out = "".join(f"; {text}" for text in found.left_out)
    offered = len(found.operations)
    return f"{shown}, {found.size} operations, {offered} of them offered{left_out}"
