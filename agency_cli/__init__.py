"""Runs teams of AI agents that are written down in YAML: version and public names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agency_cli.message_class import SendMessage

__version__ = "0.1.0"

__all__ = ["SendMessage", "__version__"]


def __getattr__(name: str) -> object:
    # Pydantic is not loaded for `agency --help`.
    if name == "SendMessage":
        from agency_cli.message_class import SendMessage  # noqa: PLC0415 - see above

        return SendMessage
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
