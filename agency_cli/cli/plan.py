"""`agency plan`: what a manifest would run, and the most that it can cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agency_cli.cli.param_options import ParamsFileOption


def plan(
    manifest: Annotated[Path, typer.Argument(help="The manifest of the agency.")],
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
    max_turns: Annotated[
        int | None, typer.Option(min=1, help="The most model calls of the whole run.")
    ] = None,
    max_cost_usd: Annotated[
        float | None, typer.Option(min=0, help="The most money, in US dollars.")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, help="The longest time.")] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Show the system prompt of each agent in full.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what `agency run` with these options would run, and the most that it can cost.

    No model is called, no tool is imported or started, and nothing is written.

    Example: agency plan agencies/dev_shop/agency.yaml --model local
    """
    from agency_cli.cli import plan_work  # noqa: PLC0415 - not for --help
    from agency_cli.cli.options import all_params  # noqa: PLC0415 - not for --help

    options = plan_work.PlanOptions(
        manifest=manifest,
        agent=agent,
        models=model or (),
        params=all_params(params, param),
        limits={
            "max_turns": max_turns,
            "max_cost_usd": max_cost_usd,
            "max_seconds": max_seconds,
        },
        prompts=prompts,
        json=json,
    )
    plan_work.show(options)
