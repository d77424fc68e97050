"""The work of `agency doctor`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agency_cli.cli.driving import drive
from agency_cli.cli.options import overrides_of, params_of
from agency_cli.doctor import Case, ServerTrial, examine
from agency_cli.errors import ServerUnavailable
from agency_cli.loading import LoadedManifest, load_manifest
from agency_cli.models.choice import choose_models
from agency_cli.rendering.doctor import count_missing, findings_json, findings_text
from agency_cli.rendering.output import print_text
from agency_cli.store import store_url
from agency_cli.tools.credentials import secrets_of_tools
from agency_cli.tools.programs import used_by


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
    trials = _trials(loaded) if connect else {}
    hidden = tuple(secrets_of_tools(loaded))
    return Case(environ, store, loaded, choices, connect, trials, hidden)


def _trials(loaded: LoadedManifest) -> dict[str, ServerTrial]:
    """Start, or reach, the MCP servers that agents use, all at the same time."""
    if not used_by(loaded.manifest.agents, loaded.manifest):
        return {}
    # With it comes the SDK, which few manifests need here.
    from agency_cli.running import quieten_sdk  # noqa: PLC0415 - see above
    from agency_cli.tools.mcp import try_servers  # noqa: PLC0415 - see above

    quieten_sdk(tracing=False)
    return {
        key: ServerTrial(str(tried))
        if isinstance(tried, ServerUnavailable)
        else ServerTrial("", tried.listed, len(tried.tools), tuple(tried.notices))
        for key, tried in drive(try_servers(loaded)).items()
    }
