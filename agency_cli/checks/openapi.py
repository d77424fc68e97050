"""What the declaration of an HTTP service must say; its document is read later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agency_cli.checks.providers import fault_of_url
from agency_cli.checks.subject import Subject
from agency_cli.errors import Problem
from agency_cli.manifest import OpenApiTool

_DOCUMENT: Final = "`openapi: https://example.org/openapi.json`"
_SERVICE: Final = "`base_url: https://example.org/api`"


def addresses_of_services(subject: Subject) -> Iterator[Problem]:
    """The addresses of a document and of its service are such that requests can be sent there."""
    for key, tool in subject.manifest.tools.items():
        if not isinstance(tool, OpenApiTool):
            continue
        for word, url, example in (
            ("openapi", tool.openapi if tool.is_remote else None, _DOCUMENT),
            ("base_url", tool.base_url, _SERVICE),
        ):
            fault = "" if url is None else fault_of_url(url, example)
            if fault:
                yield Problem(code="bad-url", message=fault, path=("tools", key, word))
