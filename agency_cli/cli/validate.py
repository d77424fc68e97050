"""`agency validate`: every problem of manifests, as a gate in CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agency_cli.errors import ExitCode


def validate(
    manifests: Annotated[
        list[Path],
        typer.Argument(
            help="The manifests to check: files, folders to search, patterns in quotes,"
            " or - for the standard input."
        ),
    ],
    *,
    form: Annotated[str, typer.Option("--format", help="text, json, github or sarif.")] = "text",
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print problems, and nothing else.")
    ] = False,
    deep: Annotated[
        bool,
        typer.Option("--deep", help="Import the Python that is named, and build the agents, too."),
    ] = False,
) -> None:
    """Check manifests and show every problem with its place. No key and no network is needed.

    Nothing of a manifest is executed, unless --deep is given; no model is called in any case.
    Exits with 2 where there is an error, or with --strict a warning.

    Example: agency validate agencies/
    """
    from agency_cli.cli.validating import validate_all  # noqa: PLC0415 - not for --help

    if not validate_all(manifests, form=form, strict=strict, quiet=quiet, deep=deep):
        raise typer.Exit(ExitCode.USAGE)
