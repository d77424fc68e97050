"""What `agency init` asks, and the folder that it makes, whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from agency_cli.errors import UsageError
from agency_cli.new_agency import (
    DEFAULT_MODEL,
    TEMPLATES,
    files_of,
    require_name,
    require_template,
)
from agency_cli.rendering.new_agency import made_text, templates_text
from agency_cli.rendering.output import print_error, print_text

_USUAL_NAME: Final = "my_agency"
_USUAL_TEMPLATE: Final = "solo"


@dataclass(frozen=True, slots=True)
class InitOptions:
    """What was given; what is None is asked for on a terminal."""

    name: str | None
    template: str | None = None
    model: str | None = None
    folder: Path | None = None


def show_templates() -> None:
    """Print each template with what it shows."""
    print_text(templates_text(TEMPLATES), sys.stdout)


def begin(options: InitOptions) -> None:
    """Make the folder of a new agency, and tell what to do next.

    Raises:
        UsageError: Something given cannot be, is missing, or is in the way; nothing is written.
    """
    # What is given is looked at before anything is asked.
    if options.name is not None:
        require_name(options.name)
    if options.template is not None:
        require_template(options.template)
    if options.folder is not None:
        require_free(options.folder)
    name = _name(options)
    folder = options.folder or Path(name)
    require_free(folder)
    template, model = _template(options), _model(options)
    files = files_of(template, name=name, model=model)
    try:
        make_folder(folder, files)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"cannot make {folder}: {reason}; nothing was written") from error
    print_text(made_text(folder, list(files), model=model), sys.stdout)


def require_free(folder: Path) -> None:
    """Make sure that a folder can be made, or is there and empty.

    Raises:
        UsageError: It is a file, cannot be looked into, or has something in it.
    """
    try:
        first = next(iter(sorted(os.listdir(folder))), None)  # noqa: PTH208 - names are enough
    except FileNotFoundError:
        first = None
        if folder.is_symlink():
            raise UsageError(f"{folder} is a link that leads nowhere; choose another") from None
    except NotADirectoryError:
        raise UsageError(f"{folder} is there, or what is above it, and is no folder") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder} cannot be used: {_reason(error)}") from None
    if first is not None:
        raise UsageError(
            f"{folder} is there and not empty ({first!r} is in it); nothing was written:"
            " choose another name, or --folder"
        )


def make_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder that is empty or not there, all of them or none.

    Raises:
        OSError: That cannot be done; what was written is taken back.
    """
    made = _make_missing(folder.absolute())
    staged = Path(tempfile.mkdtemp(prefix=".agency-init-", dir=folder))
    moved: list[Path] = []
    try:
        for place, text in files.items():
            path = staged / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        for entry in sorted(staged.iterdir()):
            # One by one: what was moved before one fails must be known.
            moved.append(_moved(entry, folder / entry.name))  # noqa: PERF401
        staged.rmdir()
    except BaseException:
        _take_back([*moved, staged], made)
        raise


def _moved(path: Path, target: Path) -> Path:
    # Never onto what somebody else put there meanwhile.
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, f"{target.name} is there")
    return path.rename(target)


def _make_missing(folder: Path) -> list[Path]:
    """Make a folder and those above it; return what was not there, the innermost first."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        _take_back([], missing)
        raise
    return missing


def _take_back(written: list[Path], folders: list[Path]) -> None:
    for path in written:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    for folder in folders:
        # Somebody else may have put something into it.
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _name(options: InitOptions) -> str:
    if options.name is not None:
        return options.name
    named = None if options.folder is None else Path(os.path.abspath(options.folder)).name  # noqa: PTH100 - `..` too
    if not _is_terminal():
        if named is None:
            raise UsageError("the agency needs a name: agency init NAME")
        require_name(named)
        return named
    return _asked("Name of the agency", named or _USUAL_NAME, require_name)


def _template(options: InitOptions) -> str:
    if options.template is not None:
        return options.template
    if not _is_terminal():
        return _USUAL_TEMPLATE
    print_text(templates_text(TEMPLATES), sys.stderr)
    return _asked("Template", _USUAL_TEMPLATE, require_template)


def _model(options: InitOptions) -> str:
    if options.model is not None:
        return options.model
    if not _is_terminal():
        return DEFAULT_MODEL
    return _asked("Model (local needs no key)", DEFAULT_MODEL, lambda _model: None)


def _asked(question: str, usual: str, require: Callable[[str], None]) -> str:
    """Ask until the answer will do."""
    while True:
        answer = str(typer.prompt(question, default=usual, err=True)).strip()
        try:
            require(answer)
        except UsageError as error:
            print_error(str(error), sys.stderr)
        else:
            return answer


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
