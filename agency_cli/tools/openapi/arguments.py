"""What a tool for an operation takes: its parameters and its body, as arguments with names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from agency_cli.tools.openapi.faults import NoTool
from agency_cli.tools.openapi.references import Part, References
from agency_cli.tools.openapi.schemas import Schemas
from agency_cli.tools.openapi.shapes import (
    Encoding,
    MediaType,
    OperationObject,
    Parameter,
    PathItem,
    RequestBody,
    shaped,
)
from agency_cli.tools.openapi.styles import STYLES

BodyKind = Literal["json", "form", "multipart", "text"]
JSON: Final = "application/json"
# Headers of every request: OpenAPI says that parameters of these names are not heeded.
_NEVER: Final = frozenset({"accept", "content-type", "authorization"})
# What makes an object more than its properties.
_MORE: Final = frozenset(
    {
        *("$ref", "allOf", "anyOf", "oneOf", "not", "if", "nullable", "discriminator"),
        *("patternProperties", "propertyNames", "minProperties", "maxProperties"),
        *("dependentRequired", "dependentSchemas", "unevaluatedProperties"),
    }
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    Attributes:
        name: What the model calls it.
        key: What the service calls it; empty where it is the whole body.
        place: Where it is sent.
        schema: Of its value.
        required: Whether the service needs it.
        style: How it is written down, by OpenAPI's names; empty in JSON.
        explode: Whether its parts are written one by one.
        as_json: It is written as JSON, wherever it stands.
    """

    name: str
    key: str
    place: Literal["path", "query", "header", "cookie", "body"]
    schema: Any
    required: bool
    style: str = ""
    explode: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """What an operation takes as its body.

    Attributes:
        kind: How it is written down.
        content_type: What it is sent as.
        required: Whether one is sent in any case.
    """

    kind: BodyKind
    content_type: str
    required: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """All that a tool for an operation takes.

    Attributes:
        arguments: In the order in which the model sees them.
        definitions: What their schemas refer to.
        body: What the body is; None where there is none.
    """

    arguments: tuple[Argument, ...]
    definitions: Mapping[str, Any]
    body: Body | None

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments."""
        made: dict[str, Any] = {
            "type": "object",
            "properties": {each.name: each.schema for each in self.arguments},
            "required": [each.name for each in self.arguments if each.required],
            "additionalProperties": False,
        }
        return {**made, "$defs": dict(self.definitions)} if self.definitions else made


def signature_of(
    operation: Part, item: Part, references: References, given: Collection[tuple[str, str]]
) -> Signature:
    """Return what an operation takes.

    Args:
        operation: The operation.
        item: The path that it is of, whose parameters it shares.
        references: Of the document.
        given: Place and name of each parameter that the manifest gives; of headers in lower case.

    Raises:
        NoTool: It takes what no model can give, or is not sound.
    """
    schemas = Schemas(references)
    spec = shaped(OperationObject, operation, "the operation")
    parameters = _parameters(spec, operation, item, references)
    arguments = [
        _of_parameter(parameter, base, schemas)
        for (place, name), (parameter, base) in parameters.items()
        if not _is_given(place, name, given)
    ]
    body = None
    if spec.body is not None:
        part = references.followed(operation.at("requestBody"))
        body, of_body = _of_body(part, references, schemas)
        arguments += of_body
    return Signature(tuple(_told_apart(arguments)), schemas.definitions(), body)


def _parameters(
    spec: OperationObject, operation: Part, item: Part, references: References
) -> dict[tuple[str, str], tuple[Parameter, str]]:
    """Return each parameter, and where it stands; an operation's own come before its path's."""
    found: dict[tuple[str, str], tuple[Parameter, str]] = {}
    shared = shaped(PathItem, item, "the path").parameters or ()
    for listed, base in ((shared, item.base), (spec.parameters or (), operation.base)):
        for each in listed:
            part = references.followed(Part(each, base))
            parameter = shaped(Parameter, part, "a parameter")
            found[parameter.place, parameter.name] = (parameter, part.base)
    return found


def _is_given(place: str, name: str, given: Collection[tuple[str, str]]) -> bool:
    if place != "header":
        return (place, name) in given
    return name.lower() in _NEVER or (place, name.lower()) in given


def _of_parameter(parameter: Parameter, base: str, schemas: Schemas) -> Argument:
    styles = STYLES[parameter.place]
    style = parameter.style or styles[0]
    if style not in styles:
        raise NoTool(f"the parameter {parameter.name!r} has the style {style!r}, which is unknown")
    raw, as_json = parameter.shape, False
    if parameter.content:
        kind, media = next(iter(parameter.content.items()))
        raw, as_json = media.shape, True
        if not _is_json(kind):
            raise NoTool(f"the parameter {parameter.name!r} is to be {kind}; JSON alone works")
    return Argument(
        name=parameter.name,
        key=parameter.name,
        place=parameter.place,
        schema=_described(schemas.converted(Part(raw, base)), parameter.description),
        required=parameter.required or parameter.place == "path",
        style=style,
        explode=style == "form" if parameter.explode is None else parameter.explode,
        as_json=as_json,
    )


def _of_body(
    part: Part, references: References, schemas: Schemas
) -> tuple[Body | None, list[Argument]]:
    spec = shaped(RequestBody, part, "the body")
    if not spec.content:
        return None, []
    kind, content_type = _chosen(spec.content)
    media = spec.content[content_type]
    schema = Part(media.shape, part.base)
    body = Body(kind, JSON if "*" in content_type else content_type, spec.required)
    fields = _fields(schema, references)
    if kind == "text":
        fields = None
    if fields is None or (not spec.required and fields.value.get("required")):
        if kind in {"form", "multipart"}:
            if fields is None:
                raise NoTool(f"its body, {content_type}, has no fields of its own")
        else:
            return body, [_whole(schema, spec, schemas, kind)]
    return body, list(_of_fields(fields, kind, media.encoding, spec, schemas))


def _whole(schema: Part, spec: RequestBody, schemas: Schemas, kind: BodyKind) -> Argument:
    made = {"type": "string"} if kind == "text" else schemas.converted(schema)
    return Argument("body", "", "body", _described(made, spec.description), spec.required)


def _of_fields(
    fields: Part,
    kind: BodyKind,
    encodings: Mapping[str, Encoding],
    spec: RequestBody,
    schemas: Schemas,
) -> Iterator[Argument]:
    made = schemas.converted(fields)
    needed = made.get("required", ()) if spec.required else ()
    for name, schema in made["properties"].items():
        if kind == "multipart" and _is_binary(fields.value["properties"].get(name)):
            if name in needed:
                raise NoTool(f"its body needs the file {name!r}, and models give texts alone")
            continue
        encoding = encodings.get(name, Encoding())
        yield Argument(
            name=name,
            key=name,
            place="body",
            schema=schema,
            required=name in needed,
            style=encoding.style or "form",
            explode=encoding.explode is not False,
        )


def _chosen(content: Mapping[str, MediaType]) -> tuple[BodyKind, str]:
    """Return which of a body's forms is sent: JSON where that can be."""
    kinds: dict[BodyKind, str] = {}
    for content_type in content:
        kind = _kind(content_type)
        if kind is not None:
            kinds.setdefault(kind, content_type)
    order: tuple[BodyKind, ...] = ("json", "form", "multipart", "text")
    found = next((kind for kind in order if kind in kinds), None)
    if found is None:
        raise NoTool(f"its body is to be {' or '.join(content)}, which no model can write")
    return found, kinds[found]


