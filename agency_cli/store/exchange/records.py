"""The lines of an export: what each kind of them holds, checked when it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    TypeAdapter,
    ValidationError,
)

from agency_cli.input_faults import fault_in_words

FORMAT = "agency-runs"
VERSION = 1
RECORDS = ("header", "thread", "item", "run", "row", "end")
"""The kinds of lines."""


def _time(value: object) -> datetime:
    at = datetime.fromisoformat(value) if isinstance(value, str) else None
    if at is None or at.tzinfo is None:
        raise ValueError("should be a time with its zone, such as 2026-01-31T12:00:00Z")
    return at


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _Options(_Strict):
    """What the command line of the run said."""

    models: list[str]
    params: list[InstanceOf[str]]
    limits: dict[str, float]
    context: list[InstanceOf[str]] = []
    attached: list[InstanceOf[str]] = []


class _Kept(_Strict):
    """What resuming takes from a row; tools keep more beside it."""

    path: str = ""
    agent: str = ""
    ordinal: int = 0
    flow: str | None = None
    response: _Response | None = None


class _Response(_Strict):
    id: InstanceOf[str]
    output: list[dict[str, Any]]
    usage: dict[str, Any] | None


def _like_options(value: dict[str, Any]) -> dict[str, Any]:
    _Options.model_validate(value)
    return value


def _like_kept(value: dict[str, Any]) -> dict[str, Any]:
    kept = _Kept.model_validate(value)
    if kept.response is not None and not {"path", "agent", "ordinal"} <= value.keys():
        raise ValueError("a response needs its path, agent and ordinal")
    return value


def _text(value: str) -> str:
    if "\0" in value or value != value.encode("utf-8", "replace").decode():
        raise ValueError("has what is no text of Unicode")
    return value


Text = Annotated[str, AfterValidator(_text)]
"""What a column of text takes; texts within JSON may be anything."""
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9._:@-]{1,64}$")]
Key = Annotated[Text, Field(max_length=50)]
Name = Annotated[Text, Field(max_length=200)]
Time = Annotated[datetime, BeforeValidator(_time)]


class _Line(_Strict):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Header(_Line):
    """The first line."""

    record: Literal["header"] = "header"
    format: str
    version: int
    written_by: str


class ThreadLine(_Line):
    """A thread; its items follow."""

    record: Literal["thread"] = "thread"
    id: Id
    agency: Name
    active_agent: Key | None
    created_at: Time
    updated_at: Time


class ItemLine(_Line):
    """One item that a thread remembers, in their order."""

    record: Literal["item"] = "item"
    thread_id: Id
    conversation: Annotated[Text, Field(max_length=120)]
    author: Key
    item: dict[str, Any]
    at: Time
    run_id: Id | None
    path: Text | None


def _like_facts(facts: dict[str, str]) -> dict[str, str]:
    for place, value in facts.items():
        try:
            json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError(f"what stands at {place[:80]!r} is no JSON") from None
    return facts


class RunLine(_Line):
    """A run; the rows of its journal follow, which tell the rest."""

    record: Literal["run"] = "run"
    id: Id
    # It may hold what is no Unicode, as names of files may.
    manifest: InstanceOf[str]
    digest: Annotated[Text, Field(max_length=64)]
    options: Annotated[dict[str, Any], AfterValidator(_like_options)]
    models: dict[str, str]
    # What the manifest and its files said, each value as JSON, by its place.
    facts: Annotated[dict[str, InstanceOf[str]], AfterValidator(_like_facts)]


class RowLine(_Line):
    """One row of a journal: an event, and what was kept with it."""

    record: Literal["row"] = "row"
    run_id: Id
    event: dict[str, Any]
    kept: Annotated[dict[str, Any], AfterValidator(_like_kept)] | None


class EndLine(_Line):
    """The last line, by which a file that was cut short is known."""

    record: Literal["end"] = "end"
    lines: int


AnyLine = Annotated[
    Header | ThreadLine | ItemLine | RunLine | RowLine | EndLine, Field(discriminator="record")
]
_LINES: TypeAdapter[AnyLine] = TypeAdapter(AnyLine)


def line_of(value: Mapping[str, Any]) -> AnyLine:
    """Return the line that a JSON object is.

    Raises:
        ValueError: It is none; the text says why.
    """
    if value.get("record") not in RECORDS:
        raise ValueError(f"no line of an export: its `record` is none of {', '.join(RECORDS)}")
    try:
        return _LINES.validate_python(value)
    except ValidationError as error:
        raise ValueError(what_is_wrong(error)) from None


def what_is_wrong(error: ValidationError) -> str:
    """Return the first thing that is wrong, with its place within the line."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part not in RECORDS)
    text = fault_in_words(first)
    return f"{place}: {text}" if place else text
