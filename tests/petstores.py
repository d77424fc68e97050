"""The pet shop that is shipped with an agency, as a program of its own on a free port."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def petstore(program: Path) -> Iterator[str]:
    """Run the service; give its address."""
    line = [sys.executable, str(program), "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()