def _kind(content_type: str) -> BodyKind | None:
    plain = content_type.partition(";")[0].strip().lower()
    if _is_json(plain) or plain in {"*/*", "application/*"}:
        return "json"
    if plain == "application/x-www-form-urlencoded":
        return "form"
    if plain == "multipart/form-data":
        return "multipart"
    return "text" if plain.startswith("text/") else None


def _is_json(content_type: str) -> bool:
    plain = content_type.partition(";")[0].strip().lower()
    return plain == JSON or plain.endswith("+json")


def _fields(schema: Part, references: References) -> Part | None:
    """Return an object that is nothing but its properties, references followed; else None."""
    part = references.followed(schema)
    if not isinstance(part.value, Mapping):
        return None
    properties, more = part.value.get("properties"), part.value.get("additionalProperties", False)
    if not isinstance(properties, Mapping) or not properties or more is not False:
        return None
    return None if _MORE & part.value.keys() else part


def _is_binary(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    inner = schema.get("items", schema)
    inner = inner if isinstance(inner, Mapping) else {}
    return inner.get("format") == "binary" or "contentMediaType" in inner


def _described(schema: Any, description: str | None) -> Any:
    if not description or not isinstance(schema, dict):
        return schema
    return {**schema, "description": description}


def _told_apart(arguments: list[Argument]) -> Iterator[Argument]:
    """Name where an argument stands, where an earlier one has its name already."""
    taken = {each.name for each in arguments}
    seen: set[str] = set()
    for each in arguments:
        name = each.name
        if name in seen:
            name = f"{each.name}_in_{each.place}"
            while name in taken:
                name += "_"
            taken.add(name)
        seen.add(name)
        yield replace(each, name=name)
