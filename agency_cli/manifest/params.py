"""Params: values that whoever runs an agency gives it."""

from typing import Any, Literal

from pydantic import Field

from agency_cli.manifest.base import Strict, Text


class ParamSpec(Strict):
    """A value that `${param.NAME}` stands for."""

    type: Literal["string", "number", "integer", "boolean", "file", "list"] = "string"
    """What the value must be; `file` is the path of a text file, whose text it stands for; `list`
    is several texts."""
    enum: list[Any] | None = Field(default=None, min_length=1)
    """The only values allowed."""
    default: Any = None
    """The value when none is given; without it a value must be given. That of a `file` is its path,
    seen from the manifest."""
    required: bool | None = None
    """False: an empty value is used when none is given."""
    description: Text | None = None
    """What the value is for."""
