"""The work of `agency run`: load, choose, build, run, render."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agency_cli.calltree import CallTree
from agency_cli.cli.driving import drive
from agency_cli.cli.options import entry_of, message_of, overrides_of, params_of
from agency_cli.errors import AgencyError
from agency_cli.events import Notice
from agency_cli.loading import LoadedManifest, load_manifest
from agency_cli.models.choice import ModelOverrides, choose_models, require_credentials
from agency_cli.rendering.watching import RunWatcher, WatcherKind, make_watcher


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of `agency run`, as given."""

    manifest: Path
    message: str | None
    agent: str | None
    models: Sequence[str]
    params: Sequence[str]
    json: bool
    jsonl: bool
    quiet: bool
    verbose: bool


@dataclass(frozen=True, slots=True)
class Request:
    """What the options ask for, checked against the manifest."""

    message: str
    entry: str
    overrides: ModelOverrides


def run_once(options: RunOptions) -> None:
    """Send one message and show what happens.

    Raises:
        AgencyError: Whatever kept the run from a final output; what happened until then is shown.
    """
    loaded = load_manifest(options.manifest, params=params_of(options.params))
    request = _checked_request(options, loaded)
    tree = CallTree()
    watcher = make_watcher(
        _watcher_kind(options),
        tree=tree,
        stdout=sys.stdout,
        stderr=sys.stderr,
        environ=os.environ,
        verbose=options.verbose,
    )
    failure = None
    with watcher:
        try:
            _run(loaded, request, watcher)
        except AgencyError as error:
            failure = error
    if tree.started is not None:
        _show_result(options, tree)
    if failure is not None:
        raise failure


def _checked_request(options: RunOptions, loaded: LoadedManifest) -> Request:
    """Refuse whatever can be refused before the SDK, which takes long to import, is needed."""
    request = Request(
        message=message_of(options.message, sys.stdin),
        entry=entry_of(loaded.manifest, options.agent),
        overrides=overrides_of(options.models, loaded.manifest),
    )
    choices = choose_models(loaded, request.overrides, os.environ)
    needed = loaded.manifest.reached_from(request.entry)
    require_credentials((key, choices[key]) for key in needed)
    return request


def _run(loaded: LoadedManifest, request: Request, watcher: RunWatcher) -> None:
    # Only here is it sure that the SDK is needed.
    from agency_cli.building import build_agency  # noqa: PLC0415 - see above
    from agency_cli.running import RunRequest, quieten_sdk, run_agency  # noqa: PLC0415 - see above

    def notify(text: str) -> None:
        watcher.on_event(Notice(text=text, at=datetime.now(UTC)))

    quieten_sdk(tracing=loaded.manifest.tracing)
    agency = build_agency(loaded, overrides=request.overrides, environ=os.environ, notify=notify)
    # What was imported and built stays; from here on there is something to collect.
    gc.freeze()
    gc.enable()
    drive(run_agency(agency, RunRequest(request.message, request.entry), watcher.on_event))


def _watcher_kind(options: RunOptions) -> WatcherKind:
    if options.jsonl:
        return "jsonl"
    return "quiet" if options.quiet else "tree"


def _show_result(options: RunOptions, tree: CallTree) -> None:
    from agency_cli.rendering.run_json import print_json, run_json  # noqa: PLC0415 - one of two
    from agency_cli.rendering.summary import print_result  # noqa: PLC0415 - one of two

    if options.json or options.jsonl:
        print_json(run_json(tree), sys.stdout)
    else:
        print_result(
            tree, stdout=sys.stdout, stderr=sys.stderr, environ=os.environ, quiet=options.quiet
        )
