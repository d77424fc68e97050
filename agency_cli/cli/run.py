"""`agency run`: one message to one final output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agency_cli.cli.answers import DenyOption, YesOption
from agency_cli.cli.param_options import (
    ContextOption,
    HelpParamsOption,
    ParamsFileOption,
    show_params,
)


def run(
    manifest: Annotated[Path, typer.Argument(help="The manifest of the agency.")],
    message: Annotated[
        str | None,
        typer.Argument(
            help="What to do. What is piped in is the message, or is appended to it.",
            show_default=False,
        ),
    ] = None,
    *,
    agent: Annotated[
        str | None, typer.Option(help="Give the message to this agent, not to `entry`.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Model for every agent (MODEL) or for one (AGENT=MODEL); repeatable."),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(help="Value of a param, NAME=VALUE; repeatable, and for a list too."),
    ] = None,
    params: ParamsFileOption = None,
    help_params: HelpParamsOption = False,
    max_turns: Annotated[
        int | None, typer.Option(min=1, help="The most model calls of the whole run.")
    ] = None,
    max_cost_usd: Annotated[
        float | None, typer.Option(min=0, help="The most money, in US dollars.")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, help="The longest time.")] = None,
    attach: Annotated[
        list[Path] | None,
        typer.Option(help="File that goes with the message: text, image or PDF; repeatable."),
    ] = None,
    context: ContextOption = None,
    thread: Annotated[
        str | None,
        typer.Option(help="Go on with this thread, made when it is missing; else a new one."),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="URL of the store, such as sqlite:///FILE.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Print each event as a line of JSON, as it happens.")
    ] = False,
    yes: YesOption = False,
    deny: DenyOption = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no tree and no summary.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show model calls, whole texts and tracebacks.")
    ] = False,
) -> None:
    """Send one message to an agency and print its final output.

    Example: agency run agencies/dev_shop/agency.yaml "Build a REST API" --model local
    """
    from agency_cli.cli.options import all_params, standing_of  # noqa: PLC0415 - not for --help
    from agency_cli.cli.run_once import RunOptions, run_once  # noqa: PLC0415 - not for --help

    if help_params:
        show_params(manifest)
        return
    run_once(
        RunOptions(
            manifest=manifest,
            message=message,
            agent=agent,
            models=model or (),
            params=all_params(params, param),
            limits={
                "max_turns": max_turns,
                "max_cost_usd": max_cost_usd,
                "max_seconds": max_seconds,
            },
            thread=thread,
            store=store,
            json=json,
            jsonl=jsonl,
            quiet=quiet,
            verbose=verbose,
            standing=standing_of(yes=yes, deny=deny),
            attach=attach or (),
            context=context or (),
        )
    )
