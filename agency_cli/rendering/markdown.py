"""Markdown on a terminal, with nothing of a model's text left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TextIO

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax

from agency_cli.rendering.live import WIDEST, terminal


def print_markdown(text: str, stdout: TextIO, environ: Mapping[str, str]) -> None:
    """Draw a text without control characters, at most as wide as is good to read."""
    console = terminal(stdout, environ)
    console.print(_Answer(text), width=min(console.width, WIDEST))


class _LeftHeading(Heading):
    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _Code(CodeBlock):
    """A code block in the terminal's own colours, on its own background."""

    THEME = ANSISyntaxTheme(
        {
            ("Comment",): Style(dim=True),
            ("Keyword",): Style(bold=True),
            ("Literal", "String"): Style(color="green"),
            ("Name", "Function"): Style(color="cyan"),
            ("Name", "Class"): Style(color="cyan"),
        }
    )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme=self.THEME, word_wrap=True, padding=(0, 2))


class _Answer(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _Code,
        "code_block": _Code,
    }

    def __init__(self, text: str) -> None:
        super().__init__(text)
        for token in self.parsed:
            if token.type == "html_block":
                # Rich leaves HTML out; for a model it is text like any other.
                token.type = "code_block"
            for inline in token.children or ():
                if inline.type == "html_inline":
                    inline.type = "text"
                elif inline.type == "softbreak":
                    # Models break lines where they mean it.
                    inline.type = "hardbreak"
