"""Files that go with a message: texts become part of it, images and PDFs go beside it."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agency_cli.errors import UsageError

LARGEST_MEDIA = 20_000_000
"""Bytes of an image or a PDF, which providers take in one request."""
LARGEST_TEXT = 1_000_000
"""Bytes of a text."""
_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_PDF: Final = "application/pdf"


@dataclass(frozen=True, slots=True)
class Attachments:
    """What goes with one message.

    Attributes:
        texts: What follows the message: each text in a fence, under its name.
        parts: Parts of the message as the SDK takes them, for images and PDFs.
        origins: The files of those parts, each as `SHA-256 path`, for a run that is resumed.
    """

    texts: Sequence[str] = ()
    parts: Sequence[dict[str, Any]] = ()
    origins: Sequence[str] = ()

    def added_to(self, message: str) -> str:
        """Return the message with the texts after it."""
        return "\n\n".join([message, *self.texts])


NOTHING: Final = Attachments()


def attachments_of(paths: Sequence[Path]) -> Attachments:
    """Read files.

    Raises:
        UsageError: One is missing, too large, or neither a text nor an image nor a PDF.
    """
    texts, parts, origins = [], [], []
    for path in paths:
        data = _read(path)
        kind = _kind(path, data)
        if kind is None:
            texts.append(_fenced(path, data))
        else:
            parts.append(_part(path, data, kind))
            origins.append(f"{hashlib.sha256(data).hexdigest()} {path.absolute()}")
    return Attachments(texts, parts, origins)


def attached_before(origins: Sequence[str]) -> Attachments:
    """Read the images and PDFs of a run that is resumed again; its texts are in its message.

    Raises:
        UsageError: One is not there any more, or is another one now.
    """
    read = attachments_of([Path(origin.partition(" ")[2]) for origin in origins])
    for before, now in zip(origins, read.origins, strict=True):
        if before != now:
            path = before.partition(" ")[2]
            raise UsageError(f"{path}, which was attached, is another file now; put it back")
    return Attachments(parts=read.parts, origins=read.origins)


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            what = "is no file" if path.exists() else "does not exist"
            raise UsageError(f"--attach {path}: it {what}")
        if path.stat().st_size > LARGEST_MEDIA:
            raise UsageError(f"--attach {path}: it has more than {LARGEST_MEDIA:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"--attach {path}: {error.strerror or error}") from error


def _kind(path: Path, data: bytes) -> str | None:
    """Return the type of an image or a PDF; None for a text."""
    if data.startswith(b"%PDF-"):
        return _PDF
    named = mimetypes.guess_type(path.name)[0]
    if named in _IMAGES:
        return named
    if b"\0" in data[:8_192]:
        raise UsageError(
            f"--attach {path}: it is neither a text, nor a PNG, JPEG, GIF, WebP or PDF"
        )
    return None


def _fenced(path: Path, data: bytes) -> str:
    if len(data) > LARGEST_TEXT:
        raise UsageError(f"--attach {path}: a text may have {LARGEST_TEXT:,} bytes at most")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"--attach {path}: it is neither UTF-8 text, nor a PNG, JPEG, GIF, WebP or PDF"
        ) from None
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{path.name}:\n{fence}\n{text.rstrip()}\n{fence}"


def _part(path: Path, data: bytes, kind: str) -> dict[str, Any]:
    url = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    if kind == _PDF:
        return {"type": "input_file", "filename": path.name, "file_data": url}
    return {"type": "input_image", "image_url": url, "detail": "auto"}
