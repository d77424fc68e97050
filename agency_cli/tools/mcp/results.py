"""What MCP servers give back, as models read it: texts and images; all else is told in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agents import ToolOutputImage, ToolOutputText
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from agency_cli.foreign import ToolRefused

LONGEST_ERROR = 20_000
"""Characters of an error that a model is told."""
LARGEST_IMAGE = 8_000_000
"""Characters in base64; what is larger no provider takes."""


class ServerSaid(ToolRefused):
    """What a server says went wrong with a call; the text is its own."""


def plain(result: CallToolResult) -> CallToolResult:
    """Return a result with texts and images alone.

    Raises:
        ServerSaid: The server says that the call failed.
    """
    content: list[ContentBlock] = [_block(each) for each in result.content]
    if not content and result.structured_content is not None:
        text = json.dumps(result.structured_content, ensure_ascii=False)
        content = [TextContent(type="text", text=text)]
    if result.is_error:
        texts = [each.text for each in content if isinstance(each, TextContent)]
        raise ServerSaid("\n".join(texts)[:LONGEST_ERROR] or "the server gives no reason")
    return result.model_copy(update={"content": content})


def readable(output: Any) -> object:
    """Return what the SDK makes of a plain result: a text, an image, or a list with both."""
    parts = [_part(each) for each in (output if isinstance(output, list) else [output])]
    if not any(isinstance(part, ToolOutputImage) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, ToolOutputText))
    return parts[0] if len(parts) == 1 else parts


def _part(output: Mapping[str, Any]) -> ToolOutputText | ToolOutputImage:
    if output["type"] == "text":
        return ToolOutputText(text=output["text"])
    return ToolOutputImage(image_url=output["image_url"])


def _block(block: ContentBlock) -> ContentBlock:
    match block:
        case TextContent():
            return block
        case ImageContent() if len(block.data) <= LARGEST_IMAGE:
            return block
        case ImageContent() | AudioContent():
            text = _left_out(block.mime_type, block.data)
        case ResourceLink():
            text = f"{block.name}: {block.uri}"
        case EmbeddedResource():
            text = _resource(block.resource)
    return TextContent(type="text", text=text)


def _resource(resource: TextResourceContents | BlobResourceContents) -> str:
    if isinstance(resource, TextResourceContents):
        return f"{resource.uri}:\n{resource.text}"
    return _left_out(f"{resource.uri}, {resource.mime_type or 'bytes'}", resource.blob)


def _left_out(what: str, base64: str) -> str:
    return f"[left out: {what}, {len(base64) * 3 // 4:,} bytes]"
