"""Manifests as they were: a file, or a file of a revision of a git repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from agency_cli.comparing import Side
from agency_cli.errors import ManifestError, UsageError
from agency_cli.loading import LoadedManifest, load_without_params

_LARGEST = 1_000_000
"""Bytes of a file that a manifest may name."""
_AT_ONCE = 100
"""Files that are held in memory together."""
_FILE_MODES = {"100644", "100755"}
_PATIENCE = 60
"""Seconds that git may take."""


@contextmanager
def side_of(text: str) -> Iterator[Side]:
    """Load a manifest: FILE, or REV:PATH of the repository in which the command is typed.

    What the manifest names is read as it was in that revision too. PATH is as git has it: from the
    top of the repository, or from here where it begins with `./`.

    Raises:
        ManifestError: The manifest has problems.
        UsageError: There is no such revision, or no such file in it.
    """
    rev, colon, path = text.partition(":")
    if Path(text).exists() or not colon:
        yield Side.of(text, load_without_params(text), os.environ)
        return
    # Only where it is needed, as it takes time to import.
    import tempfile  # noqa: PLC0415 - see above

    revision = _Revision(_repository(), rev)
    wanted = revision.path_of(path)
    with tempfile.TemporaryDirectory(prefix="agency-diff-") as name:
        yield Side.of(text, _loaded(revision, wanted, Path(name)), os.environ)


def _loaded(revision: _Revision, wanted: str, folder: Path) -> LoadedManifest:
    blobs = revision.blobs()
    paths = {blob.path for blob in blobs}
    if wanted not in paths:
        raise UsageError(
            f"{revision.rev}:{wanted}: there is no {wanted} in {revision.rev}{_hint(wanted, paths)}"
        )
    # What a manifest names mostly lies beside it, and repositories may be large.
    beside = wanted.rpartition("/")[0]
    near = [blob for blob in blobs if blob.path.startswith(f"{beside}/" if beside else "")]
    revision.unpack(near, folder)
    try:
        return load_without_params(folder / wanted)
    except ManifestError:
        revision.unpack(set(blobs).difference(near), folder)
    try:
        return load_without_params(folder / wanted)
    except ManifestError as error:
        raise _renamed(error, folder, revision.rev) from None


def _repository() -> Path:
    top = _git(Path.cwd(), "rev-parse", "--show-toplevel").decode().strip()
    return Path(top)


class _Blob(NamedTuple):
    """A file of a revision, and its name among git's objects."""

    path: str
    name: str


class _Revision(NamedTuple):
    """A revision of a repository; nothing of the repository is changed or run."""

    repository: Path
    rev: str

    def path_of(self, path: str) -> str:
        """Return a path from the top of the repository, as git writes it."""
        if not path.startswith(("./", "../")):
            return path
        here = Path.cwd().resolve().relative_to(self.repository.resolve())
        parts: list[str] = []
        for part in (PurePosixPath(here.as_posix()) / path).parts:
            if part == ".." and parts:
                parts.pop()
            elif part not in {".", ".."}:
                parts.append(part)
        return "/".join(parts)

    def blobs(self) -> list[_Blob]:
        """Return the files that a manifest may name; not links, modules and what is too large.

        Raises:
            UsageError: There is no such revision.
        """
        if self.rev.startswith("-") or not self.rev:
            raise UsageError(
                f"{self.rev!r} is no revision of git; write REV:PATH, such as HEAD~1:agency.yaml"
            )
        words = ("ls-tree", "-r", "-z", "--long", "--full-tree", self.rev)
        found = []
        for line in _git(self.repository, *words).split(b"\0"):
            about, tab, path = line.decode("utf-8", "surrogateescape").partition("\t")
            if tab:
                mode, _, name, size = about.split()
                if mode in _FILE_MODES and int(size) <= _LARGEST:
                    found.append(_Blob(path, name))
        return found

    def unpack(self, blobs: Iterable[_Blob], folder: Path) -> None:
        """Write files of the revision into a folder."""
        waiting = iter(blobs)
        while batch := list(islice(waiting, _AT_ONCE)):
            asked = "".join(f"{blob.name}\n" for blob in batch).encode()
            contents = _git(self.repository, "cat-file", "--batch", given=asked)
            place = 0
            for blob in batch:
                end = contents.index(b"\n", place)
                size = int(contents[place:end].split()[-1])
                target = folder / blob.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(contents[end + 1 : end + 1 + size])
                place = end + size + 2


def _git(folder: Path, *words: str, given: bytes = b"") -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - git, with words of ours and one revision
            ["git", "-C", str(folder), *words],  # noqa: S607 - whichever git the person uses
            input=given,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("REV:PATH needs git, which is not installed") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git {words[0]} took more than {_PATIENCE} seconds") from None
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split()).removeprefix("fatal: ")
        raise UsageError(f"git: {said or f'{words[0]} failed'}")
    return done.stdout


def _renamed(error: ManifestError, folder: Path, rev: str) -> ManifestError:
    """Return the problems at the places where they stand in the revision."""
    top = f"{folder}/"
    return ManifestError(
        [
            replace(
                each,
                file=f"{rev}:{(each.file or '').removeprefix(top)}",
                message=each.message.replace(top, ""),
            )
            for each in error.problems
        ]
    )


def _hint(wanted: str, files: set[str]) -> str:
    same = sorted(file for file in files if file.rpartition("/")[2] == wanted.rpartition("/")[2])
    return f" (did you mean {same[0]!r}?)" if same else ""
