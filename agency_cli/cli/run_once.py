"""The work of `agency run`: load, choose, build, run, render."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import partial

from agency_cli.calltree import CallTree
from agency_cli.cli.driving import drive
from agency_cli.cli.options import message_of
from agency_cli.cli.ordering import Order, OrderOptions, build, load, notifier, order_of, send
from agency_cli.errors import AgencyError
from agency_cli.rendering.watching import RunWatcher, WatcherKind, make_watcher


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
    tree = CallTree()
    try:
        _order_and_run(options, tree)
    except AgencyError as error:
        _show_result(options, tree, error)
        raise
    _show_result(options, tree, None)


def _order_and_run(options: RunOptions, tree: CallTree) -> None:
    loaded = load(options)
    message = message_of(options.message, sys.stdin)
    order = order_of(loaded, options)
    thread_id = order.threads.begin(options.thread, loaded.manifest.name)
    watcher = make_watcher(
        _watcher_kind(options),
        tree=tree,
        stdout=sys.stdout,
        stderr=sys.stderr,
        environ=os.environ,
        verbose=options.verbose,
    )
    with watcher:
        _run(order, message, thread_id, options.agent, watcher)


def _run(
    order: Order, message: str, thread_id: str, agent: str | None, watcher: RunWatcher
) -> None:
    agency = build(order, notifier(watcher))

    async def run_on_thread() -> None:
        try:
            await send(
                order,
                agency,
                message,
                thread_id=thread_id,
                agent=agent,
                remember=partial(order.threads.set_active_agent, thread_id),
                watcher=watcher,
            )
        finally:
            await agency.close()

    drive(run_on_thread())


def _watcher_kind(options: RunOptions) -> WatcherKind:
    if options.jsonl:
        return "jsonl"
    return "quiet" if options.quiet else "tree"


def _show_result(options: RunOptions, tree: CallTree, error: AgencyError | None) -> None:
    from agency_cli.rendering.run_json import print_json, run_json  # noqa: PLC0415 - one of two
    from agency_cli.rendering.summary import print_result  # noqa: PLC0415 - one of two

    if options.json or options.jsonl:
        print_json(run_json(tree, error), sys.stdout)
    elif tree.started is not None:
        print_result(
            tree, stdout=sys.stdout, stderr=sys.stderr, environ=os.environ, quiet=options.quiet
        )
