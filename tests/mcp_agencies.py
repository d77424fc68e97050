"""Agencies with MCP servers: the real client, and real servers as programs of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVERS = Path(__file__).with_name("mcp_servers")
LONGEST = 30.0
"""Seconds after which a server does not start; no promise of speed."""


def stdio(script: str, *arguments: str) -> str:
    """Return the server part of a manifest, for a script that is spoken to over its streams."""
    args = ", ".join(f'"{each}"' for each in (SERVERS / script, *arguments))
    return f"command: python, args: [{args}]"


def one_agent(server: str, *, more: str = "") -> str:
    """Return the part of a manifest with one agent that has the tools of one server."""
    return f"""
        tools:
          desk: {{mcp: {{{server}}}{more}}}
        agents:
          clerk: {{instructions: You are the clerk., tools: [desk]}}
    """


@contextmanager
def serving(folder: Path, transport: str, port: int = 0) -> Iterator[str]:
    """Run the desk over HTTP; give its address."""
    port = port or _free_port()
    program = [sys.executable, str(SERVERS / "desk.py"), transport, str(port)]
    environ = {**os.environ, "DESK_FOLDER": str(folder)}
    process = subprocess.Popen(program, env=environ, stderr=subprocess.DEVNULL)
    try:
        _await_port(port)
        yield f"http://127.0.0.1:{port}/{'mcp' if transport == 'http' else 'sse'}"
    finally:
        process.kill()
        process.wait()


def is_running(pid: int) -> bool:
    """Say whether a process is there; one that has ended and waits for its parent is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def started(folder: Path) -> list[int]:
    """Return the processes of all desks that were started."""
    file = folder / "starts.txt"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_port(port: int) -> None:
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on {port}")
