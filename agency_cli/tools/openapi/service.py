"""A service as its document describes it: where it is, and the operations that are chosen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from agency_cli.checks.providers import fault_of_url
from agency_cli.manifest import OpenApiTool
from agency_cli.tools.openapi.arguments import Signature, signature_of
from agency_cli.tools.openapi.documents import fetch_document, read_document, shown_name
from agency_cli.tools.openapi.faults import BrokenDocument, NoTool, Unusable
from agency_cli.tools.openapi.naming import Called, chosen, is_exact, matches, public_names
from agency_cli.tools.openapi.references import Part, References
from agency_cli.tools.openapi.shapes import Head, OperationObject, PathItem, Server, shaped

METHODS: Final = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
LONGEST_DESCRIPTION: Final = 1_000
"""Characters of what a document says of an operation."""
_VERSION: Final = re.compile(r"3\.\d+(\.\d+.*)?")
_FULL: Final = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation that a tool stands for.

    Attributes:
        called: As its document calls it.
        name: As models call it.
        description: What models read.
        base_url: Address of the service.
        signature: What it takes.
    """

    called: Called
    name: str
    description: str
    base_url: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class Service:
    """What one document brings.

    Attributes:
        operations: Those that tools stand for.
        left_out: Why no tools stand for others that patterns choose.
        size: How many operations the document has.
    """

    operations: tuple[Operation, ...]
    left_out: tuple[str, ...]
    size: int


def read_service(spec: OpenApiTool, folder: Path) -> Service:
    """Read, or fetch, a document, and take the operations that the manifest chooses.

    Args:
        spec: What the manifest says.
        folder: That of the manifest.

    Raises:
        Unusable: The document is not sound, or what the manifest says does not fit it.
        NotFetched: It cannot be fetched.
    """
    home, document = _document(spec, folder)
    shown = shown_name(spec.openapi)
    _require_openapi_3(document, shown)
    references = References(home, document, spec.remote_refs)
    reader = _Reader(spec, references)
    found = dict(reader.listed())
    if not found:
        raise BrokenDocument(f"{shown} describes no operation under `paths`")
    names = public_names(found, spec.prefix)
    made: list[Operation] = []
    left_out: list[str] = []
    for called in chosen(list(found), spec.operations):
        item, operation = found[called]
        try:
            made.append(reader.read(called, names[called.route], item, operation))
        except (NoTool, BrokenDocument) as fault:
            _require_not_named(called, spec, fault)
            left_out.append(f"{called.shown} is left out: {fault}")
    if not made:
        raise BrokenDocument(f"no tool can be made of {shown}: {'; '.join(left_out[:3])}")
    return Service(tuple(made), tuple(left_out), len(found))


class _Reader:
    """Reads operations of one document."""

    def __init__(self, spec: OpenApiTool, references: References) -> None:
        self._spec = spec
        self._references = references
        self._given = given_parameters(spec)

    def listed(self) -> Iterator[tuple[Called, tuple[Part, Part]]]:
        """Yield each operation with its path item and itself; an id that two have names none."""
        parts = list(self._parts())
        ids = Counter(_id_of(operation) for _, _, _, operation in parts)
        for method, path, item, operation in parts:
            own = _id_of(operation)
            called = Called(method.upper(), path, own if ids[own] == 1 else "")
            yield called, (item, operation)

    def read(self, called: Called, name: str, item: Part, operation: Part) -> Operation:
        """Return what a tool for an operation needs.

        Raises:
            NoTool: None can be made.
            Unusable: Nobody says where the service is.
        """
        signature = signature_of(operation, item, self._references, self._given)
        return Operation(
            called,
            name,
            self._description(called, item, operation),
            self._base_url(item, operation),
            signature,
        )

    def _parts(self) -> Iterator[tuple[str, str, Part, Part]]:
        paths = self._references.root.at("paths")
        for path, value in paths.value.items() if isinstance(paths.value, Mapping) else ():
            try:
                item = self._references.followed(Part(value, paths.base))
            except (NoTool, BrokenDocument) as fault:
                raise BrokenDocument(f"{shown_name(self._spec.openapi)}: {path}: {fault}") from None
            if path.startswith("/") and isinstance(item.value, Mapping):
                for method, operation in item.value.items():
                    if method in METHODS and isinstance(operation, Mapping):
                        yield method, path, item, item.at(method)

    def _description(self, called: Called, item: Part, operation: Part) -> str:
        own = shaped(OperationObject, operation, "the operation")
        shared = shaped(PathItem, item, "the path")
        said = [own.summary or shared.summary, own.description or shared.description]
        parts = list(dict.fromkeys(each.strip() for each in said if each and each.strip()))
        text = "\n\n".join(parts) or called.route
        if len(text) > LONGEST_DESCRIPTION:
            text = f"{text[: LONGEST_DESCRIPTION - 1].rstrip()}…"
        return f"{self._spec.description}\n\n{text}" if self._spec.description else text

    def _base_url(self, item: Part, operation: Part) -> str:
        if self._spec.base_url is not None:
            return self._spec.base_url
        server = (
            _first(shaped(OperationObject, operation, "the operation").servers)
            or _first(shaped(PathItem, item, "the path").servers)
            or _first(shaped(Head, self._references.root, "the document").servers)
        )
        home = self._references.home
        is_fetched = _FULL.match(home)
        address = server.address if server else "/" if is_fetched else ""
        whole = urljoin(home, address) if is_fetched else address
        fault = fault_of_url(whole) if whole else "it names no server"
        if fault or "{" in whole:
            raise Unusable(
                f"the document does not say where the service is ({address or 'no server'});"
                " give its address as `base_url`",
                code="missing-base-url",
                place=("openapi",),
            )
        return whole


def given_parameters(spec: OpenApiTool) -> frozenset[tuple[str, str]]:
    """Return place and name of each parameter that the manifest gives; headers in lower case."""
    headers = {("header", name.lower()) for name in spec.headers}
    return frozenset(headers | {("query", name) for name in spec.query})


def _document(spec: OpenApiTool, folder: Path) -> tuple[str, dict[str, Any]]:
    if spec.is_remote:
        return spec.openapi, fetch_document(spec.openapi)
    path = (folder / spec.openapi).resolve()
    return path.as_uri(), read_document(path, spec.openapi)


def _require_openapi_3(document: Mapping[str, Any], shown: str) -> None:
    if "swagger" in document and "openapi" not in document:
        raise BrokenDocument(
            f"{shown} is Swagger {document['swagger']}; convert it to OpenAPI 3, such as with"
            " `npx swagger2openapi`"
        )
    version = document.get("openapi")
    if version is None:
        raise BrokenDocument(f"{shown} is no OpenAPI document; one begins with `openapi: 3.1.0`")
    if not _VERSION.fullmatch(str(version)):
        raise BrokenDocument(f"{shown} is OpenAPI {version}; versions 3.x can be read")


def _require_not_named(called: Called, spec: OpenApiTool, fault: Exception) -> None:
    """Refuse to leave out an operation that the manifest asks for by its name."""
    for position, pattern in enumerate(spec.operations or ()):
        if is_exact(pattern) and matches(pattern, called):
            what = f"{called.shown} cannot be a tool: {fault}"
            raise Unusable(what, code="unusable-operation", place=("operations", position))


def _id_of(operation: Part) -> str:
    found = operation.value.get("operationId")
    return found.strip() if isinstance(found, str) else ""


def _first(servers: list[Server] | None) -> Server | None:
    return servers[0] if servers else None
