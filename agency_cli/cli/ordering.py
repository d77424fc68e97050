"""What `run` and `chat` share: options checked, an agency built, a message sent on a thread."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from agency_cli.cli.asking import Standing, approvals_of
from agency_cli.cli.attaching import NOTHING, Attachments
from agency_cli.cli.driving import Stop
from agency_cli.cli.options import entry_of, extras_of, limits_of, overrides_of, params_of
from agency_cli.cli.output_files import require_place_for_output, write_output
from agency_cli.events import Event, Notice, RunEnded
from agency_cli.loading import LoadedManifest, load_manifest
from agency_cli.loading.changes import facts_of
from agency_cli.manifest import Limits
from agency_cli.models.choice import (
    ModelOverrides,
    choose_judges,
    choose_models,
    require_credentials,
)
from agency_cli.reminder import with_reminder
from agency_cli.rendering.watching import RunWatcher
from agency_cli.store import (
    USER,
    RunJournal,
    RunOrigin,
    Threads,
    logs_folder,
    open_database,
    store_url,
    thread_lock,
)
from agency_cli.store.journal import new_run_id
from agency_cli.tools.credentials import secrets_of_tools, unset_of_agents

if TYPE_CHECKING:
    # The SDK takes long to import; it is needed only when an order turns out to be sound.
    from agency_cli.building import Agency


@dataclass(frozen=True, kw_only=True)
class OrderOptions:
    """Options as given on the command line."""

    manifest: Path
    agent: str | None
    models: Sequence[str]
    params: Sequence[str]
    limits: Mapping[str, float | None]
    thread: str | None
    store: str | None
    quiet: bool
    verbose: bool
    standing: Standing = field(default_factory=Standing)
    attach: Sequence[Path] = ()
    context: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """What the options ask for, checked against the manifest."""

    options: OrderOptions
    loaded: LoadedManifest
    overrides: ModelOverrides
    limits: Limits
    limit_origins: Mapping[str, str]
    threads: Threads
    extras: Mapping[str, str] = field(default_factory=dict)

    def require_credentials(self, entry: str) -> None:
        """Make sure that `entry`, and all that flows lead to from it, can call models and tools.

        Raises:
            CredentialsError: Names all missing variables at once.
        """
        choices = choose_models(self.loaded, self.overrides, os.environ)
        needed = self.loaded.manifest.reached_from(entry)
        of_tools = unset_of_agents(needed, self.loaded)
        judges = choose_judges(self.loaded, self.overrides, os.environ)
        guarding = {name for key in needed for name in self.loaded.manifest.guardrails_of(key)}
        asked = [(key, choices[key]) for key in needed]
        asked += [(name, judges[name]) for name in judges if name in guarding]
        require_credentials(asked, of_tools)

    def with_models(self, overrides: ModelOverrides) -> Order:
        """Return the same order with other models."""
        return replace(self, overrides=overrides)


def load(options: OrderOptions) -> LoadedManifest:
    """Load the manifest that the options name.

    Raises:
        ManifestError: The manifest has problems.
        UsageError: Params that do not fit.
    """
    return load_manifest(options.manifest, params=params_of(options.params))


def order_of(loaded: LoadedManifest, options: OrderOptions) -> Order:
    """Refuse whatever can be refused before the SDK is needed.

    Raises:
        AgencyError: The options ask for what cannot be, the store fails, or credentials are
            missing.
    """
    manifest = loaded.manifest
    overrides = overrides_of(options.models, manifest)
    limits, origins = limits_of(loaded, options.limits)
    entry_of(manifest, options.agent)
    require_place_for_output(loaded)
    threads = Threads(open_database(store_url(options.store, loaded.folder, os.environ)))
    extras = extras_of(options.context)
    order = Order(options, loaded, overrides, limits, origins, threads, extras)
    active = threads.active_agent(options.thread) if options.thread else None
    order.require_credentials(entry_of(manifest, options.agent, active))
    return order


def build(order: Order, notify: Callable[[str], None]) -> Agency:
    """Import the SDK and build the agency.

    Args:
        order: The order.
        notify: Gets notices of the models, at any time until the agency is closed.

    Raises:
        AgencyError: Tools that cannot be imported, models that need what is not installed.
    """
    from agency_cli.building import build_agency  # noqa: PLC0415 - takes long
    from agency_cli.running import quieten_sdk  # noqa: PLC0415 - takes long

    quieten_sdk(tracing=order.loaded.manifest.tracing)
    with redirect_stdout(sys.stderr):
        agency = build_agency(
            order.loaded,
            overrides=order.overrides,
            environ=os.environ,
            notify=notify,
            logs=logs_folder(order.threads.database.url, order.loaded.folder, os.environ),
        )
    # What was imported and built stays; from here on there is something to collect.
    gc.freeze()
    gc.enable()
    return agency


async def send(
    order: Order,
    agency: Agency,
    message: str,
    *,
    thread_id: str,
    agent: str | None,
    remember: Callable[[str], None],
    watcher: RunWatcher,
    stop: Stop,
    attached: Attachments = NOTHING,
) -> str:
    """Run one message on a thread, after any other run on it.

    Args:
        order: The order.
        agency: The agency that was built for it.
        message: The message.
        thread_id: The thread; it exists.
        agent: Who gets the message; None for whoever has the thread's conversation.
        remember: Is told who has the conversation in the end.
        watcher: Gets every event.
        stop: Asks the run to end in order.
        attached: What goes with the message.

    Raises:
        AgencyError: The run ended without a final output.
    """
    from agency_cli.running import RunRequest, run_agency  # noqa: PLC0415 - takes long

    threads = order.threads
    origin = origin_of(order, agency, attached)
    journal = RunJournal(threads.database, origin)
    message = attached.added_to(message)
    watch = watch_of(journal, remember, watcher)
    notify = notifier(watcher)
    async with thread_lock(threads.database, thread_id, notify=notify):
        threads.require(thread_id)
        active = threads.active_agent(thread_id)
        entry = entry_of(order.loaded.manifest, agent, active)
        said = threads.conversation(thread_id, USER).read(1)
        run_id = new_run_id()
        request = RunRequest(
            run_id=run_id,
            message=_with_reminder(message, entry, active) if said else message,
            parts=attached.parts,
            extras=order.extras,
            entry=entry,
            limits=order.limits,
            limit_origins=order.limit_origins,
            thread_id=thread_id,
            memory=lambda name: threads.conversation(thread_id, name, run_id, origin.secrets),
            remember=remember,
            keep=journal.keep,
            approvals=approvals_of(order.options.standing, watcher, stop.ask, os.environ),
            stop=stop.wanted,
        )
        stop.begin(notify)
        # Standard output is for the answer: what tools print goes where the tree is.
        with redirect_stdout(sys.stderr):
            output = await run_agency(agency, request, watch)
        write_output(order.loaded, output)
        return output


def origin_of(order: Order, agency: Agency, attached: Attachments = NOTHING) -> RunOrigin:
    """Return what the journal tells of how a run was made."""
    choices, overrides = agency.choices, order.overrides
    models = (model for choice in choices.values() for model in choice.chain)
    secrets = (text for model in models for text in model.secrets)
    limits = {name: value for name, value in order.options.limits.items() if value is not None}
    return RunOrigin(
        manifest=str(order.loaded.folder / order.loaded.path.name),
        digest=order.loaded.digest,
        options={
            "models": [
                *([overrides.everyone] if overrides.everyone else []),
                *(f"{agent}={model}" for agent, model in overrides.by_agent.items()),
            ],
            "params": list(_params_to_keep(order)),
            "limits": limits,
            "context": list(order.options.context),
            "attached": list(attached.origins),
        },
        models={key: choice.label for key, choice in choices.items()},
        secrets=tuple(dict.fromkeys((*secrets, *secrets_of_tools(order.loaded)))),
        facts=facts_of(order.loaded),
    )


def _params_to_keep(order: Order) -> Iterator[str]:
    """Yield the params as given; files are found again from another folder, too."""
    declared = order.loaded.manifest.params
    for text in order.options.params:
        name, _, value = text.partition("=")
        is_file = name in declared and declared[name].type == "file"
        yield f"{name}={Path(value).absolute()}" if is_file else text


def watch_of(
    journal: RunJournal, remember: Callable[[str], None], watcher: RunWatcher
) -> Callable[[Event], None]:
    """Return what gets every event of a run: it is written down, and shown."""

    def watch(event: Event) -> None:
        # What happened is written down whether or not the thread is there, and shown in any case.
        try:
            if isinstance(event, RunEnded) and event.final_agent is not None:
                remember(event.final_agent)
        finally:
            try:
                journal.add(event)
            finally:
                watcher.on_event(event)

    return watch


def _with_reminder(message: str, entry: str, active: str | None) -> str:
    """Tell an agent that is called into a conversation of another one who it is now."""
    return message if active in {None, entry} else with_reminder(message, entry, active)


def notifier(watcher: RunWatcher) -> Callable[[str], None]:
    """Return what tells a watcher a notice."""
    return lambda text: watcher.on_event(Notice(text=text, at=datetime.now(UTC)))
