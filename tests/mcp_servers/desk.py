"""A real MCP server with many kinds of tools: `desk.py stdio`, or `desk.py http|sse PORT`."""

import asyncio
import base64
import os
import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

server = MCPServer("desk", log_level="ERROR")
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADh"
    "gGAWjR9awAAAABJRU5ErkJggg=="
)
PLACE = Path(os.environ.get("DESK_FOLDER", "."))
print("the desk is open; key:", os.environ.get("DESK_KEY", "none"), file=sys.stderr, flush=True)
with (PLACE / "starts.txt").open("a") as starts:
    starts.write(f"{os.getpid()}\n")


@server.tool()
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def note(text: str) -> str:
    """Write a line down."""
    with (PLACE / "notes.txt").open("a") as notes:
        notes.write(f"{text}\n")
    return f"noted {text}"


@server.tool(structured_output=False)
def env(name: str) -> str:
    """Return a variable of the environment."""
    return os.environ.get(name, "(unset)")


@server.tool()
def fail(reason: str) -> str:
    """Fail."""
    raise ToolError(reason)


@server.tool()
async def sleep(seconds: float) -> str:
    """Sleep."""
    await asyncio.sleep(seconds)
    return f"slept {seconds}"


inside: list[int] = []


@server.tool()
async def by_itself(number: int) -> str:
    """Tell whether nobody else is here meanwhile."""
    inside.append(number)
    most = 0
    for _ in range(20):
        most = max(most, len(inside))
        await asyncio.sleep(0.01)
    inside.remove(number)
    return "alone" if most == 1 else "crowded"


waiting: list[asyncio.Event] = []


@server.tool()
async def meet(name: str) -> str:
    """Wait until somebody else is here."""
    waiting.append(asyncio.Event())
    if len(waiting) > 1:
        for each in waiting:
            each.set()
    await waiting[-1].wait()
    return f"{name} met"


@server.tool()
def die() -> str:
    """End the server at once."""
    print("something broke badly", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool(structured_output=False)
def picture() -> Image:
    """Return an image."""
    return Image(data=base64.b64decode(PIXEL), format="png")


@server.tool(structured_output=False)
def mixed() -> CallToolResult:
    """Return one of each."""
    text = TextResourceContents(uri="file:///a.txt", text="inside", mimeType="text/plain")
    blob = BlobResourceContents(uri="file:///b.bin", blob="AAAA", mimeType="application/zip")
    return CallToolResult(
        content=[
            TextContent(type="text", text="look"),
            ImageContent(type="image", data=PIXEL, mimeType="image/png"),
            AudioContent(type="audio", data="AAAA", mimeType="audio/wav"),
            EmbeddedResource(type="resource", resource=text),
            EmbeddedResource(type="resource", resource=blob),
        ]
    )


@server.tool(structured_output=False)
def structured() -> CallToolResult:
    """Return structured content alone."""
    return CallToolResult(content=[], structuredContent={"up": True})


@server.tool(structured_output=False)
def long(characters: int) -> str:
    """Return a long text."""
    return "x" * characters


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["stdio"]:
            server.run()
        case ["http", port]:
            server.run("streamable-http", port=int(port))
        case ["sse", port]:
            server.run("sse", port=int(port))
