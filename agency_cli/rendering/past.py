"""Past runs told again: their trees and their costs, as when they happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from agency_cli.calltree import CallTree, Totals
from agency_cli.events import Event, NodeEnded, Notice
from agency_cli.rendering.glyphs import glyphs_for
from agency_cli.rendering.output import print_text, printable, write_file
from agency_cli.rendering.plain import PlainWatcher
from agency_cli.rendering.printable import one_line
from agency_cli.rendering.summary import Line, print_lines, print_result, share_lines
from agency_cli.rendering.watching import can_draw
from agency_cli.store import Recorded


def print_run(
    events: Sequence[Event], stream: TextIO, environ: Mapping[str, str], *, verbose: bool
) -> None:
    """Write a run's tree, answer, costs, and why it failed if it did."""
    tree = CallTree()
    if can_draw(stream, environ):
        _draw(tree, events, stream, environ, verbose=verbose)
    else:
        watcher = PlainWatcher(tree, stream, verbose=verbose)
        for event in events:
            watcher.on_event(event)
    print_result(tree, stdout=stream, stderr=stream, environ=environ)
    error = tree.ended.error if tree.ended else None
    if error is not None:
        print_lines([Line(one_line(f"error: {error.message}", 2_000), "red")], stream, environ)


def print_tracebacks(rows: Sequence[Recorded], stream: TextIO, environ: Mapping[str, str]) -> None:
    """Write where the tools of a run raised, as its journal keeps it."""
    tree = CallTree.of([row.event for row in rows])
    for row in rows:
        text = (row.kept or {}).get("traceback")
        if isinstance(row.event, NodeEnded) and isinstance(text, str):
            node = tree.nodes[row.event.id]
            whole = [Line(""), Line(f"{node.name}, called by {node.agent}:", "bold")]
            whole += [Line(printable(line)) for line in text.rstrip().splitlines()]
            print_lines(whole, stream, environ)


def print_page(events: Sequence[Event], where: str, stdout: TextIO) -> None:
    """Write a run's page into a file, or onto the standard output where that is named `-`.

    Raises:
        UsageError: The file cannot be written there.
    """
    # The template's engine takes long to import, and is only for this.
    from agency_cli.rendering.html import run_page  # noqa: PLC0415

    page = run_page(events)
    if where == "-":
        encoding = stdout.encoding or "utf-8"
        # What an encoding lacks, HTML can say all the same.
        print_text(page.encode(encoding, "xmlcharrefreplace").decode(encoding), stdout)
    else:
        write_file(page, Path(where))


def print_costs(
    by: str, parts: Mapping[str, Totals], stream: TextIO, environ: Mapping[str, str]
) -> None:
    """Write a table of what each part of all runs used."""
    if not parts:
        print_text("no model calls", stream)
        return
    print_lines(share_lines(by, parts, glyphs_for(stream.encoding or "utf-8")), stream, environ)


def _draw(
    tree: CallTree,
    events: Sequence[Event],
    stream: TextIO,
    environ: Mapping[str, str],
    *,
    verbose: bool,
) -> None:
    # Rich takes long to import, and is only for a terminal.
    from agency_cli.rendering.live import moment_of, print_whole, terminal  # noqa: PLC0415

    for event in events:
        tree.add(event)
    notices = [event.text for event in events if isinstance(event, Notice)]
    print_whole(
        moment_of(tree, notices, verbose=verbose), terminal(stream, environ), verbose=verbose
    )
