"""What `agency init` tells: the templates, what was made, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from agency_cli.rendering.output import printable


def templates_text(templates: Mapping[str, str]) -> str:
    """Return a line a template: its name, and what it shows."""
    width = max(map(len, templates))
    return "\n".join(f"{name.ljust(width)}  {shows}" for name, shows in templates.items())


def made_text(folder: Path, files: Sequence[str], *, model: str) -> str:
    """Return what was made, and the commands that come next.

    Args:
        folder: Of the new agency.
        files: What is in it now, by the places in the folder.
        model: What its agents use.
    """
    manifest = shlex.quote(str(folder / "agency.yaml"))
    commands = [
        (f"agency graph {manifest}", "who may ask whom"),
        (f'agency run {manifest} "Who are you?" --model local', "on the embedded model, no key"),
        (f"agency doctor {manifest}", f"what it needs here, for {printable(model)}"),
        (f"pytest {shlex.quote(str(folder))}", "its own test"),
    ]
    width = max(len(command) for command, _ in commands)
    return "\n".join(
        [
            f"made {printable(str(folder))}: {', '.join(files)}",
            "",
            "next:",
            *(f"  {command.ljust(width)}  # {what}" for command, what in commands),
        ]
    )
