"""The one way to lay a manifest out, with every comment and the author's order kept."""

from agency_cli.formatting.manifests import Unformattable, format_text
from agency_cli.formatting.replacing import replace_file

__all__ = ["Unformattable", "format_text", "replace_file"]
