"""`agency chat`: a conversation with an agency, on a thread."""

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


def chat(
    manifest: Annotated[Path, typer.Argument(help="The manifest of the agency.")],
    *,
    agent: Annotated[
        str | None, typer.Option(help="Begin with this agent, not with who has the conversation.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Model for every agent (MODEL) or for one (AGENT=MODEL); repeatable."),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option(help="Value of a param, NAME=VALUE; repeatable.")
    ] = None,
    params: ParamsFileOption = None,
    context: ContextOption = None,
    help_params: HelpParamsOption = False,
    max_turns: Annotated[
        int | None, typer.Option(min=1, help="The most model calls for each message.")
    ] = None,
    max_cost_usd: Annotated[
        float | None, typer.Option(min=0, help="The most money for each message, in US dollars.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(min=0, help="The longest time for each message.")
    ] = None,
    thread: Annotated[
        str | None,
        typer.Option(help="Go on with this thread, made when it is missing; else a new one."),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="URL of the store, such as sqlite:///FILE.")
    ] = None,
    yes: YesOption = False,
    deny: DenyOption = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no tree and no figures.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show model calls, whole texts and tracebacks.")
    ] = False,
) -> None:
    """Talk with an agency; it remembers what was said.

    /help tells the commands, Ctrl-C stops an answer, Ctrl-D leaves. What is piped in is taken line
    by line, each a message or a command.

    Example: agency chat agencies/support_desk/agency.yaml
    """
    from agency_cli.cli.chatting.loop import chat as converse  # noqa: PLC0415 - not for --help
    from agency_cli.cli.options import all_params, standing_of  # noqa: PLC0415 - not for --help
    from agency_cli.cli.ordering import OrderOptions  # noqa: PLC0415 - not for --help

    if help_params:
        show_params(manifest)
        return
    code = converse(
        OrderOptions(
            manifest=manifest,
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
            quiet=quiet,
            verbose=verbose,
            standing=standing_of(yes=yes, deny=deny),
            context=context or (),
        )
    )
    raise typer.Exit(code)
