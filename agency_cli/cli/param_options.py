"""Options that give, or tell of, the params of a manifest."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

ParamsFileOption = Annotated[
    Path | None,
    typer.Option(help="File of YAML or JSON with values of params; --param comes before it."),
]
ContextOption = Annotated[
    list[str] | None,
    typer.Option(help="KEY=VALUE for tools, which find it in the run context; repeatable."),
]
HelpParamsOption = Annotated[
    bool, typer.Option("--help-params", help="List the params of the manifest, and run nothing.")
]


def show_params(manifest: Path) -> None:
    """Print which params a manifest has.

    Raises:
        ManifestError: The manifest has problems.
    """
    from agency_cli.loading import load_without_params  # noqa: PLC0415 - not for --help
    from agency_cli.rendering.params import print_params  # noqa: PLC0415 - not for --help

    print_params(load_without_params(manifest).manifest, sys.stdout, os.environ)
