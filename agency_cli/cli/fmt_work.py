"""What `agency fmt` does with each file, and what it tells of them all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agency_cli.errors import ExitCode, ManifestError, UsageError
from agency_cli.formatting import Unformattable, format_text, replace_file
from agency_cli.loading.reading import LARGEST_FILE, decode_text, read_text
from agency_cli.rendering.formatting import Formatted, difference, outcome_line, summary_line
from agency_cli.rendering.output import print_document, print_error, print_text, printable

STDIN: Final = Path("-")
_SUFFIXES: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class FmtOptions:
    """What was asked for.

    Attributes:
        files: Files and folders; `-` is the standard input.
        check: Nothing is written, and a file that would change makes the exit code 1.
        diff: Nothing is written, and what would change is shown.
    """

    files: Sequence[Path]
    check: bool = False
    diff: bool = False

    @property
    def writes(self) -> bool:
        return not self.check and not self.diff


def format_files(options: FmtOptions) -> ExitCode:
    """Format every file, and return the exit code; one file that fails stops no other.

    Raises:
        UsageError: A folder holds no manifest, or the standard input is one file of several.
    """
    if STDIN in options.files:
        if len(options.files) > 1:
            raise UsageError("- stands for the standard input alone; name the files without it")
        return _format_stdin(options)
    paths = list(_distinct(path for name in options.files for path in _files_of(name)))
    outcomes = [_format_file(path, options) for path in paths]
    # What programs read, the difference, has the standard output for itself.
    stream = sys.stderr if options.diff else sys.stdout
    for path, outcome in zip(paths, outcomes, strict=True):
        if outcome is Formatted.CHANGED:
            print_text(outcome_line(str(path), written=options.writes), stream)
    print_text(summary_line(outcomes, written=options.writes), stream)
    return _exit_code(outcomes, options)


def _exit_code(outcomes: Sequence[Formatted], options: FmtOptions) -> ExitCode:
    if Formatted.FAULTY in outcomes:
        return ExitCode.USAGE
    would_change = options.check and Formatted.CHANGED in outcomes
    return ExitCode.FAILED if would_change or Formatted.LEFT in outcomes else ExitCode.OK


def _format_file(path: Path, options: FmtOptions) -> Formatted:
    shown = str(path)
    try:
        data, text = read_text(path, shown)
        after = format_text(text, shown)
        if after.encode() == data:
            return Formatted.SAME
        if options.diff:
            _show_difference(text, after, shown)
        if options.writes:
            replace_file(path, after.encode())
    except ManifestError as error:
        return _told_faulty(error)
    except Unformattable as reason:
        return _told_left(shown, reason)
    except OSError as error:
        print_error(f"cannot write {printable(shown)}: {error.strerror or error}", sys.stderr)
        return Formatted.FAULTY
    return Formatted.CHANGED


def _format_stdin(options: FmtOptions) -> ExitCode:
    shown = "<stdin>"
    data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    try:
        text = decode_text(data, shown)
        after = format_text(text, shown)
    except ManifestError as error:
        return _exit_code([_told_faulty(error)], options)
    except Unformattable as reason:
        return _exit_code([_told_left(shown, reason)], options)
    is_same = after.encode() == data
    if options.diff:
        _show_difference(text, after, shown)
    if options.writes:
        print_document(after, sys.stdout)
    return _exit_code([Formatted.SAME if is_same else Formatted.CHANGED], options)


def _show_difference(before: str, after: str, shown: str) -> None:
    if text := difference(before, after, shown):
        print_text(text, sys.stdout)


def _told_faulty(error: ManifestError) -> Formatted:
    for problem in error.problems:
        print_text(printable(str(problem)), sys.stderr)
    return Formatted.FAULTY


def _told_left(shown: str, reason: Unformattable) -> Formatted:
    print_error(f"{printable(shown)} is left as it is: {reason}", sys.stderr)
    return Formatted.LEFT


def _files_of(path: Path) -> Iterator[Path]:
    """Yield a file, or the YAML files below a folder, but for hidden ones."""
    if not path.is_dir():
        yield path
        return
    found = list(_yaml_files(path))
    if not found:
        raise UsageError(f"{path}: the folder holds no file that ends in .yaml; name the manifest")
    yield from found


def _yaml_files(top: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(top):
        # The walk goes on with what is left in this list.
        folders[:] = sorted(_visible(folders))
        yield from (Path(folder, name) for name in sorted(_visible(names)) if _is_yaml(name))


def _is_yaml(name: str) -> bool:
    return name.endswith(_SUFFIXES)


def _visible(names: Sequence[str]) -> list[str]:
    return [name for name in names if not name.startswith(".")]


def _distinct(paths: Iterator[Path]) -> Iterator[Path]:
    """Yield each file once, whatever it is called."""
    seen = set()
    for path in paths:
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield path
