"""Warnings about what is declared and never used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal

from agency_cli.checks.references import BUILT_IN_PROVIDER
from agency_cli.checks.subject import Subject
from agency_cli.errors import Problem
from agency_cli.manifest.guardrails import JudgeGuardrail

_Unused = Literal[
    "unused-tool", "unused-guardrail", "unused-model", "unused-param", "unused-provider"
]


def unused_tools(subject: Subject) -> Iterator[Problem]:
    """Tools that no agent lists."""
    manifest = subject.manifest
    used = {name for agent in manifest.agents.values() for name in agent.tools}
    yield from _unused("unused-tool", manifest.tools, used, "no agent lists it under `tools`")


def unused_guardrails(subject: Subject) -> Iterator[Problem]:
    """Guardrails that neither an agent nor the defaults list."""
    manifest = subject.manifest
    used = {name for key in manifest.agents for name in manifest.guardrails_of(key)}
    used.update(manifest.defaults.guardrails or [])
    reason = "no agent lists it under `guardrails`"
    yield from _unused("unused-guardrail", manifest.guardrails, used, reason)


def unused_models(subject: Subject) -> Iterator[Problem]:
    """Models that neither an agent, the defaults, a fallback nor a judge names."""
    manifest = subject.manifest
    used = {agent.model for agent in manifest.agents.values()} | {manifest.defaults.model}
    for model in manifest.models.values():
        used.update(model.fallback)
    for guardrail in manifest.guardrails.values():
        if isinstance(guardrail, JudgeGuardrail):
            used.add(guardrail.judge.model)
    yield from _unused("unused-model", manifest.models, used, "no agent has it as its `model`")


def unused_providers(subject: Subject) -> Iterator[Problem]:
    """Providers that no model names."""
    manifest = subject.manifest
    used = {model.provider for model in manifest.models.values()}
    # A name that leads nowhere is an error of its own, and most often that of what seems unused.
    if not used <= {*manifest.providers, BUILT_IN_PROVIDER, None}:
        return
    # OpenAI is the provider of every model which names none.
    declared = (name for name in manifest.providers if name != BUILT_IN_PROVIDER)
    yield from _unused("unused-provider", declared, used, "no model has it as its `provider`")


def unused_params(subject: Subject) -> Iterator[Problem]:
    """Params that no text refers to."""
    params = subject.manifest.params
    for name in params:
        reason = f"no text holds ${{param.{name}}}"
        yield from _unused("unused-param", (name,), subject.used_params, reason)


def _unused(
    code: _Unused, declared: Iterable[str], used: Collection[str | None], reason: str
) -> Iterator[Problem]:
    word = code.removeprefix("unused-")
    for name in declared:
        if name not in used:
            yield Problem(
                code=code,
                message=f"the {word} {name!r} is never used: {reason}",
                path=(f"{word}s", name),
                severity="warning",
                at_key=True,
            )
