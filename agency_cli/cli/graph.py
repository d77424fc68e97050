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
        str | None,
        typer.Option(
            "--format",
            help="text (a picture), mermaid, dot, svg or json; otherwise as the name of the file"
            " says, or text.",
            show_default=False,
            autocompletion=_formats,
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a file, not to the terminal.")
    ] = None,
    tools: Annotated[bool, typer.Option("--tools", help="Show each agent's tools.")] = False,
    models: Annotated[bool, typer.Option("--models", help="Show each agent's model.")] = False,
    run: Annotated[
        str | None,
        typer.Option(
            help="Lay a recorded run over it: its id, how it begins, or `last`.",
            show_default=False,
        ),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="URL of the store of that run, such as sqlite:///FILE.")
    ] = None,
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

    draw = GRAPH_FORMATS[_format_of(form, output)]
    report = examine_manifest(manifest)
    if report.manifest is None or any(found.severity == "error" for found in report.problems):
        raise ManifestError(report.problems)
    diagram = diagram_of(report.manifest)
    if run is not None:
        from agency_cli.cli.graph_run import with_run  # noqa: PLC0415 - the store is slow to import

        diagram = with_run(diagram, run, manifest, store)
    view = View(
        width=width or _terminal_width(),
        tools=tools,
        models=models,
        encoding="utf-8" if output else sys.stdout.encoding,
    )
    text = draw(diagram, view)
    if output:
        write_file(text, output)
    else:
        print_text(text, sys.stdout)


def _format_of(form: str | None, output: Path | None) -> str:
    """Return the format that is asked for, or that the name of the file says.

    Raises:
        UsageError: There is no such format.
    """
    from agency_cli.graph import GRAPH_FORMATS, SUFFIXES  # noqa: PLC0415 - not for other commands

    if form is None:
        suffix = output.suffix.lower() if output else ""
        if suffix and suffix not in SUFFIXES:
            raise UsageError(
                f"{output}: no format goes by {suffix}; name it so ({', '.join(SUFFIXES)}),"
                " or give --format"
            )
        return SUFFIXES.get(suffix, "text")
    if form not in GRAPH_FORMATS:
        raise UsageError(f"no graph format named '{form}'; there are {', '.join(GRAPH_FORMATS)}")
    return form


def _terminal_width() -> int:
    """Return the columns of the terminal that shows the picture; 80 where there is none."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _USUAL_WIDTH
    return max(columns, _LEAST_WIDTH)
