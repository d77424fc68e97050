"""Which model each agent uses, and whether everything that it needs is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agency_cli.errors import CredentialsError
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import JudgeGuardrail, ModelSettings, ModelSpec, Price, credentials_in
from agency_cli.models.endpoints import LOCAL, Endpoint, endpoint_of, shown_address, unset_at
from agency_cli.pricing import FREE, ListPrice, OwnPrice, Pricing


@dataclass(frozen=True, slots=True)
class ModelOverrides:
    """Models given on the command line: one for every agent, or for some by their keys."""

    everyone: str | None = None
    by_agent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that one agent uses.

    Attributes:
        model: The provider's id of the model; `local` or `local:FILE` for the embedded one,
            `litellm/...` for the SDK's extra, empty for the SDK's default.
        endpoint: How it is reached; None where no server of ours is asked.
        settings: Settings from the model and the agent, the agent's first.
        price: The manifest's price, if it states one.
        fallbacks: The models that are tried, in this order, when its provider fails for good.
        unset: Environment variables that headers in its settings need and that are not set.
    """

    model: str
    endpoint: Endpoint | None
    settings: ModelSettings
    price: Price | None = None
    fallbacks: tuple[ModelChoice, ...] = ()
    unset: tuple[str, ...] = ()

    @property
    def chain(self) -> tuple[ModelChoice, ...]:
        """This model, then its fallbacks."""
        return (self, *self.fallbacks)

    @property
    def usable_chain(self) -> tuple[ModelChoice, ...]:
        """This model, then those of its fallbacks whose credentials are set."""
        return (self, *(choice for choice in self.fallbacks if not choice.missing))

    @property
    def missing(self) -> tuple[str, ...]:
        """Environment variables that its credentials need and that are not set."""
        needed = (*(self.endpoint.missing if self.endpoint else ()), *self.unset)
        return () if self.is_embedded else tuple(dict.fromkeys(needed))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What nobody may read: those of its server, and those in its own headers."""
        own = credentials_in(self.settings.extra_headers or {})
        return (*(self.endpoint.secrets if self.endpoint else ()), *own)

    @property
    def is_embedded(self) -> bool:
        """Whether it is the embedded model, from the package or from a file."""
        return self.model == LOCAL or self.model.startswith(f"{LOCAL}:")

    @property
    def label(self) -> str:
        """The model's name in trees, costs and messages."""
        if self.endpoint is None or self.endpoint.provider == "openai":
            return self.model
        return f"{self.endpoint.provider}/{self.model}"

    @property
    def provider_label(self) -> str:
        """Who is called, in messages: the provider's name and, where not usual, its address."""
        if self.endpoint is None:
            return self.model
        if self.endpoint.is_openai:
            return "openai"
        return f"{self.endpoint.provider} ({shown_address(self.endpoint.base_url)})"


def choose_models(
    loaded: LoadedManifest,
    overrides: ModelOverrides,
    environ: Mapping[str, str],
) -> dict[str, ModelChoice]:
    """Return the model of every agent, by agent key.

    Order: the command line, the agent, `defaults`, `$AGENCY_MODEL`, the SDK's default.
    """
    manifest = loaded.manifest
    usual = manifest.defaults.model or environ.get("AGENCY_MODEL") or ""
    choices = {}
    for key, agent in manifest.agents.items():
        wanted = overrides.by_agent.get(key) or overrides.everyone or agent.model or usual
        choices[key] = _chosen(wanted, loaded, environ, agent.settings, ("agents", key))
    return choices


def choose_judges(
    loaded: LoadedManifest, overrides: ModelOverrides, environ: Mapping[str, str]
) -> dict[str, ModelChoice]:
    """Return the model of every guardrail that is a judge, by its key; the order is the agents'."""
    manifest = loaded.manifest
    usual = manifest.defaults.model or environ.get("AGENCY_MODEL") or ""
    return {
        name: _chosen(
            overrides.everyone or spec.judge.model or usual,
            loaded,
            environ,
            None,
            ("guardrails", name),
        )
        for name, spec in manifest.guardrails.items()
        if isinstance(spec, JudgeGuardrail)
    }


def _chosen(
    wanted: str,
    loaded: LoadedManifest,
    environ: Mapping[str, str],
    own: ModelSettings | None,
    place: tuple[str, str],
) -> ModelChoice:
    first, *others = (
        _choice(name, spec, loaded, environ, own, place)
        for name, spec in loaded.manifest.model_chain(wanted).items()
    )
    return replace(first, fallbacks=tuple(others))


def left_out(choices: Iterable[ModelChoice]) -> list[str]:
    """Tell which fallbacks are not tried because their credentials are missing, each once."""
    notices = (
        f"{each.label} is left out as a fallback: {' and '.join(each.missing)}"
        f" {'is' if len(each.missing) == 1 else 'are'} not set"
        for choice in choices
        for each in choice.fallbacks
        if each.missing
    )
    return list(dict.fromkeys(notices))


def require_credentials(
    choices: Iterable[tuple[str, ModelChoice]], of_tools: Mapping[str, Sequence[str]] = {}
) -> None:
    """Make sure that every chosen provider, and every tool, has its credentials.

    Args:
        choices: Agents, each with its model.
        of_tools: Variables that tools lack, each with those tools.

    Raises:
        CredentialsError: Names all missing variables at once, who needs them, and what to do.
    """
    needed: dict[str, list[str]] = {}
    for agent, choice in choices:
        for variable in choice.missing:
            needed.setdefault(variable, []).append(agent)
    is_of_a_model = bool(needed)
    for variable, tools in of_tools.items():
        needed.setdefault(variable, []).extend(tools)
    if not needed:
        return
    lines = [
        f"{variable} is not set (needed by {', '.join(agents)})"
        for variable, agents in needed.items()
    ]
    instead = ", or add `--model local`, which needs no key" if is_of_a_model else ""
    raise CredentialsError(
        "; ".join(lines)
        + f". Set {'it' if len(needed) == 1 else 'them'}, for example"
        + f" `export {next(iter(needed))}=...`{instead}."
    )


def pricing_of(choice: ModelChoice) -> Pricing:
    """Return how the calls of `choice` are priced."""
    if choice.price is not None:
        return OwnPrice(choice.price)
    if choice.endpoint is None:
        if choice.model.startswith("litellm/"):
            return ListPrice(choice.model.removeprefix("litellm/"), "")
        return OwnPrice(FREE)
    return ListPrice(choice.model, choice.endpoint.base_url)


def merged_settings(*layers: ModelSettings | None) -> ModelSettings:
    """Lay settings over each other, the last first."""
    merged: dict[str, object] = {}
    for layer in layers:
        if layer is not None:
            merged.update(layer.model_dump(exclude_unset=True))
    return ModelSettings.model_validate(merged)


def _choice(  # noqa: PLR0917 - all of it, each once
    name: str,
    spec: ModelSpec,
    loaded: LoadedManifest,
    environ: Mapping[str, str],
    own: ModelSettings | None,
    place: tuple[str, str],
) -> ModelChoice:
    manifest = loaded.manifest
    return ModelChoice(
        model=spec.model,
        endpoint=endpoint_of(spec, loaded, environ),
        settings=merged_settings(spec.settings, manifest.defaults.settings, own),
        price=spec.price,
        unset=unset_at(loaded, ("models", name), ("defaults", "settings"), place),
    )
