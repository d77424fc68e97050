"""A file that gets new content whole or not at all, and stays the file that it is."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Put bytes in the place of a file's; a link, permissions and the owner stay.

    Raises:
        OSError: It is no file, or may not be written; it is as it was.
    """
    import tempfile  # noqa: PLC0415 - takes long, and most files are laid out already

    target = path.resolve()
    if not target.is_file():
        raise OSError(errno.EINVAL, "it is no file; pipe it in, and give - as its name")
    # A folder that may be written is enough to replace a file that may not.
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        shutil.copymode(target, beside)
        _keep_owner(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _keep_owner(target: Path, beside: Path) -> None:
    before, now = target.stat(), beside.stat()
    if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid) and hasattr(os, "chown"):
        # Only root may give a file away.
        with suppress(PermissionError):
            os.chown(beside, before.st_uid, before.st_gid)
