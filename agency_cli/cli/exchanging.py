"""The work of `agency runs export` and `agency runs import`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from agency_cli.cli.runs_work import runs_of
from agency_cli.errors import UsageError
from agency_cli.rendering.figures import counted
from agency_cli.rendering.output import print_text, write_file
from agency_cli.rendering.printable import one_line
from agency_cli.store import Runs, open_database, store_url
from agency_cli.store.exchange import export_lines, insert_runs, read_export


def export_runs(
    run_ids: Sequence[str],
    manifest: Path | None,
    store: str | None,
    *,
    every: bool,
    agency: str | None,
    output: Path | None,
) -> None:
    """Write runs as lines of JSON: those that are named, or all, or all of an agency.

    Raises:
        StoreFailed: There is no store, or it cannot be read.
        UsageError: It is not clear which runs are meant, one is running, or there is none.
    """
    if [bool(run_ids), every, agency is not None].count(True) != 1:
        raise UsageError("name the runs to export, or give --all, or --agency NAME")
    runs = runs_of(manifest, store)
    wanted = _named(runs, run_ids) if run_ids else _all_ended(runs, agency)
    lines = export_lines(runs.database, wanted)
    text = "\n".join(json.dumps(line) for line in lines)
    if output is None:
        print_text(text, sys.stdout)
        return
    write_file(text, output)
    print_text(f"exported {counted(len(wanted), 'run')} to {output}", sys.stderr)


def import_runs(file: str, manifest: Path | None, store: str | None) -> None:
    """Add the runs of an export to a store; all of them, or none.

    Raises:
        StoreFailed: The store cannot be read or written.
        UsageError: The file cannot be read, is no export, or does not fit what is there.
    """
    with _opened(file) as stream:
        export = read_export(stream, "<stdin>" if file == "-" else one_line(file))
    folder = manifest.absolute().parent if manifest else Path.cwd()
    database = open_database(store_url(store, folder, os.environ))
    done = insert_runs(database, export)
    for run_id in done.new:
        print_text(f"imported run {run_id}", sys.stderr)
    for run_id in done.known:
        print_text(f"run {run_id} was here already, just the same", sys.stderr)
    if not export.runs:
        print_text("the export holds no runs", sys.stderr)


def _named(runs: Runs, run_ids: Sequence[str]) -> list[str]:
    wanted = list(dict.fromkeys(run_ids))
    for run_id in wanted:
        if runs.find(run_id).status == "running":
            raise UsageError(f"run {run_id} is running; export it when it has ended")
    return wanted


def _all_ended(runs: Runs, agency: str | None) -> list[str]:
    """Return all runs, or all of an agency; those that are running are left out, and named."""
    wanted = []
    for run in runs.all(agency=agency):
        if run.status == "running":
            print_text(f"note: run {run.id} is running, and left out", sys.stderr)
        else:
            wanted.append(run.id)
    if agency is not None and not wanted:
        raise UsageError(f"there is no run of agency {agency!r}; `agency runs list` tells them all")
    return wanted


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{one_line(file)} cannot be read: {reason}") from error
    with stream:
        yield stream
