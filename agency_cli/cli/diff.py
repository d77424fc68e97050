"""`agency diff`: what differs between two states of an agency."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from agency_cli.errors import ExitCode


def diff(
    old: Annotated[str, typer.Argument(help="A manifest, or REV:PATH of a git repository.")],
    new: Annotated[str, typer.Argument(help="The same, as it is later.")],
    *,
    form: Annotated[
        Literal["text", "json", "mermaid", "svg", "dot"],
        typer.Option("--format", help="text and json tell it in words; the others draw it."),
    ] = "text",
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    fail_on: Annotated[
        Literal["widened"] | None,
        typer.Option(help="widened: exit with 1 where an agent may newly do something."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a file, not to the terminal.")
    ] = None,
) -> None:
    """Tell what differs between two manifests: what agents may newly do stands first.

    Example: agency diff HEAD~1:agency.yaml agency.yaml --fail-on widened
    """
    from agency_cli.cli import diff_work  # noqa: PLC0415 - not for --help

    is_wider = diff_work.show(old, new, "json" if json else form, output)
    if fail_on and is_wider:
        raise typer.Exit(ExitCode.FAILED)
