"""A folder that paths cannot leave: its files are read, written and searched."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from agency_cli.foreign import ToolRefused

LARGEST_READ = 200_000
"""Bytes of one file that are read at once."""
LARGEST_WRITE = 2_000_000
"""Bytes of one file that are written, and of files that are edited or searched."""
MOST_LISTED = 500
MOST_FOUND = 200
LONGEST_FOUND = 300
"""Characters of a line that was found."""


class NotAllowed(ToolRefused):
    """A path or size that these tools do not serve; the text tells the model what to do."""


class Root:
    """A folder that its paths cannot leave.

    Links are followed only as far as they stay below it. A path is resolved first, and then opened
    step by step without following anything, so a link that is put there meanwhile leads nowhere.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def list(self, path: str) -> str:
        """Return one path a line, folders with a `/` at the end, in order of their names."""
        folder = self._existing_folder(path)
        if folder is None:
            return "(empty)"
        found = list(islice(self._below(folder), MOST_LISTED + 1))
        lines = found[:MOST_LISTED]
        if len(found) > MOST_LISTED:
            lines.append("(more; list a folder below to see it all)")
        return "\n".join(lines) or "(empty)"

    def read(self, path: str, first_line: int = 1, lines: int | None = None) -> str:
        """Return the text of a file, or so many of its lines, of at most LARGEST_READ bytes."""
        file = self._inside(path)
        with self._opened(file, path) as descriptor:
            size = os.fstat(descriptor).st_size
            if lines is None and first_line <= 1 and size > LARGEST_READ:
                raise NotAllowed(
                    f"{path} has {size:,} bytes; the most that is read is {LARGEST_READ:,};"
                    " read it in parts, with first_line and lines"
                )
            with os.fdopen(os.dup(descriptor), "rb") as stream:
                content = _part(stream, max(first_line, 1) - 1, lines)
        if len(content) > LARGEST_READ:
            raise NotAllowed(f"these lines have more than {LARGEST_READ:,} bytes; read fewer")
        return _text(content, path)

    def write(self, path: str, content: str) -> str:
        """Write a file and return what was done."""
        data = content.encode()
        if len(data) > LARGEST_WRITE:
            raise NotAllowed(f"the most that is written is {LARGEST_WRITE:,} bytes")
        file = self._inside(path)
        if file == self._folder or os.path.isdir(file):  # noqa: PTH112 - false where it fails
            raise NotAllowed(f"{path!r} is a folder; name a file in it")
        if os.path.lexists(file) and not os.path.isfile(file):  # noqa: PTH113 - see above
            raise NotAllowed(f"{path!r} is no plain file")
        with self._opened(file, path, os.O_WRONLY | os.O_CREAT, make=True) as descriptor:
            os.ftruncate(descriptor, 0)
            with os.fdopen(os.dup(descriptor), "wb") as stream:
                stream.write(data)
        number = len(content.splitlines())
        return f"wrote {self._shown(file)} ({number} {'line' if number == 1 else 'lines'})"

    def edit(self, path: str, old: str, new: str) -> str:
        """Replace a piece of a file that stands there once, and return what was done."""
        if not old:
            raise NotAllowed("old_text is empty; give the text that is to be replaced")
        text = _text(self._whole(self._inside(path), path), path)
        times = text.count(old)
        if times == 0:
            raise NotAllowed(f"old_text does not stand in {path}; read_file tells what does")
        if times > 1:
            raise NotAllowed(
                f"old_text stands {times} times in {path}; give more of the text around it"
            )
        before = text[: text.index(old)].count("\n") + 1
        self.write(path, text.replace(old, new))
        return f"edited {path} at line {before}"

    def search(self, text: str, path: str) -> str:
        """Return each line that holds `text`, whatever its case, as `file:line: text`."""
        if not text:
            raise NotAllowed("text is empty; give what is to be found")
        folder = self._existing_folder(path)
        found = [] if folder is None else list(islice(self._lines(folder, text), MOST_FOUND + 1))
        if len(found) > MOST_FOUND:
            found[MOST_FOUND:] = ["(more; search for a longer text, or in a folder below)"]
        return "\n".join(found) or "(nothing found)"

    def _lines(self, folder: Path, text: str) -> Iterator[str]:
        wanted = text.casefold()
        for shown in self._below(folder):
            if shown.endswith("/"):
                continue
            try:
                content = self._whole(self._inside(shown), shown).decode()
            except (NotAllowed, UnicodeDecodeError):
                # Too large, no text, or a link that leads out: not searched.
                continue
            for number, line in enumerate(content.splitlines(), 1):
                if wanted in line.casefold():
                    yield f"{shown}:{number}: {line.strip()[:LONGEST_FOUND]}"

    def _below(self, folder: Path) -> Iterator[str]:
        """Yield every path below a folder, as it is shown; links to folders are not entered."""
        for place, folders, files in os.walk(folder):
            folders.sort()
            here = Path(place)
            names = [*(f"{name}/" for name in folders), *files]
            for name in sorted(names):
                yield f"{self._shown(here / name)}{'/' if name.endswith('/') else ''}"

    def _existing_folder(self, path: str) -> Path | None:
        """Return a folder; None for the root where it is not there yet."""
        folder = self._inside(path)
        if folder == self._folder and not folder.exists():
            return None
        if not folder.is_dir():
            raise NotAllowed(f"there is no folder {path!r}")
        return folder

    def _whole(self, file: Path, path: str) -> bytes:
        with self._opened(file, path) as descriptor:
            if os.fstat(descriptor).st_size > LARGEST_WRITE:
                raise NotAllowed(f"{path} has more than {LARGEST_WRITE:,} bytes")
            with os.fdopen(os.dup(descriptor), "rb") as stream:
                return stream.read(LARGEST_WRITE + 1)

    def _shown(self, file: Path) -> str:
        return file.relative_to(self._folder).as_posix()

    def _inside(self, path: str) -> Path:
        if "\0" in path:
            raise NotAllowed("a path cannot hold a NUL character")
        try:
            resolved = (self._folder / path.strip()).resolve()
        except (OSError, RuntimeError) as error:
            raise NotAllowed(_reason(path, error)) from error
        if not resolved.is_relative_to(self._folder):
            raise NotAllowed(f"{path!r} is outside the folder that these tools serve")
        return resolved

    @contextmanager
    def _opened(
        self, file: Path, path: str, flags: int = os.O_RDONLY, *, make: bool = False
    ) -> Iterator[int]:
        """Open a plain file that lies below the root; `make` makes the folders on the way."""
        try:
            descriptor = self._open(file, flags, make=make)
        except OSError as error:
            raise NotAllowed(_reason(path, error)) from error
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise NotAllowed(f"there is no file {path!r}; list_files tells what there is")
            yield descriptor
        except OSError as error:
            raise NotAllowed(_reason(path, error)) from error
        finally:
            os.close(descriptor)

    def _open(self, file: Path, flags: int, *, make: bool) -> int:
        # A pipe must not be waited for.
        flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        if make:
            self._folder.mkdir(parents=True, exist_ok=True)
        if os.open not in os.supports_dir_fd:
            if make:
                file.parent.mkdir(parents=True, exist_ok=True)
            return os.open(file, flags, 0o666)
        *folders, name = file.relative_to(self._folder).parts or (".",)
        here = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in folders:
                there = _folder_in(here, part, make=make)
                os.close(here)
                here = there
            return os.open(name, flags, 0o666, dir_fd=here)
        finally:
            os.close(here)


def _folder_in(parent: int, name: str, *, make: bool) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        if not make:
            raise
    # Another branch may make it meanwhile.
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
    return os.open(name, flags, dir_fd=parent)


def _part(stream: Iterator[bytes], skipped: int, lines: int | None) -> bytes:
    """Return so many lines, or a little more than may be read."""
    content = bytearray()
    for line in islice(stream, skipped, None if lines is None else skipped + max(lines, 0)):
        content += line
        if len(content) > LARGEST_READ:
            break
    return bytes(content)


def _text(content: bytes, path: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise NotAllowed(f"{path} is not a text file") from None


def _reason(path: str, error: Exception) -> str:
    """Say what is wrong without the place of the folder on this machine."""
    shown = path if len(path) <= 200 else f"{path[:200]}…"  # noqa: PLR2004 - of a message
    if isinstance(error, FileNotFoundError):
        return f"there is no file {shown!r}; list_files tells what there is"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return f"{shown!r} leads to itself, or outside the folder that these tools serve"
    return f"{shown!r}: {getattr(error, 'strerror', None) or type(error).__name__}"
