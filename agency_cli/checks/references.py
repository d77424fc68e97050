"""Names that must lead somewhere: agents, tools, guardrails, providers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from agency_cli.checks.flows import well_formed
from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem

BUILT_IN_PROVIDER = "openai"

_Unknown = Literal["unknown-agent", "unknown-tool", "unknown-guardrail", "unknown-provider"]


def unknown_agents(subject: Subject) -> Iterator[Problem]:
    """Flows and entries that name an agent which is not declared."""
    manifest = subject.manifest
    entry = manifest.entry
    entries = [] if entry is None else [entry] if isinstance(entry, str) else entry
    for position, name in enumerate(entries):
        path: Path = ("entry",) if isinstance(entry, str) else ("entry", position)
        yield from _unknown("unknown-agent", name, manifest.agents, path)
    seen = set()
    for flow in well_formed(subject):
        place = flow.path[:2]
        sender_place = (*place, "from") if flow.spec else place
        for name, path in ((flow.sender, sender_place), (flow.recipient, flow.path)):
            # A chain names its middle twice.
            if (name, path) not in seen:
                seen.add((name, path))
                yield from _unknown("unknown-agent", name, manifest.agents, path)


def unknown_tools(subject: Subject) -> Iterator[Problem]:
    """Agents that list a tool which is not declared."""
    for key, agent in subject.manifest.agents.items():
        for position, name in enumerate(agent.tools):
            place = ("agents", key, "tools", position)
            yield from _unknown("unknown-tool", name, subject.manifest.tools, place)


def unknown_guardrails(subject: Subject) -> Iterator[Problem]:
    """Agents or defaults that list a guardrail which is not declared."""
    manifest = subject.manifest
    lists: list[tuple[Path, list[str] | None]] = [
        (("defaults", "guardrails"), manifest.defaults.guardrails)
    ]
    lists += [
        (("agents", key, "guardrails"), agent.guardrails) for key, agent in manifest.agents.items()
    ]
    for place, names in lists:
        for position, name in enumerate(names or ()):
            yield from _unknown("unknown-guardrail", name, manifest.guardrails, (*place, position))


def unknown_providers(subject: Subject) -> Iterator[Problem]:
    """Models of a provider that is neither declared nor built in."""
    known = {**subject.manifest.providers, BUILT_IN_PROVIDER: None}
    for key, model in subject.manifest.models.items():
        if model.provider is not None:
            yield from _unknown(
                "unknown-provider", model.provider, known, ("models", key, "provider")
            )


def _unknown(
    code: _Unknown, name: str, known: Mapping[str, object], path: Path
) -> Iterator[Problem]:
    if name in known:
        return
    names, word = list(known), code.removeprefix("unknown-")
    hint = did_you_mean(name, names)
    if not hint:
        hint = f"; there are {listed(names)}" if names else f"; no {word} is declared"
    yield Problem(code=code, message=f"no {word} named {name!r}{hint}", path=path, within=name)
