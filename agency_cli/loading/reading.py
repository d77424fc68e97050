"""From a path to the text of a file, with limits; every failure is a problem."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from agency_cli.checks.nearest import did_you_mean_file
from agency_cli.errors import ManifestError, Problem
from agency_cli.loading.nodes import line_and_column
from agency_cli.problem_codes import ProblemCode

LARGEST_FILE: Final = 1_000_000
"""Bytes that a manifest, or a file of instructions, may have."""

# Somebody holds the other end of these: `agency validate <(make-manifest)`.
_STREAM: Final = re.compile(r"/dev/stdin|/dev/fd/\d+|/proc/[^/]+/fd/\d+")
_SPECIAL: Final = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_BYTE_ORDER_MARK: Final = "\ufeff"
# What YAML does not take as printable.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


def read_text(path: Path, shown: str, *, at: Problem | None = None) -> tuple[bytes, str]:
    """Return the bytes and the text of a file, a byte order mark dropped.

    Args:
        path: Where the file is.
        shown: The file as messages name it.
        at: Where a manifest names the file, for what is wrong with the file as a whole.

    Raises:
        ManifestError: It is missing, a folder, a pipe or a device, unreadable, too large, or not
            UTF-8 text.
    """
    try:
        special = _special_file(path)
        data = b"" if special else _read_limited(path)
    except (OSError, ValueError) as error:
        raise _unreadable(path, shown, error, at) from None
    if special:
        raise _refused(at, "not-a-file", shown, f"is {special}, which may never end; name a file")
    return data, decode_text(data, shown, at=at)


def decode_text(data: bytes, shown: str, *, at: Problem | None = None) -> str:
    """Return the text that bytes are, a byte order mark dropped.

    Args:
        data: What was read; more than `LARGEST_FILE` is refused.
        shown: Where it comes from, as messages name it.
        at: Where a manifest names it.

    Raises:
        ManifestError: It is too large, or not UTF-8 text.
    """
    if len(data) > LARGEST_FILE:
        raise _refused(
            at, "file-too-large", shown, f"is larger than {LARGEST_FILE // 1_000_000} MB"
        )
    return _decoded(data, shown)


def is_stream(name: str) -> bool:
    """Say whether a name is that of what another program writes, which can be read only once."""
    return bool(_STREAM.fullmatch(name))


def _special_file(path: Path) -> str:
    """Name what is no file, and could keep its reader waiting for ever; empty for all else."""
    if is_stream(str(path)):
        return ""
    mode = path.stat().st_mode
    return next((name for is_one, name in _SPECIAL if is_one(mode)), "")


def _read_limited(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST_FILE + 1)


def _unreadable(
    path: Path, shown: str, error: OSError | ValueError, at: Problem | None
) -> ManifestError:
    match error:
        case FileNotFoundError() | NotADirectoryError():
            hint = did_you_mean_file(path.name, _names_beside(path))
            return _refused(at, "missing-file", shown, f"does not exist{hint}")
        case IsADirectoryError():
            hint = "" if at else "; name the manifest in it, such as agency.yaml"
            return _refused(at, "not-a-file", shown, f"is a folder, not a file{hint}")
        case PermissionError() if _is_folder(path):
            return _refused(at, "not-a-file", shown, "is a folder, not a file")
        case OSError():
            reason = (error.strerror or str(error)).lower()
            return _refused(at, "unreadable-file", shown, f"cannot be read: {reason}")
        case _:
            return _refused(at, "unreadable-file", shown, "is not the name of a file")


def _refused(at: Problem | None, code: ProblemCode, shown: str, what: str) -> ManifestError:
    if at is None:
        return ManifestError([Problem(code=code, message=f"the file {what}", file=shown)])
    return ManifestError(
        [
            Problem(
                code=code,
                message=f"the file {shown!r} {what}",
                path=at.path,
                file=at.file,
                line=at.line,
                column=at.column,
            )
        ]
    )


def _decoded(data: bytes, shown: str) -> str:
    try:
        text = data.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        raise _not_text(data, error, shown) from None
    found = _UNPRINTABLE.search(text)
    if found is None:
        return text
    line, column = line_and_column(text, found.start())
    message = f"the file holds the character {found.group()!r}, which no text file does; remove it"
    raise ManifestError(
        [Problem(code="binary-file", message=message, file=shown, line=line, column=column)]
    )


def _not_text(data: bytes, error: UnicodeDecodeError, shown: str) -> ManifestError:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        message = "the file is UTF-16; save it as UTF-8"
        return ManifestError([Problem(code="not-utf-8", message=message, file=shown)])
    start = error.start
    before = data[:start].decode().removeprefix(_BYTE_ORDER_MARK)
    line, column = line_and_column(before, len(before))
    message = f"byte 0x{data[start]:02x} is not UTF-8; save the file as UTF-8"
    return ManifestError(
        [Problem(code="not-utf-8", message=message, file=shown, line=line, column=column)]
    )


def _names_beside(path: Path) -> list[str]:
    try:
        with os.scandir(path.parent) as entries:
            return [entry.name for entry in entries if entry.is_file()]
    except (OSError, ValueError):
        return []


def _is_folder(path: Path) -> bool:
    # Windows refuses to open a folder for lack of permission.
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False
