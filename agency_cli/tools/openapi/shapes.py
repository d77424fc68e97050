"""The objects of OpenAPI 3 that are read, as far as they are; all that is unknown is let be."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agency_cli.tools.openapi.faults import NoTool
from agency_cli.tools.openapi.references import Part

Place = Literal["path", "query", "header", "cookie"]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class ServerVariable(_Shape):
    default: str = ""


class Server(_Shape):
    url: str
    variables: dict[str, ServerVariable] = Field(default_factory=dict)

    @property
    def address(self) -> str:
        """Its address, with the default of each variable."""
        text = self.url
        for name, variable in self.variables.items():
            text = text.replace("{" + name + "}", variable.default)
        return text


class Encoding(_Shape):
    style: str | None = None
    explode: bool | None = None


class MediaType(_Shape):
    shape: Any = Field(default=None, alias="schema")
    encoding: dict[str, Encoding] = Field(default_factory=dict)


class Parameter(_Shape):
    name: str = Field(min_length=1)
    place: Place = Field(alias="in")
    required: bool = False
    description: str | None = None
    style: str | None = None
    explode: bool | None = None
    shape: Any = Field(default=None, alias="schema")
    content: dict[str, MediaType] | None = None


class RequestBody(_Shape):
    description: str | None = None
    required: bool = False
    content: dict[str, MediaType] = Field(default_factory=dict)


class OperationObject(_Shape):
    operation_id: str | None = Field(default=None, alias="operationId")
    summary: str | None = None
    description: str | None = None
    parameters: list[Any] | None = None
    body: Any = Field(default=None, alias="requestBody")
    servers: list[Server] | None = None


class PathItem(_Shape):
    summary: str | None = None
    description: str | None = None
    parameters: list[Any] | None = None
    servers: list[Server] | None = None


class Head(_Shape):
    """What is read of the document itself."""

    servers: list[Server] | None = None


_ShapeT = TypeVar("_ShapeT", bound=_Shape)


def shaped(shape: type[_ShapeT], part: Part, what: str) -> _ShapeT:
    """Return a part of a document as one of the objects above.

    Raises:
        NoTool: It is none; the text names the first key at fault.
    """
    try:
        return shape.model_validate(part.value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise NoTool(f"{what} is not sound: {place or 'it'}: {first['msg']}") from None
