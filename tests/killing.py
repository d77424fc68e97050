"""A program that runs command lines of `agency` in forks of itself, and kills them on request.

One line of JSON in: `{"arguments": [...], "rows": N, "seconds": S}`. The fork runs the command
line, and is killed with SIGKILL right after it has committed the Nth row of a journal, or after so
many seconds; without N and S it lives, and one that hangs is ended with where it hung in `err`.
One line of JSON out: `{"code": ..., "out": ..., "err": ...,
"seconds": ...}`; a fork that was killed has the code -9. What takes long is imported once,
which is what makes hundreds of command lines bearable.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import genai_prices  # noqa: F401 - imported before the forks
import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool

import agency_cli.building
import agency_cli.cli.resuming
import agency_cli.running  # noqa: F401 - imported before the forks
from agency_cli.cli.app import run_command_line
from agency_cli.models.warming import warm_up

# Seconds after which a command line that is not to be killed counts as hanging.
HANGS = 120


def main() -> None:
    warm_up()
    for line in sys.stdin:
        asked = json.loads(line)
        answer = in_a_fork(**asked)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def in_a_fork(
    arguments: list[str], rows: int | None = None, seconds: float | None = None
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        # It may be killed before it opens them.
        out.touch()
        err.touch()
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _become(arguments, rows, out, err)
        status = _status_of(child, None if seconds is None else began + seconds)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "out": out.read_text(),
            "err": err.read_text(),
            "seconds": time.monotonic() - began,
        }


def _status_of(child: int, deadline: float | None) -> int:
    """Wait for `child`, and kill it at `deadline`; without one, end it where it hangs."""
    last = time.monotonic() + HANGS if deadline is None else deadline
    while time.monotonic() < last:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.002)
    # The child stays there, dead or alive, until it is waited for.
    os.kill(child, signal.SIGABRT if deadline is None else signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _become(arguments: list[str], rows: int | None, out: Path, err: Path) -> None:
    code = 70
    with contextlib.suppress(BaseException):
        for path, number in ((os.devnull, 0), (str(out), 1), (str(err), 2)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        faulthandler.enable(sys.stderr)
        if rows is not None:
            kill_after(rows)
        code = run_command_line(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def kill_after(rows: int) -> None:
    """Kill this process once so many rows of a journal are committed, before anything follows."""
    written = 0

    def kill(*_: object) -> None:
        if written >= rows:
            os.kill(os.getpid(), signal.SIGKILL)

    def count(_connection: object, cursor: Any, statement: str, *_: object) -> None:
        nonlocal written
        written += statement.startswith("INSERT INTO journal")
        if not in_transaction(cursor.connection):
            # A statement that is a transaction of its own.
            kill()

    event.listen(Engine, "after_cursor_execute", count)
    # A connection comes back to the pool when its transaction is committed.
    event.listen(Pool, "checkin", kill)


def in_transaction(connection: Any) -> bool:
    if isinstance(connection, psycopg.Connection):
        return connection.info.transaction_status != TransactionStatus.IDLE
    return bool(connection.in_transaction)


if __name__ == "__main__":
    main()
