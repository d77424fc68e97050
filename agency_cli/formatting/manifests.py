"""From the text of a manifest to the same text, laid out; nothing that it says changes."""

from __future__ import annotations

from typing import Any

import yaml

from agency_cli.formatting.layout import Layout
from agency_cli.formatting.reading import Unformattable
from agency_cli.loading.composing import compose

__all__ = ["Unformattable", "format_text"]

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


def format_text(text: str, shown: str) -> str:
    """Return a manifest's text in the one layout.

    Args:
        text: Without a byte order mark.
        shown: The file as messages name it.

    Raises:
        ManifestError: It is not YAML, or not one mapping.
        Unformattable: What it says, or a comment in it, would not come out the same.
    """
    compose(text, shown)
    before = text.replace("\r\n", "\n").replace("\r", "\n")
    layout = Layout(before)
    after = layout.text()
    if not _is_faithful(before, layout, after):
        raise Unformattable("it could not be laid out without a change of what it says")
    return after


def _is_faithful(before: str, layout: Layout, after: str) -> bool:
    """Tell whether the new text says the same, has the same comments, and would now stay."""
    try:
        again = Layout(after)
        is_same = _meaning(after) == _meaning(before)
    except (yaml.YAMLError, Unformattable):
        return False
    return is_same and again.comments == layout.comments and again.text() == after


def _meaning(text: str) -> list[tuple[Any, ...]]:
    """Return all that a text says to a reader of YAML, but not how it is laid out."""
    return [
        (
            type(event),
            *(
                getattr(event, name, None)
                for name in ("anchor", "tag", "implicit", "value", "flow_style", "explicit")
            ),
        )
        for event in yaml.parse(text, Loader=_LOADER)
    ]
