"""The work of `agency run`: load, choose, build, run, render."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from agency_cli.calltree import CallTree
from agency_cli.cli.attaching import attachments_of
from agency_cli.cli.driving import Stop, drive
from agency_cli.cli.options import LEFT_OUT, message_of, resume_command
from agency_cli.cli.ordering import Order, OrderOptions, build, load, notifier, order_of, send
from agency_cli.errors import AgencyError, Paused
from agency_cli.rendering.output import print_text
from agency_cli.rendering.watching import RunWatcher, make_watcher
from agency_cli.store import StoreGone, has_password

if TYPE_CHECKING:
    # The SDK takes long to import; it is needed only when an order turns out to be sound.
    from agency_cli.building import Agency

Work = Callable[["Agency", RunWatcher, Stop], Coroutine[Any, Any, str]]
"""Has a built agency work, and tells a watcher of it."""


class ShowOptions(Protocol):
    """How a run is shown: as JSON at its end, with each event as JSON, or as a tree."""

    @property
    def manifest(self) -> Path | None: ...

    @property
    def store(self) -> str | None: ...

    @property
    def json(self) -> bool: ...

    @property
    def jsonl(self) -> bool: ...

    @property
    def quiet(self) -> bool: ...

    @property
    def verbose(self) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class RunOptions(OrderOptions):
    """The options of `agency run`, as given."""

    message: str | None
    json: bool
    jsonl: bool


def run_once(options: RunOptions) -> None:
    """Send one message and show what happens.

    Raises:
        AgencyError: Whatever kept the run from a final output; what happened until then is shown.
    """
    show(options, partial(_order_and_run, options))


def show(options: ShowOptions, work: Callable[[CallTree], None]) -> None:
    """Show the result of a run: `work` folds it into a call tree.

    Raises:
        AgencyError: What `work` raised; what happened until then is shown.
    """
    tree = CallTree()
    try:
        work(tree)
    except AgencyError as error:
        _show_result(options, tree, error)
        # A run that waits for an answer has to say how it can be given, however quiet it is.
        is_told = not options.quiet or isinstance(error, Paused)
        if tree.started is not None and is_told and not isinstance(error, StoreGone):
            _show_way_on(options, tree, error)
        raise
    _show_result(options, tree, None)


def watched(order: Order, options: ShowOptions, tree: CallTree, work: Work) -> None:
    """Build the agency, have it work, and show what happens meanwhile."""
    watcher = make_watcher(
        "jsonl" if options.jsonl else "quiet" if options.quiet else "tree",
        tree=tree,
        stdout=sys.stdout,
        stderr=sys.stderr,
        environ=os.environ,
        verbose=options.verbose,
    )
    with watcher:
        agency = build(order, notifier(watcher))
        stop = Stop()

        async def work_and_close() -> None:
            try:
                await work(agency, watcher, stop)
            finally:
                await agency.close()

        drive(work_and_close(), stop)


def _order_and_run(options: RunOptions, tree: CallTree) -> None:
    loaded = load(options)
    message = message_of(options.message, sys.stdin)
    attached = attachments_of(options.attach)
    order = order_of(loaded, options)
    thread_id = order.threads.begin(options.thread, loaded.manifest.name)

    def work(agency: Agency, watcher: RunWatcher, stop: Stop) -> Coroutine[Any, Any, str]:
        return send(
            order,
            agency,
            message,
            thread_id=thread_id,
            agent=options.agent,
            remember=partial(order.threads.set_active_agent, thread_id),
            watcher=watcher,
            stop=stop,
            attached=attached,
        )

    watched(order, options, tree, work)


def _show_result(options: ShowOptions, tree: CallTree, error: AgencyError | None) -> None:
    from agency_cli.rendering.run_json import print_json, run_json  # noqa: PLC0415 - one of two
    from agency_cli.rendering.summary import print_result  # noqa: PLC0415 - one of two

    if options.json or options.jsonl:
        print_json(run_json(tree, error), sys.stdout)
    elif tree.started is not None:
        print_result(
            tree, stdout=sys.stdout, stderr=sys.stderr, environ=os.environ, quiet=options.quiet
        )


def _show_way_on(options: ShowOptions, tree: CallTree, error: AgencyError) -> None:
    """Tell with which command the run goes on where it stopped."""
    from agency_cli.rendering.approvals import print_waiting  # noqa: PLC0415 - one of two

    assert tree.started is not None
    command = resume_command(tree.started.run_id, options.manifest, options.store)
    if isinstance(error, Paused):
        print_waiting(tree.waiting(), command, sys.stderr, os.environ)
    else:
        print_text(f"to go on where it stopped: {command}", sys.stderr)
    if options.store and has_password(options.store):
        print_text(LEFT_OUT, sys.stderr)
