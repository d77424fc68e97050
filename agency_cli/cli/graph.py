"""`agency graph`: the flow diagram of an agency."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from agency_cli.errors import ManifestError, UsageError

_LEAST_WIDTH = 20
_USUAL_WIDTH = 80


def _formats(incomplete: str) -> list[str]:
    """Return the formats that a shell may complete the word to."""
    from agency_cli.graph import GRAPH_FORMATS  # noqa: PLC0415 - not for other commands

    return [name for name in GRAPH_FORMATS if name.startswith(incomplete)]


def graph(
    manifest: Annotated[Path, typer.Argument(help="The manifest of the agency.")],
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="text (a picture), mermaid or json.",
            autocompletion=_formats,
        ),
    ] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a file, not to the terminal.")
    ] = None,
    tools: Annotated[bool, typer.Option("--tools", help="Show each agent's tools.")] = False,
    models: Annotated[bool, typer.Option("--models", help="Show each agent's model.")] = False,
    width: Annotated[
        int | None,
        typer.Option(
            min=_LEAST_WIDTH,
            help="Columns for the picture; otherwise those of the terminal, or 80.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Draw the agents of a manifest and the flows between them.

    Example: agency graph agencies/dev_shop/agency.yaml --tools
    """
    # Imported here, so that other commands start without it.
    from agency_cli.graph import GRAPH_FORMATS, View, diagram_of  # noqa: PLC0415
    from agency_cli.loading import examine_manifest  # noqa: PLC0415
    from agency_cli.rendering.output import print_text, write_file  # noqa: PLC0415

    if form not in GRAPH_FORMATS:
        raise UsageError(f"no graph format named '{form}'; there are {', '.join(GRAPH_FORMATS)}")
    report = examine_manifest(manifest)
    if report.manifest is None or any(found.severity == "error" for found in report.problems):
        raise ManifestError(report.problems)
    view = View(
        width=width or _terminal_width(),
        tools=tools,
        models=models,
        encoding="utf-8" if output else sys.stdout.encoding,
    )
    text = GRAPH_FORMATS[form](diagram_of(report.manifest), view)
    if output:
        write_file(text, output)
    else:
        print_text(text, sys.stdout)


def _terminal_width() -> int:
    """Return the columns of the terminal that shows the picture; 80 where there is none."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _USUAL_WIDTH
    return max(columns, _LEAST_WIDTH)
