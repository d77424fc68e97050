"""`agency graph --run`: a recorded run on the picture of its agency."""

from __future__ import annotations

import sys
from pathlib import Path

from agency_cli.calltree import CallTree
from agency_cli.cli.runs_work import runs_of
from agency_cli.errors import ManifestError, UsageError
from agency_cli.graph import Diagram
from agency_cli.loading import load_without_params
from agency_cli.rendering.output import print_text
from agency_cli.rendering.traffic import laid_over

_MOST_TOLD = 5


def with_run(diagram: Diagram, run: str, manifest: Path, store: str | None) -> Diagram:
    """Return the diagram with what a run did; tell where the manifest is not as it was then.

    Raises:
        StoreFailed: There is no store, or it cannot be read.
        UsageError: There is no such run, or it is another agency's.
    """
    runs = runs_of(manifest, store)
    found = runs.meant(run, diagram.name)
    if found.agency != diagram.name:
        raise UsageError(
            f"run {found.id} is of the agency {found.agency!r} ({found.manifest}), and {manifest}"
            f" is {diagram.name!r}; draw it on its own manifest"
        )
    tree = CallTree.of(row.event for row in runs.recorded(found))
    traffic = laid_over(diagram, tree)
    if found.digest != _digest(manifest):
        print_text(f"note: {manifest} has changed since run {found.id} began", sys.stderr)
    if traffic.left_out:
        named = traffic.left_out[:_MOST_TOLD]
        more = len(traffic.left_out) - len(named)
        rest = f" and {more} more" if more else ""
        print_text(f"note: not in the picture: {', '.join(named)}{rest}", sys.stderr)
    return traffic.diagram


def _digest(manifest: Path) -> str:
    try:
        return load_without_params(manifest).digest
    except ManifestError:
        # It was sound a moment ago.
        return ""
