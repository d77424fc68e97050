"""`agency threads`: the conversations that are remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Look at, or delete, remembered conversations.", no_args_is_help=True)

ThreadId = Annotated[str, typer.Argument(help="Id of the thread.", metavar="THREAD")]
ManifestOption = Annotated[
    Path | None,
    typer.Option("--manifest", "-m", help="The manifest whose store is meant; else this folder."),
]
StoreOption = Annotated[
    str | None, typer.Option("--store", help="URL of the store, such as sqlite:///FILE.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_threads(
    manifest: ManifestOption = None,
    store: StoreOption = None,
    *,
    json: JsonOption = False,
) -> None:
    """List all threads, the latest used first.

    Example: agency threads list --manifest agencies/support_desk/agency.yaml
    """
    from agency_cli.cli import threads_work  # noqa: PLC0415 - not for --help

    threads_work.list_threads(manifest, store, as_json=json)


@app.command("show")
def show_thread(
    thread: ThreadId,
    manifest: ManifestOption = None,
    store: StoreOption = None,
    *,
    json: JsonOption = False,
) -> None:
    """Show what a thread remembers: the user's conversation and those of each pair of agents.

    Example: agency threads show 1bf553004c90 -m agencies/support_desk/agency.yaml
    """
    from agency_cli.cli import threads_work  # noqa: PLC0415 - not for --help

    threads_work.show_thread(thread, manifest, store, as_json=json)


@app.command("delete")
def delete_thread(
    thread: ThreadId,
    manifest: ManifestOption = None,
    store: StoreOption = None,
) -> None:
    """Delete a thread and all that it remembers.

    Example: agency threads delete 1bf553004c90 -m agencies/support_desk/agency.yaml
    """
    from agency_cli.cli import threads_work  # noqa: PLC0415 - not for --help

    threads_work.delete_thread(thread, manifest, store)
