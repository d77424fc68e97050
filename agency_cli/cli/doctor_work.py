"""The work of `agency doctor`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agency_cli.cli.options import overrides_of, params_of
from agency_cli.doctor import Case, examine
from agency_cli.loading import load_manifest
from agency_cli.models.choice import choose_models
from agency_cli.rendering.doctor import count_missing, findings_json, findings_text
from agency_cli.rendering.output import print_text
from agency_cli.store import store_url


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """The options of `agency doctor`, as given."""

    manifest: Path | None
    models: Sequence[str]
    params: Sequence[str]
    store: str | None
    offline: bool
    json: bool


def look(options: DoctorOptions) -> int:
    """Print what was found; return how much is missing.

    Raises:
        ManifestError: The manifest has problems.
        UsageError: Options that do not fit it.
    """
    findings = examine(_case(options))
    named = str(options.manifest) if options.manifest else None
    if options.json:
        text = findings_json(findings, named)
    else:
        text = findings_text(findings, named or "this machine")
    print_text(text, sys.stdout)
    return count_missing(findings)


def _case(options: DoctorOptions) -> Case:
    environ, connect = os.environ, not options.offline
    if options.manifest is None:
        return Case(environ, store_url(options.store, Path.cwd(), environ), connect=connect)
    loaded = load_manifest(options.manifest, params=params_of(options.params))
    choices = choose_models(loaded, overrides_of(options.models, loaded.manifest), environ)
    if not all(choice.model for choice in choices.values()):
        # The SDK alone knows its default, and takes seconds to import.
        from agency_cli.models.default import with_default_model  # noqa: PLC0415 - see above

        choices = with_default_model(choices)
    store = store_url(options.store, loaded.folder, environ)
    return Case(environ, store, loaded, choices, connect)
