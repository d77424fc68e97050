"""`agency schema`: the JSON Schema of manifests, for editors."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer


def schema(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a file, not to the terminal."),
    ] = None,
) -> None:
    """Print the JSON Schema of manifests, with which editors complete and explain every key.

    Example: agency schema -o .agency/agency.schema.json
    """
    from agency_cli.rendering.output import (  # noqa: PLC0415 - not for --help
        print_document,
        write_file,
    )
    from agency_cli.schema import shipped_schema_text  # noqa: PLC0415 - not for --help

    text = shipped_schema_text()
    if output is None:
        print_document(text, sys.stdout)
        return
    # Where that fails, writing tells better what is wrong.
    with suppress(OSError):
        output.parent.mkdir(parents=True, exist_ok=True)
    write_file(text.removesuffix("\n"), output)
