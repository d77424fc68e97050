"""`agency validate`: every problem of manifests, as a gate in CI."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from agency_cli.errors import ExitCode, UsageError


def validate(
    manifests: Annotated[list[Path], typer.Argument(help="The manifests to check.")],
    *,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    deep: Annotated[
        bool,
        typer.Option("--deep", help="Import the Python that is named, and build the agents, too."),
    ] = False,
) -> None:
    """Check manifests and show every problem with its place. No key and no network is needed.

    Nothing of a manifest is executed, unless --deep is given; no model is called in any case.

    Example: agency validate agencies/*/agency.yaml
    """
    # Imported here, so that other commands start without it.
    from agency_cli.rendering.output import print_text  # noqa: PLC0415
    from agency_cli.rendering.problems import PROBLEM_FORMATS, count  # noqa: PLC0415

    if form not in PROBLEM_FORMATS:
        raise UsageError(f"no format named {form!r}; there are {', '.join(PROBLEM_FORMATS)}")
    if deep:
        from agency_cli.cli.deep import examine_deeply as examine  # noqa: PLC0415
    else:
        from agency_cli.loading import examine_manifest as examine  # noqa: PLC0415
    reports = {str(path): examine(path) for path in manifests}
    print_text(PROBLEM_FORMATS[form](reports), sys.stdout)
    if count(reports, "error") or (strict and count(reports, "warning")):
        raise typer.Exit(ExitCode.USAGE)
