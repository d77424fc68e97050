"""Types real command lines, in a process of their own, and returns all that they print."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LONGEST = 60
"""Seconds after which a command hangs; no promise of speed."""


@dataclass(frozen=True)
class Finished:
    """What a command left behind."""

    code: int
    out: str
    err: str


def agency(
    *arguments: str | Path,
    folder: Path,
    environ: Mapping[str, str] | None = None,
    stdin: str | bytes | None = None,
) -> Finished:
    """Run `agency` with its store in `folder`; without `stdin` there is none."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        command(*arguments),
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        env=environment(folder, environ),
        cwd=folder,
        timeout=LONGEST,
        check=False,
    )
    return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "agency_cli", *map(str, arguments)]


def environment(folder: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's variables without any provider's, and `extra`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "AGENCY_"))}
    return {**kept, "AGENCY_HOME": str(folder / "store"), "COLUMNS": "100", **(extra or {})}
