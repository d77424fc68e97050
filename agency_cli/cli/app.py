"""The command line, and the one place where an exception becomes an exit code."""

from __future__ import annotations

import copy
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer
from pydantic import ValidationError

from agency_cli import __version__
from agency_cli.cli.chat import chat
from agency_cli.cli.diff import diff
from agency_cli.cli.doctor import doctor
from agency_cli.cli.fmt import fmt
from agency_cli.cli.graph import graph
from agency_cli.cli.init import init
from agency_cli.cli.plan import plan
from agency_cli.cli.run import run
from agency_cli.cli.runs import app as runs_app
from agency_cli.cli.schema import schema
from agency_cli.cli.threads import app as threads_app
from agency_cli.cli.validate import validate
from agency_cli.errors import AgencyError, ExitCode, ManifestError
from agency_cli.input_faults import fault_in_words
from agency_cli.rendering.output import print_error, print_text

app = typer.Typer(
    name="agency",
    # Plain help and errors: Rich takes longer to import than the help takes to print.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(run)
app.command()(chat)
app.command()(validate)
app.command()(graph)
app.command()(diff)
app.command()(plan)
app.command()(doctor)
app.command()(init)
app.command()(fmt)
app.command()(schema)
app.add_typer(runs_app, name="runs")
app.add_typer(threads_app, name="threads")


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - what Typer calls it with
    if wanted:
        print_text(f"agency {__version__}", sys.stdout)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[  # noqa: FBT002 - a flag of the command line
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Run teams of AI agents that are written down in YAML: check, draw and run a manifest."""


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing is raised."""
    try:
        meant = _app_of(arguments)
        code = meant(list(arguments) or ["--help"], prog_name="agency", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the boundary: nothing passes it
        return _explain(error, arguments)
    if code == ExitCode.INTERRUPTED:
        # What Typer makes of Ctrl-C where no run is under way.
        print_error("interrupted", sys.stderr)
    return int(code or ExitCode.OK)


def _app_of(arguments: Sequence[str]) -> typer.Typer:
    """Return the app, if the line begins with a command with only that one.

    Typer prepares every command that it knows, which takes longer than most commands do.
    """
    name = arguments[0] if arguments else ""
    only = copy.copy(app)
    only.registered_commands = [
        info for info in app.registered_commands if info.callback and info.callback.__name__ == name
    ]
    only.registered_groups = [info for info in app.registered_groups if info.name == name]
    return only if only.registered_commands or only.registered_groups else app


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
            print_error(_usage(error), sys.stderr)
            return ExitCode.USAGE
        case KeyboardInterrupt() | typer.Abort():
            print_error("interrupted", sys.stderr)
            return ExitCode.INTERRUPTED
        case _ if BrokenPipeError in (type(error), type(error.__context__)):
            # Typer makes a SystemExit of it, in whose context it stands.
            return _nobody_reads()
        case _:
            return _explain_surprise(error, arguments)


def _explain_surprise(error: BaseException, arguments: Sequence[str]) -> int:
    if isinstance(error, SystemExit) and "_AGENCY_COMPLETE" in os.environ:
        # How Typer ends when it has completed a word for a shell.
        return ExitCode.OK
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EIO, errno.EBADF}:
        print_error(f"the output cannot be written: {error.strerror}", sys.stderr)
        return ExitCode.FAILED
    return _report_bug(error, arguments)


def _usage(error: typer.TyperException) -> str:
    # Only errors of usage know the command; Typer does not export their class.
    context = vars(error).get("ctx")
    command = context.command_path if context else "agency"
    said = error.format_message()
    if isinstance(error.__cause__, ValidationError):
        # Typer reads values with Pydantic, and says what that says.
        fault = error.__cause__.errors(include_url=False)[0]
        said = said.replace(error.message, fault_in_words(fault))
    return f"{said.rstrip('.')} (see `{command} --help`)"


def _nobody_reads() -> int:
    """End as any program does whose reader went away, such as `head`; there is nobody to tell."""
    # What is still buffered must not fail again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.NOBODY_READS


def _report_bug(error: BaseException, arguments: Sequence[str]) -> int:
    if "--verbose" in arguments:
        print_text("".join(traceback.format_exception(error)), sys.stderr)
    report = _write_report(error, arguments)
    print_error(f"this is a bug in agency; a report of it is in {report}", sys.stderr)
    return ExitCode.BUG


def _write_report(error: BaseException, arguments: Sequence[str]) -> str:
    """Write what is needed to find the bug, without the message or any variable."""
    import tempfile  # noqa: PLC0415 - rarely needed, and slow to import

    with tempfile.NamedTemporaryFile(
        "w", prefix="agency-bug-", suffix=".txt", delete=False, encoding="utf-8"
    ) as report:
        report.write(f"agency {__version__}, Python {sys.version}, {sys.platform}\n")
        report.write(f"command: {arguments[0] if arguments else '(none)'}\n\n")
        report.write("".join(traceback.format_exception(error)))
    return report.name
