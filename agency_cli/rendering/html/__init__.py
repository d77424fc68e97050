"""A run as one page of HTML that loads nothing."""

from agency_cli.rendering.html.page import run_page

__all__ = ["run_page"]
