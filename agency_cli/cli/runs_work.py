"""The work of `agency runs`, but for resuming."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agency_cli.calltree import CallTree, Totals
from agency_cli.cli.options import LEFT_OUT, resume_command, since_of
from agency_cli.errors import UsageError
from agency_cli.rendering.approvals import print_waiting
from agency_cli.rendering.output import print_text
from agency_cli.rendering.past import print_costs, print_page, print_run, print_tracebacks
from agency_cli.rendering.run_json import print_json, run_json, shares_json
from agency_cli.rendering.runs import list_json, list_text
from agency_cli.store import (
    PastCall,
    Runs,
    has_password,
    held_if_free,
    open_database,
    store_url,
)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which runs are listed; None leaves none out."""

    agency: str | None
    status: str | None
    since: str | None
    limit: int | None


def list_runs(manifest: Path | None, store: str | None, wanted: Filters, *, as_json: bool) -> None:
    """Print every run, or those that are wanted.

    Raises:
        StoreFailed: There is no store, or it cannot be read.
        UsageError: `since` is no time.
    """
    now = datetime.now(UTC)
    begin = since_of(wanted.since, now) if wanted.since is not None else None
    found = runs_of(manifest, store).all(
        agency=wanted.agency, status=wanted.status, since=begin, limit=wanted.limit
    )
    print_text(list_json(found) if as_json else list_text(found, now), sys.stdout)


def show_run(
    run_id: str,
    manifest: Path | None,
    store: str | None,
    *,
    as_json: bool,
    html: str | None,
    verbose: bool,
) -> None:
    """Print the tree, the answer and the costs of one run, or write them as a page.

    Raises:
        StoreFailed: There is no store, or it cannot be read.
        UsageError: There is no such run, or the page cannot be written.
    """
    if as_json and html is not None:
        raise UsageError("--json and --html are two ways to show a run; give one of them")
    runs = runs_of(manifest, store)
    run = runs.find(run_id)
    rows = runs.recorded(run)
    events = [row.event for row in rows]
    if as_json:
        print_json(run_json(CallTree.of(events)), sys.stdout)
    elif html is not None:
        print_page(events, html, sys.stdout)
        if html != "-":
            print_text(f"wrote {html}", sys.stderr)
    else:
        print_run(events, sys.stdout, os.environ, verbose=verbose)
        if verbose:
            print_tracebacks(rows, sys.stdout, os.environ)
        waiting = runs.waiting(run)
        if waiting:
            print_waiting(waiting, resume_command(run.id, manifest, store), sys.stdout, os.environ)
            if store and has_password(store):
                print_text(LEFT_OUT, sys.stdout)


def show_costs(
    manifest: Path | None, store: str | None, *, by: str, since: str | None, as_json: bool
) -> None:
    """Print what all runs cost, by model, agent, agency or day.

    Raises:
        StoreFailed: There is no store, or it cannot be read.
        UsageError: `since` is no time.
    """
    begin = since_of(since, datetime.now(UTC)) if since is not None else None
    parts: dict[str, Totals] = {}
    for call in runs_of(manifest, store).calls(begin):
        key = _key(call, by)
        parts[key] = parts.get(key, Totals()) + call.totals
    if as_json:
        whole = sum(parts.values(), Totals())
        (total,) = shares_json("total", {by: whole})
        total.pop("total")
        unpriced = {"unpriced_models": list(whole.unpriced_models), "calls_cut_off": whole.cut_off}
        print_json({"costs": shares_json(by, parts), **total, **unpriced}, sys.stdout)
    else:
        print_costs(by, parts, sys.stdout, os.environ)


def delete_runs(run_ids: Sequence[str], manifest: Path | None, store: str | None) -> None:
    """Delete runs: all of them, or none.

    Raises:
        StoreFailed: There is no store, or it cannot be written.
        UsageError: One of them is not there, or is running.
    """
    runs = runs_of(manifest, store)
    wanted = {run_id: runs.find(run_id).thread_id for run_id in run_ids}
    with ExitStack() as held:
        free = {
            thread: held.enter_context(held_if_free(runs.database, thread))
            for thread in dict.fromkeys(wanted.values())
        }
        for run_id, thread in wanted.items():
            # Only the latest run of a thread can be at work, or be resumed meanwhile.
            if not free[thread] and runs.newest_of(thread) == run_id:
                raise UsageError(f"run {run_id} is running; stop it or wait for its end")
        runs.delete(*wanted)
    for run_id in wanted:
        print_text(f"deleted run {run_id}", sys.stderr)


def runs_of(manifest: Path | None, store: str | None) -> Runs:
    """Open the store that the options mean; it must exist.

    Raises:
        StoreFailed: There is no store, or it cannot be read.
    """
    folder = manifest.absolute().parent if manifest else Path.cwd()
    return Runs(open_database(store_url(store, folder, os.environ), must_exist=True))


def _key(call: PastCall, by: str) -> str:
    match by:
        case "model":
            return call.model
        case "agent":
            # Two agencies may have agents of one name.
            return f"{call.agency}/{call.agent}"
        case "agency":
            return call.agency
        case _:
            return f"{call.at:%Y-%m-%d}"
