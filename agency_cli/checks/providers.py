"""What a provider's declaration must say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from agency_cli.checks.subject import Subject
from agency_cli.errors import Problem

_EXAMPLE: Final = "`base_url: http://localhost:11434/v1`"
# `localhost:8801/v1` and `example.org`: all that is missing is the scheme.
_WITHOUT_SCHEME: Final = re.compile(r"[\w-]+(\.[\w-]+)*(:\d+)?(/\S*)?", re.ASCII)

_SPACE: Final = re.compile(r"[\s\x00-\x1f\x7f]")


def base_urls(subject: Subject) -> Iterator[Problem]:
    """The address of each provider is one that requests can be sent to."""
    for key, provider in subject.manifest.providers.items():
        # The address itself is not shown: it can come from a variable, and hold a password.
        fault = fault_of_url(provider.base_url)
        if fault:
            place = ("providers", key, "base_url")
            yield Problem(code="bad-url", message=fault, path=place)


def fault_of_url(url: str, example: str = _EXAMPLE) -> str:
    """Say what is wrong with an address and what to write; nothing where it is sound."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return f"this is no address of a server; write one such as {example}"
    if parts.scheme in ("http", "https"):
        if _SPACE.search(url):
            return "an address holds no spaces; remove them, or write %20"
        return "" if host else f"this address names no host; write one such as {example}"
    if _WITHOUT_SCHEME.fullmatch(url):
        return "an address begins with http:// or https://; put it before this one"
    return f"an address begins with http:// or https://; write one such as {example}"
