"""Names of files for programs that show a whole repository."""

from __future__ import annotations

import os
from pathlib import Path


def relative_name(file: str) -> str:
    """Return a file's name seen from the current folder, with slashes; absolute if it is outside.

    A name that is no path, such as that of the standard input, stays what it is.
    """
    folder = Path.cwd()
    path = Path(os.path.normpath(folder / file))
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()
