"""Plain text to a stream or a file: the one place that prints it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from agency_cli.errors import UsageError


def print_text(text: str, stream: TextIO) -> None:
    """Write the text and a newline; what the stream's encoding lacks becomes a question mark."""
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    except OSError:
        # Nobody reads the standard error; what stands on the standard output is worth more.
        if stream is not sys.stderr:
            raise


def print_document(text: str, stream: TextIO) -> None:
    """Write a text that programs read, in UTF-8 whatever the stream's encoding is."""
    stream.flush()
    stream.buffer.write(text.encode())
    stream.buffer.flush()


def print_error(message: str, stream: TextIO) -> None:
    """Write one line that begins with `error:`."""
    print_text(f"error: {message}", stream)


def write_file(text: str, path: Path) -> None:
    """Write the text and a newline into a file, in UTF-8.

    Raises:
        UsageError: The file cannot be written there.
    """
    try:
        path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def printable(text: str) -> str:
    """Return one line with control characters written out: no text steers a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
