"""What would run: each agent with its model, settings, tools and prompt, and the limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agency_cli.comparing.tool_permissions import approval_in_force, kind_of
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import Limits
from agency_cli.models.choice import ModelChoice, ModelOverrides
from agency_cli.planning.bounds import Costs, costs_of
from agency_cli.tools.credentials import secrets_of_tools

_SHORTEST_SECRET = 4
_NAMES = {"never": "never asks", "ask": "asks before each call", "deny": "is refused"}


class ToolPlan(NamedTuple):
    """A tool of an agent; `approval` says when a person is asked."""

    name: str
    kind: str
    approval: str


class AgentPlan(NamedTuple):
    """One agent as it would run.

    Attributes:
        reached: A flow leads to it, or several, from where the message goes.
        why: Where its model was named.
        settings: Of each model call; secrets are masked.
        fallbacks: What is tried when its model's provider fails, in order.
        missing: Variables that are not set and that its model cannot do without.
        guardrails: What checks its input, its output and its tools' calls.
        reaches: Whom it may ask, or hand over to.
        turns: How many model calls it may make for one input, and where that was set.
        prompt: Its system prompt, whole.
    """

    agent: str
    reached: bool
    model: str
    why: str
    provider: str
    api: str | None
    settings: Mapping[str, Any]
    fallbacks: tuple[str, ...]
    missing: tuple[str, ...]
    tools: tuple[ToolPlan, ...]
    guardrails: tuple[str, ...]
    reaches: tuple[str, ...]
    turns: str
    prompt: str


class LimitPlan(NamedTuple):
    """A limit in force and where it was set; None is no limit."""

    name: str
    value: float | None
    origin: str


class Plan(NamedTuple):
    """A manifest as it would run on this machine."""

    name: str
    entry: str
    agents: tuple[AgentPlan, ...]
    limits: tuple[LimitPlan, ...]
    costs: Costs


def plan_of(
    loaded: LoadedManifest,
    choices: Mapping[str, ModelChoice],
    judges: Mapping[str, ModelChoice],
    overrides: ModelOverrides,
    *,
    entry: str,
    limits: Limits,
    origins: Mapping[str, str],
    environ: Mapping[str, str],
) -> Plan:
    """Return what would run.

    Args:
        loaded: The manifest.
        choices: The model of each agent, by key.
        judges: The model of each guardrail that is a judge, by key.
        overrides: Models given on the command line.
        entry: Key of the agent that gets the message.
        limits: The limits in force.
        origins: Where each of them was set that has not its default.
        environ: The environment's variables.
    """
    reached = loaded.manifest.reached_from(entry)
    others = [key for key in loaded.manifest.agents if key not in reached]
    secrets = _secrets(loaded, choices.values(), environ)
    agents = tuple(
        _agent(key, loaded, choices[key], _why(key, loaded, overrides, environ), secrets)._replace(
            reached=key in reached
        )
        for key in (*reached, *others)
    )
    guarding = {name for key in reached for name in loaded.manifest.guardrails_of(key)}
    at_work = [choices[key] for key in reached]
    at_work += [judge for name, judge in judges.items() if name in guarding]
    called = [each for choice in at_work for each in choice.usable_chain]
    in_force = tuple(
        LimitPlan(name, getattr(limits, name), origins.get(name, "its default"))
        for name in Limits.model_fields
    )
    return Plan(loaded.manifest.name, entry, agents, in_force, costs_of(called, limits))


def _agent(
    key: str, loaded: LoadedManifest, choice: ModelChoice, why: str, secrets: Sequence[str]
) -> AgentPlan:
    manifest = loaded.manifest
    settings = choice.settings.model_dump(mode="json", exclude_unset=True)
    return AgentPlan(
        agent=key,
        reached=True,
        model=choice.label,
        why=why,
        provider=choice.provider_label,
        api=choice.endpoint.api if choice.endpoint else None,
        settings={name: _masked(value, secrets) for name, value in settings.items()},
        fallbacks=tuple(_fallback(each) for each in choice.fallbacks),
        missing=choice.missing,
        tools=tuple(_tool(name, loaded) for name in manifest.agents[key].tools),
        guardrails=tuple(_guardrail(name, loaded) for name in manifest.guardrails_of(key)),
        reaches=tuple(_reaches(key, loaded)),
        turns=_turns(key, loaded),
        prompt=loaded.instructions[key],
    )


def _why(
    key: str, loaded: LoadedManifest, overrides: ModelOverrides, environ: Mapping[str, str]
) -> str:
    """Return where an agent's model was named; in the order in which it is looked for."""
    if key in overrides.by_agent:
        return f"--model {key}={overrides.by_agent[key]}"
    if overrides.everyone:
        return f"--model {overrides.everyone}"
    if loaded.manifest.agents[key].model:
        return loaded.place_of(("agents", key, "model"))
    if loaded.manifest.defaults.model:
        return loaded.place_of(("defaults", "model"))
    return "AGENCY_MODEL" if environ.get("AGENCY_MODEL") else "the SDK's default"


def _fallback(choice: ModelChoice) -> str:
    left_out = f" (left out: {', '.join(choice.missing)} not set)" if choice.missing else ""
    return f"{choice.label}{left_out}"


def _tool(name: str, loaded: LoadedManifest) -> ToolPlan:
    spec = loaded.manifest.tools[name]
    approval = approval_in_force(spec)
    if isinstance(approval, str):
        return ToolPlan(name, kind_of(spec), _NAMES[approval])
    rules = "; ".join(
        f"{' '.join(_conditions(rule.tool, rule.when)) or 'else'}: {rule.then}" for rule in approval
    )
    return ToolPlan(name, kind_of(spec), f"by rules ({rules})")


def _guardrail(name: str, loaded: LoadedManifest) -> str:
    spec = loaded.manifest.guardrails[name]
    return f"{name} ({spec.applies_to}, {spec.action})"


def _conditions(tool: str | None, when: Mapping[str, str]) -> Iterator[str]:
    if tool is not None:
        yield tool
    yield from (f"{name}={pattern}" for name, pattern in when.items())


def _reaches(key: str, loaded: LoadedManifest) -> Iterator[str]:
    for flow in loaded.manifest.single_flows:
        if flow.sender == key:
            yield f"{'asks' if flow.kind == 'message' else 'hands over to'} {flow.recipient}"


def _turns(key: str, loaded: LoadedManifest) -> str:
    manifest = loaded.manifest
    if (most := manifest.agents[key].max_turns) is not None:
        return f"{most} ({loaded.place_of(('agents', key, 'max_turns'))})"
    if (most := manifest.defaults.max_turns) is not None:
        return f"{most} ({loaded.place_of(('defaults', 'max_turns'))})"
    return ""


def _secrets(
    loaded: LoadedManifest, choices: Iterable[ModelChoice], environ: Mapping[str, str]
) -> list[str]:
    """Return what must not be shown, the longest first."""
    held = {*secrets_of_tools(loaded)}
    for choice in choices:
        held.update(text for each in choice.chain for text in each.secrets)
    held.update(
        environ.get(reference.name, "") for reference in loaded.env if reference.is_credential
    )
    return sorted((text for text in held if len(text) >= _SHORTEST_SECRET), key=len, reverse=True)


def _masked(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, dict):
        return {key: _masked(inner, secrets) for key, inner in value.items()}
    if isinstance(value, list):
        return [_masked(inner, secrets) for inner in value]
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, "[secret]")
    return value
