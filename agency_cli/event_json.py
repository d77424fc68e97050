"""Events as JSON objects, and back: the lines of `--jsonl` and the rows of the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from agency_cli.events import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    NodeEnded,
    NodeStarted,
    Notice,
    RunEnded,
    RunError,
    RunStarted,
    TextDelta,
    Usage,
)

_NAMES: dict[type[Event], str] = {
    RunStarted: "run_started",
    NodeStarted: "node_started",
    TextDelta: "text_delta",
    NodeEnded: "node_ended",
    ApprovalAsked: "approval_asked",
    ApprovalDecided: "approval_decided",
    Notice: "notice",
    RunEnded: "run_ended",
}
_TYPES = {name: kind for kind, name in _NAMES.items()}


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object: its kind as `event`, then its fields."""
    # Field by field: `asdict` would copy every text and time, for each row of a journal.
    plain = {each.name: _plain(getattr(event, each.name)) for each in fields(event)}
    return {"event": _NAMES[type(event)], **plain}


def event_from_json(line: Mapping[str, Any]) -> Event:
    """Return the event that `event_json` made the object of.

    Raises:
        ValueError: It is no such object.
    """
    given = dict(line)
    name = given.pop("event", None)
    try:
        return _TYPES[name](**{key: _typed(key, value) for key, value in given.items()})
    except (KeyError, TypeError, ArithmeticError) as error:
        raise ValueError(f"not an event of a run: {name!r}") from error


def time_json(at: datetime) -> str:
    """Return a time in ISO 8601, in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _plain(value: object) -> object:
    match value:
        case datetime():
            return time_json(value)
        case Decimal():
            return float(value)
        case Usage() | RunError():
            return asdict(value)
        case _:
            return value


def _typed(key: str, value: Any) -> Any:
    if value is None:
        return None
    match key:
        case "at":
            return datetime.fromisoformat(value)
        case "cost_usd":
            # By way of the digits: 0.1 is meant, not the binary fraction nearest to it.
            return Decimal(str(value))
        case "usage":
            return Usage(**value)
        case "error" if isinstance(value, Mapping):
            return RunError(**value)
        case _:
            return value
