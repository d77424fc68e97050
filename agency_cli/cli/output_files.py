"""The file that a final output is written to, where the manifest names one."""

from __future__ import annotations

import os
from pathlib import Path

from agency_cli.errors import RunFailed, UsageError
from agency_cli.loading import LoadedManifest


def require_place_for_output(loaded: LoadedManifest) -> None:
    """Make sure that the final output can be written, before anything is paid for.

    Raises:
        UsageError: It cannot be.
    """
    path = _path_of(loaded)
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fault = "it is a folder" if path.is_dir() else ""
        if not fault and not os.access(path if path.exists() else path.parent, os.W_OK):
            fault = "it may not be written"
    except OSError as error:
        fault = error.strerror or type(error).__name__
    if fault:
        place = loaded.place_of(("output_file",))
        raise UsageError(f"{place}: output_file: {loaded.manifest.output_file}: {fault}")


def write_output(loaded: LoadedManifest, output: str) -> None:
    """Write a final output into its file, whole or not at all.

    Raises:
        RunFailed: It cannot be written; the output is in the journal.
    """
    path = _path_of(loaded)
    if path is None:
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(output if output.endswith("\n") else f"{output}\n", encoding="utf-8")
        # Through a link, to what it leads to.
        beside.replace(path.resolve())
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise RunFailed(
            f"the final output could not be written to output_file {path}:"
            f" {error.strerror or error}; it is shown here, and kept in the journal"
        ) from error


def _path_of(loaded: LoadedManifest) -> Path | None:
    name = loaded.manifest.output_file
    return None if name is None else loaded.folder / name
