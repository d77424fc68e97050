"""`agency doctor`: what this machine lacks for an agency."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agency_cli.cli.param_options import ParamsFileOption
from agency_cli.errors import ExitCode


def doctor(
    manifest: Annotated[
        Path | None,
        typer.Argument(help="The manifest of the agency; without it, this machine in general."),
    ] = None,
    *,
    model: Annotated[
        list[str] | None,
        typer.Option(help="As `agency run` would be given it: MODEL or AGENT=MODEL; repeatable."),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option(help="Value of a param, NAME=VALUE; repeatable.")
    ] = None,
    params: ParamsFileOption = None,
    store: Annotated[
        str | None, typer.Option(help="URL of the store, such as sqlite:///FILE.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Try no server; otherwise each is connected to.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look for what an agency needs: variables, packages, servers, the store, prices.

    No model is called, and no value of a variable is shown. Exits with 6 if something is missing.

    Example: agency doctor agencies/dev_shop/agency.yaml
    """
    from agency_cli.cli import doctor_work  # noqa: PLC0415 - not for --help
    from agency_cli.cli.options import all_params  # noqa: PLC0415 - not for --help

    options = doctor_work.DoctorOptions(
        manifest=manifest,
        models=model or (),
        params=all_params(params, param),
        store=store,
        offline=offline,
        json=json,
    )
    if doctor_work.look(options):
        raise typer.Exit(ExitCode.PROVIDER)
