"""The work of `agency runs resume`: a run goes on where its journal ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agency_cli.calltree import CallTree
from agency_cli.cli.answering import Answers
from agency_cli.cli.asking import Standing, approvals_of
from agency_cli.cli.attaching import attached_before
from agency_cli.cli.driving import Stop
from agency_cli.cli.ordering import (
    Order,
    OrderOptions,
    load,
    notifier,
    order_of,
    origin_of,
    watch_of,
)
from agency_cli.cli.output_files import write_output
from agency_cli.cli.run_once import show, watched
from agency_cli.cli.runs_work import runs_of
from agency_cli.errors import UsageError
from agency_cli.events import Notice, RunEnded
from agency_cli.loading import LoadedManifest
from agency_cli.loading.changes import Facts, changes, facts_of
from agency_cli.rendering.figures import counted
from agency_cli.rendering.printable import one_line
from agency_cli.rendering.watching import RunWatcher
from agency_cli.store import RunJournal, Runs, RunSummary, Threads, store_url, thread_lock
from agency_cli.store.runs import closed, waiting_in

if TYPE_CHECKING:
    # The SDK takes long to import; it is needed only when the run can be resumed.
    from agency_cli.building import Agency
    from agency_cli.run_context import Past


_LONGEST_CHANGES = 2_000


@dataclass(frozen=True, kw_only=True)
class ResumeOptions:
    """The options of `agency runs resume`, as given; what is not given is as it was."""

    run_id: str
    manifest: Path | None
    models: Sequence[str]
    limits: Mapping[str, float | None]
    store: str | None
    answers: Answers = field(default_factory=Answers)
    yes: bool = False
    force: bool
    json: bool
    jsonl: bool
    quiet: bool
    verbose: bool


def resume(options: ResumeOptions) -> None:
    """Go on with a run, and show what happens.

    Raises:
        AgencyError: The run cannot be resumed, or ended again without a final output.
    """
    show(options, partial(_order_and_resume, options))


def _order_and_resume(options: ResumeOptions, tree: CallTree) -> None:
    runs = runs_of(options.manifest, options.store)
    run = runs.find(options.run_id)
    _require_resumable(runs, run)
    # Refused before anything is built; what they decide is read again when the run is ours.
    options.answers.decisions(runs.waiting(run), run.id)
    ordered = _as_before(run, options)
    loaded = load(ordered)
    _require_same_manifest(run, loaded, runs.facts(run), force=options.force)
    order = order_of(loaded, ordered)
    order.require_credentials(run.agent)

    def work(agency: Agency, watcher: RunWatcher, stop: Stop) -> Coroutine[Any, Any, str]:
        return _go_on(order, agency, run, answers=options.answers, watcher=watcher, stop=stop)

    watched(order, options, tree, work)


async def _go_on(
    order: Order,
    agency: Agency,
    run: RunSummary,
    *,
    answers: Answers,
    watcher: RunWatcher,
    stop: Stop,
) -> str:
    """Run again what the journal lacks, after any other run on the thread."""
    from agency_cli.run_context import Past  # noqa: PLC0415 - takes long
    from agency_cli.running import RunRequest, run_agency  # noqa: PLC0415 - takes long

    threads, runs = order.threads, Runs(order.threads.database)
    async with thread_lock(threads.database, run.thread_id, notify=notifier(watcher)):
        run = runs.find(run.id)
        _require_resumable(runs, run, held=True)
        written = runs.rows(run.id)
        rows = closed(written)
        attached = attached_before(run.options.get("attached", ()))
        origin = origin_of(order, agency, attached)
        journal = RunJournal.going_on(
            threads.database, origin, run.id, [row.event for row in written]
        )
        for row in rows[len(written) :]:
            journal.add(row.event)
        for row in rows:
            if not isinstance(row.event, RunEnded):
                watcher.on_event(row.event)
        decisions = answers.decisions(waiting_in(rows), run.id)
        past = Past.of(rows, decisions)
        watcher.on_event(Notice(text=_told(past), at=datetime.now(UTC)))
        threads.take_back(run.id, done=past.is_done)
        remember = partial(threads.set_active_agent, run.thread_id)
        request = RunRequest(
            run_id=run.id,
            message=run.message,
            parts=attached.parts,
            extras=order.extras,
            entry=run.agent,
            limits=order.limits,
            limit_origins=order.limit_origins,
            thread_id=run.thread_id,
            memory=lambda name: threads.conversation(run.thread_id, name, run.id, origin.secrets),
            remember=remember,
            keep=journal.keep,
            past=past,
            decisions=decisions,
            approvals=approvals_of(order.options.standing, watcher, stop.ask, os.environ),
            stop=stop.wanted,
        )
        stop.begin(notifier(watcher))
        # Standard output is for the answer: what tools print goes where the tree is.
        with redirect_stdout(sys.stderr):
            output = await run_agency(agency, request, watch_of(journal, remember, watcher))
        write_output(order.loaded, output)
        return output


def _as_before(run: RunSummary, options: ResumeOptions) -> OrderOptions:
    """Return the options that the run was begun with, under those that are given now."""
    manifest = options.manifest or Path(run.manifest)
    if options.manifest is None and not manifest.exists():
        raise UsageError(
            f"the manifest of run {run.id}, {one_line(run.manifest)}, is not there; say where it is"
            " with --manifest, and where the run is with --store"
        )
    folder = manifest.absolute().parent if options.manifest else Path.cwd()
    given = {name: value for name, value in options.limits.items() if value is not None}
    return OrderOptions(
        manifest=manifest,
        agent=None,
        models=[*run.options["models"], *options.models],
        params=run.options["params"],
        limits={**run.options["limits"], **given},
        thread=run.thread_id,
        store=store_url(options.store, folder, os.environ),
        quiet=options.quiet,
        verbose=options.verbose,
        standing=Standing(yes=options.yes),
        context=run.options.get("context", ()),
    )


def _require_resumable(runs: Runs, run: RunSummary, *, held: bool = False) -> None:
    """Refuse a run that has its answer, is at work, or whose thread went on without it."""
    if run.status == "ok":
        raise UsageError(f"run {run.id} is done; `agency runs show {run.id}` shows its answer")
    if run.status == "running" and not held:
        raise UsageError(f"run {run.id} is running")
    newest = runs.newest_of(run.thread_id)
    if newest != run.id:
        raise UsageError(
            f"thread {run.thread_id} went on with run {newest} since, so run {run.id} cannot be"
            " resumed on it; send its message again"
        )
    if not Threads(runs.database).has(run.thread_id):
        raise UsageError(
            f"thread {run.thread_id} of run {run.id} was deleted, and what its agents knew with"
            " it; send the message again"
        )


def _require_same_manifest(
    run: RunSummary, loaded: LoadedManifest, before: Facts, *, force: bool
) -> None:
    if run.agent not in loaded.manifest.agents:
        raise UsageError(f"run {run.id} began with agent {run.agent}, which is not there any more")
    if run.digest != loaded.digest and not force:
        changed = changes(before, facts_of(loaded))
        told = one_line("; ".join(changed), _LONGEST_CHANGES) or "not in what it means"
        if not before:
            told = "how, this store does not know"
        raise UsageError(
            f"{loaded.path} or its instructions changed since run {run.id} began ({told}); undo"
            " that, or give --force to go on with what they say now"
        )


def _told(past: Past) -> str:
    responses = counted(len(past.responses), "model response")
    results = counted(len(past.results), "result")
    return f"resumed: {responses} and {results} are taken from the journal, not asked for again"
