"""`agency fmt`: manifests in the one layout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fmt(
    files: Annotated[
        list[Path],
        typer.Argument(help="Manifests, or folders of them; - is the standard input."),
    ],
    *,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit with 1 if a file would change."),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing; show what would change.")
    ] = False,
) -> None:
    """Lay manifests out in the one way: indentation, spaces, quotes, blank lines.

    Every comment and the order of keys stay, and so does all that the manifest says.

    Example: agency fmt agencies/ --check
    """
    from agency_cli.cli.fmt_work import FmtOptions, format_files  # noqa: PLC0415 - not for --help

    code = format_files(FmtOptions(files, check=check, diff=diff))
    if code:
        raise typer.Exit(code)
