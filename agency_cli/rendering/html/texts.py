"""Foreign texts on a page: control characters written out, Markdown drawn, JSON laid out."""

from __future__ import annotations

import json
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from agency_cli.rendering.printable import lines_of

LONGEST_TEXT = 200_000
"""Characters of one text on the page; what is beyond is counted."""
LONGEST_MARKDOWN = 50_000
"""Characters of an answer that is drawn; a longer one stands as it was written."""
HEADING_SHIFT = 2
"""The page has headings of its own above those of an answer."""


def printed(value: object) -> object:
    """Return what a template may write of a value; escaping it is left to the template."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return "\n".join(lines_of(value))
    return value


def laid_out(text: str) -> str:
    """Return a text as it is read best: JSON indented, everything else as it is; cut if huge."""
    if len(text) > LONGEST_TEXT:
        return f"{text[:LONGEST_TEXT]}\n[{len(text) - LONGEST_TEXT:,} more characters]"
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = json.loads(text)
        return json.dumps(value, ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def drawn_markdown(text: str) -> Markup | None:
    """Return Markdown as HTML in which nothing of the text is markup, a link or an image.

    None where it is not Markdown to be drawn: JSON, or too long.
    """
    if len(text) > LONGEST_MARKDOWN or text.lstrip().startswith(("{", "[")):
        return None
    parser = _parser()
    tokens = parser.parse(str(printed(text)))
    for token in tokens:
        _fit(token)
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - see `_parser`


def _fit(token: Token) -> None:
    # Alignment comes as a style, which the page's policy would refuse.
    token.attrs.pop("style", None)
    if token.type in {"heading_open", "heading_close"}:
        token.tag = f"h{min(int(token.tag[1:]) + HEADING_SHIFT, 6)}"


@cache
def _parser() -> MarkdownIt:
    """Return a parser that escapes all HTML; links and images stay as they were typed."""
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    return parser.enable(["table", "strikethrough"]).disable(
        ["link", "image", "autolink", "reference"]
    )
