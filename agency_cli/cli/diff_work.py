"""The work of `agency diff`."""

from __future__ import annotations

import sys
from pathlib import Path

from agency_cli.cli.revisions import side_of
from agency_cli.comparing import Comparison, compare, picture_of
from agency_cli.graph import GRAPH_FORMATS, View
from agency_cli.rendering.comparison import comparison_json, comparison_text
from agency_cli.rendering.output import print_text, write_file


def show(old: str, new: str, form: str, output: Path | None) -> bool:
    """Print what differs; return whether anything is newly permitted.

    Raises:
        ManifestError: One of the manifests has problems; their places tell which.
        UsageError: A revision that is not there, or a file that cannot be written.
    """
    with side_of(old) as before, side_of(new) as after:
        comparison = compare(before, after)
    text = _written(comparison, form, "utf-8" if output else sys.stdout.encoding)
    if output:
        write_file(text, output)
    else:
        print_text(text, sys.stdout)
    return bool(comparison.permitted)


def _written(comparison: Comparison, form: str, encoding: str) -> str:
    match form:
        case "text":
            return comparison_text(comparison)
        case "json":
            return comparison_json(comparison)
        case _:
            return GRAPH_FORMATS[form](picture_of(comparison), View(encoding=encoding))
