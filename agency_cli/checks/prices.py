"""A warning about models of unknown price, where there is a limit of money."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agency_cli.checks.references import BUILT_IN_PROVIDER
from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.events import Usage
from agency_cli.manifest import JudgeGuardrail, Manifest, ModelSpec
from agency_cli.pricing import ListPrice

_OPENAI_URL: Final = "https://api.openai.com/v1"
# Few, as some prices rise with the size of a request.
_SAMPLE: Final = Usage(input_tokens=1_000, output_tokens=1_000)


def unpriced_models(subject: Subject) -> Iterator[Problem]:
    """Models that are used, and whose price neither the manifest nor the list of prices tells.

    The list is loaded only where there is a limit of money.
    """
    manifest = subject.manifest
    if manifest.limits.max_cost_usd is None:
        return
    for name, path in _used(manifest).items():
        spec = manifest.models.get(name) or ModelSpec.model_construct(model=name)
        if not _has_price(spec, manifest):
            what = (
                f"no price of {spec.model!r} is known, so `max_cost_usd` cannot be kept; declare it"
                " under `models`, with `price: {input: 1, output: 2}` in USD for a million tokens"
            )
            yield Problem(code="unpriced-model", message=what, path=path, severity="warning")


def _used(manifest: Manifest) -> dict[str, Path]:
    """Return the models that may be called, each with the place that says which it is."""
    places: dict[str, Path] = {}
    waiting = list(_named_models(manifest))
    while waiting:
        name, path = waiting.pop(0)
        if name not in places:
            declared = manifest.models.get(name)
            places[name] = path if declared is None else ("models", name, "model")
            fallback = () if declared is None else declared.fallback
            waiting[:0] = [
                (each, ("models", name, "fallback", place)) for place, each in enumerate(fallback)
            ]
    return places


def _named_models(manifest: Manifest) -> Iterator[tuple[str, Path]]:
    """Yield what agents and judges are told to use; what the environment says is not known."""
    for key, agent in manifest.agents.items():
        if agent.model is not None:
            yield agent.model, ("agents", key, "model")
        elif manifest.defaults.model is not None:
            yield manifest.defaults.model, ("defaults", "model")
    for key, guardrail in manifest.guardrails.items():
        if isinstance(guardrail, JudgeGuardrail) and guardrail.judge.model is not None:
            yield guardrail.judge.model, ("guardrails", key, "judge", "model")


def _has_price(spec: ModelSpec, manifest: Manifest) -> bool:
    if spec.price is not None or spec.model == "local" or spec.model.startswith("local:"):
        return True
    if spec.model.startswith("litellm/"):
        return ListPrice(spec.model.removeprefix("litellm/"), "")(_SAMPLE) is not None
    provider = manifest.providers.get(spec.provider or BUILT_IN_PROVIDER)
    url = provider.base_url if provider is not None else _OPENAI_URL
    return ListPrice(spec.model, url)(_SAMPLE) is not None
