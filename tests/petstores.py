"""The pet shop that is shipped with an agency, as a program of its own on a free port."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def service_beside(folder: Path) -> Iterator[dict[str, str]]:
    """Run the service that an agency is shipped with, if any; give the environment for it."""
    program = folder / "petstore.py"
    if not program.exists():
        yield {}
        return
    line = [sys.executable, str(program), "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield {"PETSTORE_URL": process.stdout.readline().strip()}
        finally:
            process.kill()
