"""The work of `agency run`: load, choose, build, run, render."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agency_cli.calltree import CallTree
from agency_cli.cli.driving import drive
from agency_cli.cli.options import entry_of, limits_of, message_of, overrides_of, params_of
from agency_cli.errors import AgencyError
from agency_cli.events import Event, Notice, RunEnded
from agency_cli.loading import LoadedManifest, load_manifest
from agency_cli.manifest import Limits
from agency_cli.models.choice import ModelOverrides, choose_models, require_credentials
from agency_cli.rendering.watching import RunWatcher, WatcherKind, make_watcher
from agency_cli.store import Threads, open_database, store_url, thread_lock


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of `agency run`, as given."""

    manifest: Path
    message: str | None
    agent: str | None
    models: Sequence[str]
    params: Sequence[str]
    limits: Mapping[str, float | None]
    thread: str | None
    store: str | None
    json: bool
    jsonl: bool
    quiet: bool
    verbose: bool


@dataclass(frozen=True, slots=True)
class Order:
    """What the options ask for, checked against the manifest."""

    loaded: LoadedManifest
    message: str
    overrides: ModelOverrides
    limits: Limits
    limit_origins: Mapping[str, str]
    threads: Threads
    thread_id: str
    agent: str | None

    @property
    def entry(self) -> str:
        """The agent that gets the message: as asked for, or who has the conversation now."""
        active = self.threads.active_agent(self.thread_id)
        return entry_of(self.loaded.manifest, self.agent, active)


def run_once(options: RunOptions) -> None:
    """Send one message and show what happens.

    Raises:
        AgencyError: Whatever kept the run from a final output; what happened until then is shown.
    """
    order = _checked(options)
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
            _run(order, watcher)
        except AgencyError as error:
            failure = error
    if tree.started is not None:
        _show_result(options, tree)
    if failure is not None:
        raise failure


def _checked(options: RunOptions) -> Order:
    """Refuse whatever can be refused before the SDK, which takes long to import, is needed."""
    loaded = load_manifest(options.manifest, params=params_of(options.params))
    manifest = loaded.manifest
    message = message_of(options.message, sys.stdin)
    overrides = overrides_of(options.models, manifest)
    limits, origins = limits_of(loaded, options.limits)
    entry_of(manifest, options.agent)
    choices = choose_models(loaded, overrides, os.environ)
    threads = Threads(open_database(store_url(options.store, loaded.folder, os.environ)))
    active = threads.active_agent(options.thread) if options.thread else None
    needed = manifest.reached_from(entry_of(manifest, options.agent, active))
    require_credentials((key, choices[key]) for key in needed)
    return Order(
        loaded=loaded,
        message=message,
        overrides=overrides,
        limits=limits,
        limit_origins=origins,
        threads=threads,
        thread_id=threads.begin(options.thread, manifest.name),
        agent=options.agent,
    )


def _run(order: Order, watcher: RunWatcher) -> None:
    # Only here is it sure that the SDK is needed.
    from agency_cli.building import build_agency  # noqa: PLC0415 - see above
    from agency_cli.running import RunRequest, quieten_sdk, run_agency  # noqa: PLC0415 - see above

    def notify(text: str) -> None:
        watcher.on_event(Notice(text=text, at=datetime.now(UTC)))

    quieten_sdk(tracing=order.loaded.manifest.tracing)
    agency = build_agency(
        order.loaded, overrides=order.overrides, environ=os.environ, notify=notify
    )

    async def run_on_thread() -> None:
        folder = order.threads.database.folder
        async with thread_lock(folder, order.thread_id, notify=notify):
            request = RunRequest(
                message=order.message,
                entry=order.entry,
                limits=order.limits,
                limit_origins=order.limit_origins,
                thread_id=order.thread_id,
                memory=lambda name: order.threads.conversation(order.thread_id, name),
            )
            try:
                await run_agency(agency, request, watch)
            finally:
                await agency.close()

    def watch(event: Event) -> None:
        if isinstance(event, RunEnded) and event.final_agent is not None:
            order.threads.set_active_agent(order.thread_id, event.final_agent)
        watcher.on_event(event)

    # What was imported and built stays; from here on there is something to collect.
    gc.freeze()
    gc.enable()
    drive(run_on_thread())


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
