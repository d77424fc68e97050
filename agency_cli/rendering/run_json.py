"""A run as one JSON object: what `--json` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from decimal import Decimal
from typing import Any, TextIO

from agency_cli.calltree import CallTree, Node, Totals
from agency_cli.errors import AgencyError
from agency_cli.event_json import time_json
from agency_cli.events import RunEnded, Usage
from agency_cli.rendering.output import print_text
from agency_cli.rendering.printable import escaped_json


def run_json(tree: CallTree, failure: AgencyError | None = None) -> dict[str, Any]:
    """Return a run as it stands; `failure` says what it does not tell itself."""
    started, ended = tree.started, tree.ended
    return {
        "run_id": started.run_id if started else None,
        "thread_id": started.thread_id if started else None,
        "status": _status(tree, failure),
        "final_output": _final_output(ended) if ended else None,
        "final_agent": ended.final_agent if ended else None,
        "error": _error(tree, failure),
        "usage": _usage(tree.totals.usage),
        "cost_usd": _dollars(tree.totals.known_cost_usd),
        "unpriced_models": list(tree.totals.unpriced_models),
        "calls_cut_off": tree.totals.cut_off,
        "models": shares_json("model", tree.by_model()),
        "agents": shares_json("agent", tree.by_agent()),
        "seconds": ended.seconds if ended else None,
        **_waiting(tree),
        "tree": _node_tree(tree),
    }


def _final_output(ended: RunEnded) -> Any:
    """Return the object itself where the final output had to be one."""
    if ended.final_output is not None and ended.is_json:
        # A file that was imported may say what is not so.
        with suppress(ValueError, RecursionError):
            return json.loads(ended.final_output, parse_constant=_no_number)
    return ended.final_output


def _no_number(name: str) -> Any:
    raise ValueError(name)


def _waiting(tree: CallTree) -> dict[str, Any]:
    """Return the calls that wait for approval, where there are any, by the names to answer with."""
    questions = [
        {
            "call": question.call,
            "agent": question.agent,
            "tool": question.subject,
            "arguments": question.arguments,
        }
        for question in tree.waiting()
    ]
    return {"approvals": questions} if questions else {}


def _status(tree: CallTree, failure: AgencyError | None) -> str:
    ended = tree.ended
    if failure is not None and (ended is None or ended.error is None):
        # It never began, or has its answer and could not be stored.
        return "error"
    return ended.status if ended else "running"


def _error(tree: CallTree, failure: AgencyError | None) -> dict[str, Any] | None:
    if tree.ended is not None and tree.ended.error is not None:
        return asdict(tree.ended.error)
    if failure is None:
        return None
    return {"kind": failure.kind, "message": str(failure), "agent": None}


def print_json(value: dict[str, Any], stream: TextIO) -> None:
    """Write a JSON object as one line, of which no reader makes two."""
    text = escaped_json(json.dumps(value, ensure_ascii=False))
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value)
    print_text(text, stream)


def shares_json(kind: str, parts: Mapping[str, Totals]) -> list[dict[str, Any]]:
    """Return what each part of a whole used, each with its name as `kind`."""
    return [
        {kind: name, **_usage(part.usage), "cost_usd": _dollars(part.known_cost_usd)}
        for name, part in parts.items()
    ]


def _node_tree(tree: CallTree) -> dict[str, Any] | None:
    """Return the root's object; built without recursion, as a tree may be any depth."""
    if tree.root is None:
        return None
    objects = {node.id: _node(node) for node in tree.root.walk()}
    for node in tree.root.walk():
        objects[node.id]["children"] = [objects[child.id] for child in node.children]
    return objects[tree.root.id]


def _node(node: Node) -> dict[str, Any]:
    return {
        "id": node.id,
        "kind": node.kind,
        "name": node.name,
        "agent": node.agent,
        "model": node.model,
        "status": node.status,
        "error": node.error,
        "started_at": time_json(node.started_at),
        "seconds": node.seconds,
        "usage": _usage(node.totals.usage),
        "cost_usd": _dollars(node.totals.known_cost_usd),
    }


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "requests": usage.requests,
        "input_tokens": usage.input_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "total_tokens": usage.total_tokens,
    }


def _dollars(cost: Decimal | None) -> float | None:
    return None if cost is None else float(cost)
