"""The process: prepares the interpreter for a short life, then hands over to the command line."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line of this process and exit with its code."""
    # Imports and loading only allocate; collecting in between finds nothing and takes a tenth
    # of the time of a short command. `run` turns the collector on again.
    gc.disable()
    # Looking for Pydantic plugins reads the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from agency_cli.cli.app import run_command_line  # noqa: PLC0415 - after the settings above

    sys.exit(run_command_line(sys.argv[1:]))


if __name__ == "__main__":
    main()
