"""Keys that a flow of one kind has no use for: they are refused, never ignored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agency_cli.checks.subject import Subject
from agency_cli.errors import Problem
from agency_cli.manifest import FlowKind, FlowSpec

_OTHER: Final[Mapping[FlowKind, FlowKind]] = {"message": "handoff", "handoff": "message"}


def keys_without_effect(subject: Subject) -> Iterator[Problem]:
    """A flow says only what its kind heeds."""
    for index, flow in enumerate(subject.manifest.flows):
        if isinstance(flow, str):
            continue
        other = _OTHER[flow.kind]
        for key, value in _values_for(flow, other).items():
            if value is not None:
                what = (
                    f"{key!r} has no effect on a flow of kind {flow.kind!r}; it belongs to the kind"
                    f" {other!r}: remove the key, or write `kind: {other}`"
                )
                path = ("flows", index, key)
                yield Problem(code="key-without-effect", message=what, path=path, at_key=True)


def _values_for(flow: FlowSpec, kind: FlowKind) -> Mapping[str, object]:
    """Return what the flow says in the keys that only `kind` heeds."""
    if kind == "handoff":
        return {"reminder": flow.reminder}
    return {
        "send_message": flow.send_message,
        "tool_name": flow.tool_name,
        "extra_params": flow.extra_params,
        "timeout_seconds": flow.timeout_seconds,
        "max_calls": flow.max_calls,
        "on_error": flow.on_error,
        "memory": flow.memory,
    }
