"""The built-in `shell` tool: one command, its output, and nothing left running."""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agents import FunctionTool, function_tool

from agency_cli.foreign import ToolRefused
from agency_cli.manifest import ShellTool

USUAL_SECONDS = 120.0
"""How long a command may take where the manifest says nothing."""
MOST_KEPT = 20_000
"""Bytes that are kept of the beginning of an output, and as many of its end."""
TO_CLOSE = 0.5
"""Seconds in which what a command has left behind may still write."""
_CHUNK = 65_536
SECRET_NAMES = ("*_KEY", "*_TOKEN", "*SECRET*", "*PASSWORD*", "*CREDENTIALS*", "PGPASSWORD")
"""Patterns of variables that commands do not get unless they are named."""


def shell_tools(spec: ShellTool, folder: Path) -> list[FunctionTool]:
    """Return `run_command`; a person must agree to its calls unless the manifest says otherwise."""
    place = folder / (spec.folder or ".")
    seconds = spec.timeout_seconds or USUAL_SECONDS

    async def run_command(command: str) -> str:
        """Run a command in a shell, and return what it wrote and its exit code.

        Args:
            command: The command, as it would be typed; nothing can be typed while it runs.
        """
        return await run(command, place, seconds, environment(os.environ, spec.env))

    return [
        function_tool(
            run_command,
            description_override=spec.description,
            failure_error_function=None,
            needs_approval=True,
        )
    ]


def environment(variables: Mapping[str, str], wanted: list[str]) -> dict[str, str]:
    """Return the variables that a command gets: all but those whose names look like secrets.

    Args:
        variables: All there are.
        wanted: Names of those that it gets in any case.
    """
    return {
        name: value
        for name, value in variables.items()
        if name in wanted
        or not any(fnmatch.fnmatchcase(name.upper(), pattern) for pattern in SECRET_NAMES)
    }


async def run(command: str, place: Path, seconds: float, variables: Mapping[str, str]) -> str:
    """Run a command until it ends, or for so many seconds; whatever it started is ended too.

    Raises:
        ToolRefused: It cannot be started there.
    """
    if "\0" in command:
        raise ToolRefused("a command cannot hold a NUL character")
    # A pipe of our own: the end of one that asyncio makes is waited for with that of the process.
    async with _pipe() as (stream, writing):
        process = await _started(command, place, variables, writing)
        output = Output()
        reading = asyncio.create_task(output.read(stream))
        late = await _finished(process, reading, seconds)
    code = process.returncode
    what = late or (f"exit code {code}" if code else "")
    told = [part for part in (output.text(), f"[{what}]" if what else "") if part]
    return "\n".join(told) or "[it wrote nothing; exit code 0]"


@asynccontextmanager
async def _pipe() -> AsyncIterator[tuple[asyncio.StreamReader, int]]:
    reading, writing = os.pipe()
    stream = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb", 0)
    )
    try:
        yield stream, writing
    finally:
        transport.close()


async def _started(
    command: str, place: Path, variables: Mapping[str, str], writing: int
) -> asyncio.subprocess.Process:
    try:
        await asyncio.to_thread(place.mkdir, parents=True, exist_ok=True)
        return await asyncio.create_subprocess_shell(
            command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            cwd=place,
            env=variables,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolRefused(f"the command cannot be started: {error.strerror}") from error
    finally:
        os.close(writing)


async def _finished(
    process: asyncio.subprocess.Process, reading: asyncio.Task[None], seconds: float
) -> str:
    """Wait for a process, and end what it leaves behind; say so where it took too long."""
    try:
        async with asyncio.timeout(seconds):
            await process.wait()
    except TimeoutError:
        return f"it was stopped after {seconds:g} s, before it had ended"
    else:
        return ""
    finally:
        _end_all(process)
        await _ended(process, reading)


@dataclass
class Output:
    """What a command writes, of which the beginning and the end are kept."""

    head: bytearray = field(default_factory=bytearray)
    tail: deque[bytes] = field(default_factory=deque)
    _in_tail: int = 0
    _whole: int = 0

    async def read(self, stream: asyncio.StreamReader) -> None:
        """Take in all that comes; however much it is, the command is not held up."""
        while chunk := await stream.read(_CHUNK):
            self._whole += len(chunk)
            space = MOST_KEPT - len(self.head)
            self.head += chunk[:space] if space > 0 else b""
            if rest := chunk[max(space, 0) :]:
                self.tail.append(rest)
                self._in_tail += len(rest)
            while self._in_tail - len(self.tail[0] if self.tail else b"") >= MOST_KEPT:
                self._in_tail -= len(self.tail.popleft())

    def text(self) -> str:
        """Return it as text; what is cut out is told, and what is no text is replaced."""
        tail = b"".join(self.tail)[-MOST_KEPT:]
        missing = self._whole - len(self.head) - len(tail)
        end = tail.decode(errors="replace")
        middle = f"\n[cut here: {missing:,} bytes]\n" if missing else ""
        return f"{self.head.decode(errors='replace')}{middle}{end}".rstrip("\n")


def _end_all(process: asyncio.subprocess.Process) -> None:
    """End the process and whatever it started; those that made a group of their own live on."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


async def _ended(process: asyncio.subprocess.Process, reading: asyncio.Task[None]) -> None:
    """Wait for the end of a process that was told to end, and for the last that it wrote."""
    try:
        await asyncio.wait((reading,), timeout=TO_CLOSE)
        await process.wait()
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
