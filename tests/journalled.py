"""Runs that are journaled, in this process, through the same code as the command line."""

from __future__ import annotations

import asyncio
import os
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agency_cli.calltree import CallTree
from agency_cli.cli.driving import Stop
from agency_cli.cli.ordering import OrderOptions, build, load, order_of, send
from agency_cli.errors import AgencyError
from agency_cli.events import Event
from agency_cli.rendering.watching import QuietWatcher
from agency_cli.store import Runs, RunSummary, open_database
from agency_runs import HEAD, LONGEST
from fake_server import FakeServer


@dataclass
class Journalled:
    """A run, as its watchers saw it and as the store has it."""

    runs: Runs
    tree: CallTree
    error: AgencyError | None
    output: str | None

    @property
    def run(self) -> RunSummary:
        assert self.tree.started is not None
        return self.runs.find(self.tree.started.run_id)

    @property
    def events(self) -> list[Event]:
        return [row.event for row in self.runs.recorded(self.run)]


def write(
    folder: Path, server: FakeServer, text: str, *, api: str = "chat_completions", key: str = "k"
) -> Path:
    """Write a manifest from the part of it that is not about its models."""
    path = folder / "agency.yaml"
    head = HEAD.format(url=server.base_url, api=api).replace("api_key: k", f"api_key: {key}")
    path.write_text(head + textwrap.dedent(text))
    return path


def send_to(manifest: Path, message: str = "go", **given: Any) -> Journalled:
    """Send one message, as `agency run` does, to an agency whose store is beside its manifest."""
    options: dict[str, Any] = {
        "agent": None,
        "models": (),
        "params": (),
        "limits": {},
        "thread": None,
        "store": _store_beside(manifest),
        "quiet": True,
        "verbose": False,
        **given,
    }
    order = order_of(
        load(OrderOptions(manifest=manifest, **options)), OrderOptions(manifest=manifest, **options)
    )
    tree = CallTree()
    result = Journalled(Runs(order.threads.database), tree, None, None)

    async def main() -> str:
        watcher = QuietWatcher(tree)
        agency = build(order, lambda _: None)
        thread = order.threads.begin(options["thread"], order.loaded.manifest.name)
        try:
            return await send(
                order,
                agency,
                message,
                thread_id=thread,
                agent=options["agent"],
                remember=lambda agent: order.threads.set_active_agent(thread, agent),
                watcher=watcher,
                stop=Stop(),
            )
        finally:
            await agency.close()

    try:
        result.output = asyncio.run(asyncio.wait_for(main(), LONGEST))
    except AgencyError as error:
        result.error = error
    return result


def store_of(manifest: Path) -> Runs:
    """Open the store of an agency anew."""
    return Runs(open_database(_store_beside(manifest)))


def _store_beside(manifest: Path) -> str:
    """Return the store that a test was given, or else a file beside the manifest."""
    return os.environ.get("AGENCY_STORE") or f"sqlite:///{manifest.parent / 'runs.db'}"
