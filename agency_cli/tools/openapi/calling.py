"""From the arguments of a call to the request that it stands for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from agency_cli.foreign import ToolRefused
from agency_cli.tools.openapi.arguments import Argument, Signature
from agency_cli.tools.openapi.styles import header_text, pairs_of, path_text, text_of

_UNSENDABLE: Final = re.compile(r"[\x00-\x1f\x7f]|[^\x00-\xff]")


@dataclass(frozen=True, slots=True)
class Access:
    """What the manifest sends with every request, and no model sees.

    Attributes:
        headers: By name.
        query: By name.
    """

    headers: Mapping[str, str]
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request.

    Attributes:
        method: In capitals.
        url: Whole, without what the manifest adds to its query.
        hidden: What the manifest adds to its query.
        headers: All of them.
        content: The body.
        fields: The body where it is of several parts: names and texts.
    """

    method: str
    url: str
    hidden: str
    headers: Mapping[str, str]
    content: bytes = b""
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def whole_url(self) -> str:
        if not self.hidden:
            return self.url
        return f"{self.url}{'&' if '?' in self.url else '?'}{self.hidden}"


def prepared(
    route: tuple[str, str],
    base_url: str,
    signature: Signature,
    values: Mapping[str, Any],
    access: Access,
) -> Prepared:
    """Return the request that a call stands for.

    Args:
        route: Method and path of the operation.
        base_url: Address of the service.
        signature: What the operation takes.
        values: The call's arguments, which fit the signature.
        access: What is sent in any case.

    Raises:
        ToolRefused: A value cannot stand where it must.
    """
    method, path = route
    given: dict[str, list[tuple[Argument, Any]]] = {}
    for each in signature.arguments:
        if each.name in values:
            given.setdefault(each.place, []).append((each, values[each.name]))
    for argument, value in given.get("path", ()):
        path = path.replace("{" + argument.key + "}", _segment(argument, value))
    if "{" in path:
        raise ToolRefused(f"the document does not say what {path[path.index('{') :]} stands for")
    query = [pair for argument, value in given.get("query", ()) for pair in _pairs(argument, value)]
    content, fields, content_type = _body(signature, given.get("body", []))
    url = base_url.rstrip("/") + path
    if query:
        url += "?" + urlencode(query, quote_via=quote)
    return Prepared(
        method,
        url,
        urlencode(access.query, quote_via=quote),
        _all_headers(given, content_type, access),
        content,
        fields,
    )


def _all_headers(
    given: Mapping[str, list[tuple[Argument, Any]]], content_type: str, access: Access
) -> dict[str, str]:
    """Put headers together; those of the manifest win."""
    made = {"Accept": "application/json, text/*;q=0.9, */*;q=0.5"}
    made.update({each.key: _header(each, value) for each, value in given.get("header", ())})
    if content_type:
        made["Content-Type"] = content_type
    fixed = {name.lower() for name in access.headers}
    made = {name: value for name, value in made.items() if name.lower() not in fixed}
    made.update(access.headers)
    pairs = [pair for each, value in given.get("cookie", ()) for pair in _pairs(each, value)]
    if pairs:
        cookies = [f"{name}={quote(value, safe='')}" for name, value in pairs]
        own = next((name for name in made if name.lower() == "cookie"), "Cookie")
        made[own] = "; ".join(filter(None, (made.get(own, ""), *cookies)))
    return made


def _body(
    signature: Signature, given: list[tuple[Argument, Any]]
) -> tuple[bytes, tuple[tuple[str, str], ...], str]:
    """Return the content, the fields of several parts, and the content type, where they are."""
    body = signature.body
    if body is None or not (given or body.required):
        return b"", (), ""
    whole = [value for argument, value in given if not argument.key]
    if body.kind == "json":
        value = whole[0] if whole else {argument.key: each for argument, each in given}
        return _utf8(json.dumps(value, ensure_ascii=False)), (), body.content_type
    if body.kind == "text":
        return _utf8(text_of(whole[0])), (), f"{body.content_type.partition(';')[0]}; charset=utf-8"
    fields = [pair for argument, value in given for pair in _form_pairs(argument, value)]
    if body.kind == "form":
        return urlencode(fields).encode(), (), body.content_type
    # The boundary between the parts comes with its own content type.
    return b"", tuple(fields), ""


def _form_pairs(argument: Argument, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, Mapping) and argument.style == "form":
        return [(argument.key, text_of(value))]
    return pairs_of(argument.key, value, argument.style, explode=argument.explode)


def _pairs(argument: Argument, value: Any) -> list[tuple[str, str]]:
    if argument.as_json:
        return [(argument.key, json.dumps(value, ensure_ascii=False))]
    return pairs_of(argument.key, value, argument.style, explode=argument.explode)


def _segment(argument: Argument, value: Any) -> str:
    if argument.as_json:
        return quote(json.dumps(value, ensure_ascii=False), safe="")
    text = path_text(argument.key, value, argument.style, explode=argument.explode)
    if text in {"", ".", ".."}:
        # It would be another address, and another operation.
        raise ToolRefused(f"{argument.name} cannot be {value!r}")
    return text


def _header(argument: Argument, value: Any) -> str:
    as_json = json.dumps(value) if argument.as_json else ""
    text = as_json or header_text(value, explode=argument.explode)
    if _UNSENDABLE.search(text):
        raise ToolRefused(f"{argument.name} holds characters that no header can")
    return text


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
