"""The process: prepares the interpreter for a short life, runs the command line, and leaves."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from pathlib import Path


def main() -> None:
    """Run the command line of this process and exit with its code."""
    _open_missing_streams()
    # Imports and loading only allocate; collecting in between finds nothing and takes a tenth
    # of the time of a short command. `run` turns the collector on again.
    gc.disable()
    # Looking for Pydantic plugins reads the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from agency_cli.cli.app import run_command_line  # noqa: PLC0415 - after the settings above

    _leave(run_command_line(sys.argv[1:]))


def _open_missing_streams() -> None:
    """Give a process that was started without standard streams ones that lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if sys.__dict__[name] is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - for good
            setattr(sys, name, stream)


def _leave(code: int) -> None:
    """Exit at once, with what is registered for exit done and all output written.

    Taking the SDK apart module by module takes a quarter of a second, and a tool that hangs in a
    thread would keep a process that waits for its threads from ever ending.
    """
    atexit._run_exitfuncs()  # noqa: SLF001 - the only name that it has
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
