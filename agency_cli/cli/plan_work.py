"""The work of `agency plan`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agency_cli.cli.options import entry_of, limits_of, overrides_of, params_of
from agency_cli.loading import load_manifest
from agency_cli.models.choice import choose_judges, choose_models
from agency_cli.planning import plan_of
from agency_cli.rendering.output import print_text
from agency_cli.rendering.plan import plan_json, plan_text


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """The options of `agency plan`, as given."""

    manifest: Path
    agent: str | None
    models: Sequence[str]
    params: Sequence[str]
    limits: Mapping[str, float | None]
    prompts: bool
    json: bool


def show(options: PlanOptions) -> None:
    """Print what would run.

    Raises:
        ManifestError: The manifest has problems.
        UsageError: Options that do not fit it.
    """
    environ = os.environ
    loaded = load_manifest(options.manifest, params=params_of(options.params))
    overrides = overrides_of(options.models, loaded.manifest)
    choices = choose_models(loaded, overrides, environ)
    judges = choose_judges(loaded, overrides, environ)
    if not all(choice.model for choice in (*choices.values(), *judges.values())):
        # The SDK alone knows its default, and takes seconds to import.
        from agency_cli.models.default import with_default_model  # noqa: PLC0415 - see above

        choices, judges = with_default_model(choices), with_default_model(judges)
    limits, origins = limits_of(loaded, options.limits)
    plan = plan_of(
        loaded,
        choices,
        judges,
        overrides,
        entry=entry_of(loaded.manifest, options.agent),
        limits=limits,
        origins=origins,
        environ=environ,
    )
    write = plan_json if options.json else plan_text
    print_text(write(plan, prompts=options.prompts), sys.stdout)
