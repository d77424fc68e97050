"""Tools that come with the program: files, a shell, HTTP, questions to the person."""

from pathlib import Path

from agents import FunctionTool

from agency_cli.manifest import AskUserTool, FilesTool, HttpTool, ShellTool
from agency_cli.tools.builtin.ask_user import ask_user_tools
from agency_cli.tools.builtin.files import files_tools
from agency_cli.tools.builtin.http import http_tools
from agency_cli.tools.builtin.shell import shell_tools


def builtin_tools(
    spec: FilesTool | ShellTool | HttpTool | AskUserTool, folder: Path
) -> list[FunctionTool]:
    """Return the tools that a declaration brings.

    Args:
        spec: What the manifest says.
        folder: That of the manifest.
    """
    match spec:
        case FilesTool():
            return files_tools(spec, folder)
        case ShellTool():
            return shell_tools(spec, folder)
        case HttpTool():
            return http_tools(spec)
        case AskUserTool():
            return ask_user_tools(spec)


__all__ = ["builtin_tools"]
