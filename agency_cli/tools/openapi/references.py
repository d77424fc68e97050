"""Where `$ref` leads: within the document, to files beside it, and elsewhere only if allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

from referencing import Registry, Resource, Specification
from referencing.exceptions import Unresolvable

from agency_cli.tools.openapi.documents import fetch_document, read_document, shown_name
from agency_cli.tools.openapi.faults import BrokenDocument, NoTool

MOST_HOPS: Final = 50
"""How many references may follow one another."""


@dataclass(frozen=True, slots=True)
class Part:
    """A value of a document.

    Attributes:
        value: The value.
        base: Address of the document that it stands in; its references start from there.
    """

    value: Any
    base: str

    def at(self, key: str) -> Part:
        """Return what stands at a key; None where there is nothing."""
        return Part(self.value.get(key) if isinstance(self.value, Mapping) else None, self.base)


@dataclass(slots=True)
class References:
    """Finds what references of one document lead to.

    Attributes:
        home: Address of the document.
        document: Its content.
        remote: Whether references may lead to anywhere on the network.
    """

    home: str
    document: Mapping[str, Any]
    remote: bool
    _registry: Registry[Any] = field(init=False)
    _read: dict[str, Resource[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Its keyword is not seen by mypy, as its class is made by a wrapper of attrs.
        registry: Registry[Any] = Registry(retrieve=self._retrieve)  # type: ignore[call-arg]
        self._registry = registry.with_resource(self.home, _opaque(self.document))

    @property
    def root(self) -> Part:
        return Part(self.document, self.home)

    def target(self, ref: str, base: str) -> tuple[str, Part]:
        """Return the address that a reference stands for, and what is there.

        Raises:
            NoTool: Nothing is there, or it may not be looked at.
        """
        address = urljoin(base, ref)
        document, fragment = urldefrag(address)
        if fragment and not fragment.startswith("/"):
            raise NoTool(f"$ref {ref!r} names an anchor; only paths such as '#/components' work")
        try:
            found = self._registry.resolver(base_uri=base).lookup(ref)
        except (Unresolvable, ValueError) as error:
            raise NoTool(_reason(error, ref)) from None
        return address, Part(found.contents, document)

    def followed(self, part: Part) -> Part:
        """Return what a part is where it is a reference, and else the part itself.

        Raises:
            NoTool: The reference leads nowhere, or in a circle.
        """
        hops = 0
        while isinstance(part.value, Mapping) and isinstance(part.value.get("$ref"), str):
            hops += 1
            if hops > MOST_HOPS:
                raise NoTool(f"$ref {part.value['$ref']!r} leads in a circle")
            _, part = self.target(part.value["$ref"], part.base)
        return part

    def _retrieve(self, uri: str) -> Resource[Any]:
        if uri not in self._read:
            self._read[uri] = _opaque(self._reader_of(uri)())
        return self._read[uri]

    def _reader_of(self, uri: str) -> Callable[[], Mapping[str, Any]]:
        """Return what reads a document.

        Raises:
            BrokenDocument: It may not be read.
        """
        parts = urlsplit(uri)
        if parts.scheme in {"http", "https"}:
            if self.remote or _is_beside(uri, self.home):
                return lambda: fetch_document(uri)
            raise BrokenDocument(
                f"{shown_name(uri)} is elsewhere; allow that with `remote_refs: true`"
            )
        path = file_of(uri)
        if not self.home.startswith("file:") or path is None:
            raise BrokenDocument(f"{uri} is no address that can be read")
        if not path.is_relative_to(_folder_of(self.home)):
            raise BrokenDocument(f"{path} lies outside the document's folder; move it there")
        return lambda: read_document(path, str(path))


def file_of(uri: str) -> Path | None:
    """Return the file that an address stands for, links followed; None where it is no file's."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc:
        return None
    return Path(url2pathname(parts.path)).resolve()


def _folder_of(home: str) -> Path:
    file = file_of(home)
    assert file is not None
    return file.parent


def _is_beside(uri: str, home: str) -> bool:
    """Say whether an address is of the same server as the document's, and below its folder."""
    if home.startswith("file:"):
        return False
    folder = urljoin(home, ".")
    return uri.startswith(folder) and ".." not in unquote(urlsplit(uri).path).split("/")


def _opaque(document: Mapping[str, Any]) -> Resource[Any]:
    # An OpenAPI document is no schema, and its parts get no addresses of their own.
    return Specification.OPAQUE.create_resource(document)


def _reason(error: BaseException, ref: str) -> str:
    """Say why a reference cannot be followed; the library's own text holds whole documents."""
    cause: BaseException | None = error
    while cause is not None:
        if not isinstance(cause, Unresolvable | ValueError | LookupError):
            return f"$ref {ref!r}: {cause}"
        cause = cause.__cause__
    return f"$ref {ref!r} leads to nothing"
