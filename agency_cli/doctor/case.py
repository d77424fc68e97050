"""What the doctor looks at: a manifest, as it would be run, on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from agency_cli.doctor.finding import Finding
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import ModelSettings
from agency_cli.models.choice import ModelChoice
from agency_cli.models.endpoints import LOCAL

SHORTEST_SECRET = 4
"""Characters; what is shorter would be found in innocent words."""


@dataclass(frozen=True, slots=True)
class ServerTrial:
    """What came of starting, or reaching, an MCP server.

    Attributes:
        failure: Why it cannot be used; empty where it can.
        listed: How many tools it has.
        offered: How many of them `allow` and `deny` leave.
        notices: What is odd about them.
    """

    failure: str = ""
    listed: int = 0
    offered: int = 0
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A manifest as it would be run here; without one, this machine alone.

    Attributes:
        environ: The environment's variables.
        store: URL of the store; may hold a password.
        loaded: The manifest.
        choices: The model of each agent, its fallbacks included, by the agent's key.
        connect: Whether the addresses of servers may be tried.
        trials: What came of trying the MCP servers, by their names under `tools`.
        hidden: What must not be shown, beside what models need.
    """

    environ: Mapping[str, str]
    store: str
    loaded: LoadedManifest | None = None
    choices: Mapping[str, ModelChoice] = field(default_factory=dict)
    connect: bool = True
    trials: Mapping[str, ServerTrial] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    def models(self) -> list[tuple[ModelChoice, tuple[str, ...]]]:
        """Return each model once, with those who use it: agents, first or as a fallback."""
        found: dict[tuple[str, str], ModelChoice] = {}
        users: dict[tuple[str, str], dict[str, None]] = {}
        for agent, choice in self.choices.items():
            for each in choice.chain:
                key = (each.label, each.provider_label)
                user = agent if each is choice else f"{agent} as a fallback"
                found.setdefault(key, each)
                users.setdefault(key, {})[user] = None
        return [(choice, tuple(users[key])) for key, choice in found.items()]

    def embedded(self) -> list[tuple[ModelChoice, tuple[str, ...]]]:
        """Return the embedded models among them; without a manifest, the usual one."""
        if self.loaded is None:
            return [(ModelChoice(LOCAL, None, ModelSettings()), ())]
        return [(choice, users) for choice, users in self.models() if choice.is_embedded]

    def secrets(self) -> set[str]:
        """Return what must not be shown, whatever text it gets into."""
        held = {*self.hidden, *(text for model, _ in self.models() for text in model.secrets)}
        for reference in self.loaded.env if self.loaded else ():
            if reference.is_credential:
                held.add(self.environ.get(reference.name, ""))
        return {text for text in held if len(text) >= SHORTEST_SECRET}


def without_secrets(findings: Iterable[Finding], secrets: Iterable[str]) -> list[Finding]:
    """Return findings with a mark for each secret in them."""
    longest_first = sorted(secrets, key=len, reverse=True)

    def clean(text: str) -> str:
        for secret in longest_first:
            text = text.replace(secret, "[secret]")
        return text

    return [
        replace(each, name=clean(each.name), detail=clean(each.detail), advice=clean(each.advice))
        for each in findings
    ]
