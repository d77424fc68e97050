"""The final output: Markdown drawn on a terminal, the exact text everywhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TextIO

from agency_cli.rendering.glyphs import UNICODE, glyphs_for
from agency_cli.rendering.output import print_text
from agency_cli.rendering.printable import lines_of
from agency_cli.rendering.watching import can_draw


def print_answer(text: str, stdout: TextIO, environ: Mapping[str, str]) -> None:
    """Write the final output of a run."""
    if not stdout.isatty():
        print_text(text, stdout)
        return
    shown = "\n".join(lines_of(text))
    draws = can_draw(stdout, environ) and glyphs_for(stdout.encoding or "utf-8") is UNICODE
    if draws and not _is_data(text):
        # Rich takes long to import, and Markdown longest of it.
        from agency_cli.rendering.markdown import print_markdown  # noqa: PLC0415 - see above

        print_markdown(shown, stdout, environ)
    else:
        print_text(shown, stdout)


def _is_data(text: str) -> bool:
    """Tell whether a text is JSON, which is no prose to lay out."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
