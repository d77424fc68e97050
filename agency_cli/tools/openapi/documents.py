"""From a file or an address to a document of plain values; nothing in it grows without bound."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import yaml

from agency_cli.checks.nearest import did_you_mean_file
from agency_cli.errors import one_line
from agency_cli.loading.scalars import resolve
from agency_cli.tools.openapi.faults import BrokenDocument, NotFetched

LARGEST_DOCUMENT: Final = 20_000_000
"""Bytes."""
MOST_VALUES: Final = 3_000_000
"""Values of a document, those that its aliases stand for counted in."""
DEEPEST: Final = 200
"""Mappings and lists in each other."""
PATIENCE: Final = 30.0
"""Seconds for a document to be fetched."""
_TEXT: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "tag:yaml.org,2002:merge"


def read_document(path: Path, shown: str) -> dict[str, Any]:
    """Return the document in a file.

    Args:
        path: Where it is.
        shown: The file as the manifest, or a document, names it.

    Raises:
        BrokenDocument: It is missing, cannot be read, is too large, or is no document.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_DOCUMENT + 1)
    except FileNotFoundError:
        hint = did_you_mean_file(path.name, _names_beside(path))
        raise BrokenDocument(f"the file {shown!r} does not exist{hint}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BrokenDocument(f"the file {shown!r} cannot be read: {reason}") from None
    return parsed(data, shown)


def shown_name(place: str) -> str:
    """Return a file as it is, and an address without what may be secret in it."""
    scheme, separator, rest = place.partition("://")
    if not separator:
        return place
    host, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def fetch_document(url: str) -> dict[str, Any]:
    """Return the document at an address. No header of the manifest is sent for it.

    Raises:
        NotFetched: The server cannot be reached, or does not give it.
        BrokenDocument: What it gives is no document, or too large.
    """
    import httpx2  # noqa: PLC0415 - few documents are fetched

    shown = shown_name(url)
    data = bytearray()
    try:
        with (
            httpx2.Client(timeout=PATIENCE, follow_redirects=True) as client,
            client.stream("GET", url) as response,
        ):
            if not response.is_success:
                status = f"{response.status_code} {response.reason_phrase}".strip()
                raise NotFetched(f"{shown} cannot be fetched: HTTP {status}; check the address")
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > LARGEST_DOCUMENT:
                    break
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        reason = one_line(error) or type(error).__name__
        advice = "check the address and the network, or name a file"
        raise NotFetched(f"{shown} cannot be fetched: {reason}; {advice}") from error
    return parsed(bytes(data), shown)


def parsed(data: bytes, shown: str) -> dict[str, Any]:
    """Return the document in JSON or YAML, its keys as texts.

    Raises:
        BrokenDocument: It is neither, no mapping, or grows or nests beyond the limits.
    """
    if len(data) > LARGEST_DOCUMENT:
        size = LARGEST_DOCUMENT // 1_000_000
        raise BrokenDocument(f"{shown} is larger than {size} MB; cut it down to what is needed")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"{shown} is not UTF-8 (byte {error.start}); save it as UTF-8"
        raise BrokenDocument(what) from None
    try:
        value = _loaded(text, shown)
        plain = _Plain(shown).copy(value, 0)
    except RecursionError:
        raise BrokenDocument(f"{shown} nests too deep") from None
    if not isinstance(plain, dict):
        raise BrokenDocument(f"{shown} holds no mapping; a document begins with `openapi:`")
    return plain


def _loaded(text: str, shown: str) -> object:
    if text.lstrip()[:1] == "{":
        try:
            return json.loads(text)
        except ValueError:
            # It may be YAML that begins with a mapping in braces.
            pass
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - derived from the safe one
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{shown}:{mark.line + 1}:{mark.column + 1}" if mark else shown
        reason = getattr(error, "problem", None) or one_line(error)
        raise BrokenDocument(f"{place} is neither JSON nor YAML: {reason}") from None
    except ValueError as error:
        # Such as a tag of a date that is none.
        raise BrokenDocument(f"{shown} is not sound YAML: {one_line(error)}") from None


class _Loader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
    """Scalars mean what they do in YAML 1.2, so that dates and `no` stay texts."""

    yaml_implicit_resolvers: Final = {"<": [(_MERGE, re.compile("^<<$"))]}


def _scalar(_loader: _Loader, node: yaml.ScalarNode) -> object:
    return resolve(node.value) if node.style is None else node.value


_Loader.add_constructor(_TEXT, _scalar)


class _Plain:
    """Copies values, with every key a text; aliases are counted as often as they stand."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._left = MOST_VALUES

    def copy(self, value: object, depth: int) -> object:
        self._left -= 1
        if self._left < 0 or depth > DEEPEST:
            how = "grows" if self._left < 0 else "nests"
            raise BrokenDocument(f"{self._shown} {how} beyond all bounds, perhaps by its aliases")
        match value:
            case dict():
                return {_key(key): self.copy(each, depth + 1) for key, each in value.items()}
            case list():
                return [self.copy(each, depth + 1) for each in value]
            case str() | bool() | int() | float() | None:
                return value
            case _:
                # Such as what a tag makes of a date.
                return str(value)


def _key(key: object) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    return "null" if key is None else str(key)


def _names_beside(path: Path) -> list[str]:
    try:
        return [each.name for each in path.parent.iterdir() if each.is_file()]
    except (OSError, ValueError):
        return []
