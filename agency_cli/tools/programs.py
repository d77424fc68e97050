"""MCP servers as far as the manifest tells: who uses them, and what their programs lack."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from agency_cli.manifest import Manifest, McpServer, McpTool


def lacking(server: McpServer, folder: Path) -> str:
    """Return what a program that is to be started lacks, and what to do; nothing where all is."""
    if not folder_of(server, folder).is_dir():
        return f"there is no folder {server.folder}; make it, or correct `folder`"
    if shutil.which(program_of(server, folder)) is None:
        return f"there is no program {server.command!r} to run; install it, or correct `command`"
    return ""


def folder_of(server: McpServer, folder: Path) -> Path:
    """Return the working folder of a program."""
    return folder / (server.folder or ".")


def program_of(server: McpServer, folder: Path) -> str:
    """Return the program to start; `python` is the one that runs this."""
    command = server.command or ""
    if command == "python":
        return sys.executable
    if "/" in command:
        return str(folder_of(server, folder) / Path(command).expanduser())
    return command


def used_by(agents: Iterable[str], manifest: Manifest) -> list[str]:
    """Return the MCP servers that agents list, each once, in the order of the manifest."""
    names = {name for agent in agents for name in manifest.agents[agent].tools}
    return [
        key for key, spec in manifest.tools.items() if isinstance(spec, McpTool) and key in names
    ]
