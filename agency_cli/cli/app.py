"""The command line, and the one place where an exception becomes an exit code."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from agency_cli import __version__
from agency_cli.cli.chat import chat
from agency_cli.cli.graph import graph
from agency_cli.cli.run import run
from agency_cli.cli.threads import app as threads_app
from agency_cli.cli.validate import validate
from agency_cli.errors import AgencyError, ExitCode, ManifestError
from agency_cli.rendering.output import print_error, print_text

app = typer.Typer(
    name="agency",
    help="Run teams of AI agents that are written down in YAML: check, draw and run a manifest.",
    no_args_is_help=True,
    # Plain help and errors: Rich takes longer to import than the help takes to print.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(run)
app.command()(chat)
app.command()(validate)
app.command()(graph)
app.add_typer(threads_app, name="threads")


@app.callback()
def _options(
    version: Annotated[  # noqa: FBT002 - a flag of the command line
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)
    ] = False,
) -> None:
    if version:
        print_text(f"agency {__version__}", sys.stdout)
        raise typer.Exit


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing is raised."""
    try:
        code = app(list(arguments), prog_name="agency", standalone_mode=False)
        sys.stdout.flush()
    except typer.Exit as leave:
        return leave.exit_code
    except (BrokenPipeError, SystemExit):
        # The reader of our output went away, as `head` does; there is nobody to tell. Typer makes
        # a SystemExit of it, and of nothing else.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except BaseException as error:  # noqa: BLE001 - the boundary: nothing passes it
        return _explain(error, arguments)
    return int(code or ExitCode.OK)


def _explain(error: BaseException, arguments: Sequence[str]) -> int:
    """Tell the person what went wrong, and return the exit code for it."""
    match error:
        case ManifestError():
            print_text(str(error), sys.stderr)
            return error.exit_code
        case AgencyError():
            print_error(str(error), sys.stderr)
            return error.exit_code
        case typer.TyperException():
            print_error(f"{error.format_message()} (see `agency --help`)", sys.stderr)
            return ExitCode.USAGE
        case KeyboardInterrupt() | typer.Abort():
            print_error("interrupted", sys.stderr)
            return ExitCode.INTERRUPTED
        case _:
            if "--verbose" in arguments:
                print_text("".join(traceback.format_exception(error)), sys.stderr)
            report = _write_report(error, arguments)
            print_error(f"this is a bug in agency; a report of it is in {report}", sys.stderr)
            return ExitCode.BUG


def _write_report(error: BaseException, arguments: Sequence[str]) -> str:
    """Write what is needed to find the bug, without the message or any variable."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="agency-bug-", suffix=".txt", delete=False, encoding="utf-8"
    ) as report:
        report.write(f"agency {__version__}, Python {sys.version}, {sys.platform}\n")
        report.write(f"command: {arguments[0] if arguments else '(none)'}\n\n")
        report.write("".join(traceback.format_exception(error)))
    return report.name
