"""The formats of texts that extra params can demand, each with what it holds a text against."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from ipaddress import IPv4Address, IPv6Address
from typing import Final
from urllib.parse import urlsplit

_LABEL: Final = r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)"
# Patterns are compiled at their first use: few manifests need one.
_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
# RFC 3339: with an offset, and a minute may have a leap second.
_TIME: Final = (
    r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?"
    r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
)
_DURATION: Final = (
    r"P(?=.)([0-9]+W|([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+S)?)?)"
)
_HOSTNAME: Final = rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*"
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_MAILBOX: Final = rf'(?=.{{1,64}}\Z)({_ATOM}(\.{_ATOM})*|"[^"\\]+")'
_UUID: Final = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.-]*:."
_OF_URIS: Final = r"([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"
_POINTER: Final = r"(/([^~/]|~[01])*)*"


def _is_date(text: str) -> bool:
    return bool(re.fullmatch(_DATE, text) and date.fromisoformat(text))


def _is_date_time(text: str) -> bool:
    return text[10:11] in {"T", "t"} and _is_date(text[:10]) and _matches(_TIME)(text[11:])


def _is_email(text: str) -> bool:
    mailbox, _, host = text.rpartition("@")
    return bool(re.fullmatch(_MAILBOX, mailbox) and re.fullmatch(_HOSTNAME, host))


def _is_ipv6(text: str) -> bool:
    # A zone is no part of an address.
    return "%" not in text and bool(IPv6Address(text))


def _is_uri(text: str) -> bool:
    return bool(re.match(_SCHEME, text)) and _is_uri_reference(text)


def _is_uri_reference(text: str) -> bool:
    parts = urlsplit(text)
    names_a_host = bool(parts.hostname) or parts.scheme not in {"http", "https"}
    return bool(re.fullmatch(_OF_URIS, text)) and names_a_host and parts.port != 0


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda text: bool(re.fullmatch(pattern, text))


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "date": _is_date,
    "time": _matches(_TIME),
    "date-time": _is_date_time,
    "duration": _matches(_DURATION),
    "email": _is_email,
    "hostname": _matches(_HOSTNAME),
    "ipv4": lambda text: bool(IPv4Address(text)),
    "ipv6": _is_ipv6,
    "uri": _is_uri,
    "uri-reference": _is_uri_reference,
    "uuid": _matches(_UUID),
    "regex": lambda text: bool(re.compile(text)),
    "json-pointer": _matches(_POINTER),
}
"""Says of a text whether it has the format; one that has not may raise ValueError too."""


def has_format(name: str, text: str) -> bool:
    """Say whether `text` has the format `name`, one of FORMATS."""
    try:
        return FORMATS[name](text)
    except (ValueError, OverflowError, RecursionError, re.error):
        return False
