"""`agency init`: a new agency that runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    name: Annotated[
        str | None, typer.Argument(help="Name of the agency, and of its folder.")
    ] = None,
    *,
    template: Annotated[
        str | None,
        typer.Option(help="What to begin with; --list shows what there is.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The model of its agents; `local` needs no key.", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where its files go, if not into a folder of its name."),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Show the templates and exit.")] = False,
) -> None:
    """Begin a new agency: a manifest with comments, instructions, and a test.

    Asks for what is not given, on a terminal. Nothing that is there is overwritten.

    Example: agency init crew --template team
    """
    from agency_cli.cli import init_work  # noqa: PLC0415 - not for --help

    if list_:
        init_work.show_templates()
    else:
        options = init_work.InitOptions(name, template=template, model=model, folder=folder)
        init_work.begin(options)
