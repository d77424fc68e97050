"""`agency runs`: what happened in past runs, and what they cost."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agency_cli.cli.answers import YesOption
from agency_cli.cli.threads import JsonOption, ManifestOption, StoreOption

app = typer.Typer(
    help="Look at past runs and their costs, go on with one, move or delete them.",
    no_args_is_help=True,
)

RunId = Annotated[str, typer.Argument(help="Id of the run.", metavar="RUN")]
RunIds = Annotated[list[str], typer.Argument(help="Ids of runs.", metavar="RUN...")]


class Status(StrEnum):
    """How runs stand."""

    OK = "ok"
    ERROR = "error"
    LIMIT = "limit"
    CANCELLED = "cancelled"
    PAUSED = "paused"
    KILLED = "killed"
    RUNNING = "running"


class Grouping(StrEnum):
    """What costs are added up by."""

    MODEL = "model"
    AGENT = "agent"
    AGENCY = "agency"
    DAY = "day"


@app.command("list")
def list_runs(
    manifest: ManifestOption = None,
    store: StoreOption = None,
    *,
    agency: Annotated[str | None, typer.Option(help="Only runs of this agency.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only runs that stand so.")] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Only runs begun since then: 2026-01-31 (UTC), or 7d, 24h, 30m."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Only so many, the latest.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """List all runs, the latest first.

    Example: agency runs list --manifest agencies/dev_shop/agency.yaml --status killed
    """
    from agency_cli.cli import runs_work  # noqa: PLC0415 - not for --help

    wanted = runs_work.Filters(agency=agency, status=status, since=since, limit=limit)
    runs_work.list_runs(manifest, store, wanted, as_json=json)


@app.command("show")
def show_run(
    run: RunId,
    manifest: ManifestOption = None,
    store: StoreOption = None,
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Print the object that `run --json` prints.")
    ] = False,
    html: Annotated[
        str | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page that loads nothing; - prints it."
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show model calls and whole texts.")
    ] = False,
) -> None:
    """Draw the call tree of a run again, with its answer and its costs.

    Example: agency runs show 1bf553004c90 -m agencies/dev_shop/agency.yaml
    """
    from agency_cli.cli import runs_work  # noqa: PLC0415 - not for --help

    runs_work.show_run(run, manifest, store, as_json=json, html=html, verbose=verbose)


@app.command("resume")
def resume_run(
    run: RunId,
    manifest: Annotated[
        Path | None,
        typer.Option(
            "--manifest", "-m", help="The manifest, whose store is meant; else that of the run."
        ),
    ] = None,
    store: StoreOption = None,
    *,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Another model, MODEL or AGENT=MODEL, for what is still to be done."),
    ] = None,
    max_turns: Annotated[
        int | None, typer.Option(min=1, help="The most model calls, those before included.")
    ] = None,
    max_cost_usd: Annotated[
        float | None, typer.Option(min=0, help="The most money, in US dollars, of the whole run.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(min=0, help="The longest time at work, before included.")
    ] = None,
    approve: Annotated[
        list[str] | None,
        typer.Option(help="Agree to the call of this name, or to `all`.", metavar="CALL"),
    ] = None,
    deny: Annotated[
        list[str] | None,
        typer.Option(help="Refuse the call of this name, or `all`.", metavar="CALL"),
    ] = None,
    reason: Annotated[
        str | None, typer.Option(help="Why it is refused; the agent reads it.")
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(help="Answer the question of this name.", metavar="CALL=TEXT"),
    ] = None,
    yes: YesOption = False,
    force: Annotated[
        bool, typer.Option("--force", help="Go on although the manifest has changed.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Print each event as a line of JSON, as it happens.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no tree and no summary.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show model calls, whole texts and tracebacks.")
    ] = False,
) -> None:
    """Go on with a run that was killed, interrupted or stopped, that failed, or that waits.

    What its models answered and its tools gave back is taken from the journal, not done again.

    Example: agency runs resume 1bf553004c90 -m agencies/dev_shop/agency.yaml
    """
    from agency_cli.cli.answering import Answers  # noqa: PLC0415 - not for --help
    from agency_cli.cli.resuming import ResumeOptions, resume  # noqa: PLC0415 - not for --help

    resume(
        ResumeOptions(
            run_id=run,
            manifest=manifest,
            models=model or (),
            limits={
                "max_turns": max_turns,
                "max_cost_usd": max_cost_usd,
                "max_seconds": max_seconds,
            },
            store=store,
            answers=Answers(approve or (), deny or (), reason, answer or ()),
            yes=yes,
            force=force,
            json=json,
            jsonl=jsonl,
            quiet=quiet,
            verbose=verbose,
        )
    )


@app.command("costs")
def show_costs(
    manifest: ManifestOption = None,
    store: StoreOption = None,
    *,
    by: Annotated[Grouping, typer.Option(help="What to add up by.")] = Grouping.MODEL,
    since: Annotated[
        str | None,
        typer.Option(help="Only calls since then: 2026-01-31 (UTC), or 7d, 24h, 30m."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Add up what all runs cost.

    Example: agency runs costs --by day --since 7d -m agencies/dev_shop/agency.yaml
    """
    from agency_cli.cli import runs_work  # noqa: PLC0415 - not for --help

    runs_work.show_costs(manifest, store, by=by.value, since=since, as_json=json)


@app.command("delete")
def delete_runs(
    run: RunIds,
    manifest: ManifestOption = None,
    store: StoreOption = None,
) -> None:
    """Delete runs and their journals; their threads stay. All of those named, or none.

    Example: agency runs delete 1bf553004c90 -m agencies/dev_shop/agency.yaml
    """
    from agency_cli.cli import runs_work  # noqa: PLC0415 - not for --help

    runs_work.delete_runs(run, manifest, store)


@app.command("export")
def export_runs(
    run: Annotated[
        list[str] | None, typer.Argument(help="Ids of runs.", metavar="[RUN]...")
    ] = None,
    manifest: ManifestOption = None,
    store: StoreOption = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Export all runs of the store.")] = False,
    agency: Annotated[str | None, typer.Option(help="Export all runs of this agency.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a file, not to the terminal.")
    ] = None,
) -> None:
    """Write runs as lines of JSON that `agency runs import` reads on another machine.

    All that was said in them goes with them, and what their threads remembered until then.

    Example: agency runs export 1bf553004c90 -o run.jsonl -m agencies/dev_shop/agency.yaml
    """
    from agency_cli.cli import exchanging  # noqa: PLC0415 - not for --help

    exchanging.export_runs(run or (), manifest, store, every=every, agency=agency, output=output)


@app.command("import")
def import_runs(
    file: Annotated[str, typer.Argument(help="File of an export; - reads what is piped in.")],
    manifest: ManifestOption = None,
    store: StoreOption = None,
) -> None:
    """Add the runs of an export to a store, which is made if there is none.

    They are shown, listed, counted and resumed there as where they come from. What is there
    already stays as it is; if anything in the file is wrong, nothing is added.

    Example: agency runs import run.jsonl -m agencies/dev_shop/agency.yaml
    """
    from agency_cli.cli import exchanging  # noqa: PLC0415 - not for --help

    exchanging.import_runs(file, manifest, store)
