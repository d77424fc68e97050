"""Threads as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agency_cli.reminder import without_reminder
from agency_cli.rendering.output import printable
from agency_cli.store import StoredItem, ThreadSummary

LONGEST_LINE = 500
"""Characters of an item in text; JSON has it whole."""


def list_text(threads: Sequence[ThreadSummary]) -> str:
    """Return a line a thread."""
    if not threads:
        return "no threads"
    rows = [("THREAD", "AGENCY", "ACTIVE AGENT", "ITEMS", "LAST USED (UTC)")]
    rows += [
        (t.id, t.agency, t.active_agent or "-", str(t.items), f"{t.updated_at:%Y-%m-%d %H:%M}")
        for t in threads
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        printable(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def list_json(threads: Sequence[ThreadSummary]) -> str:
    """Return a JSON list of threads."""
    return json.dumps([_summary(thread) for thread in threads], ensure_ascii=False, indent=2)


def history_text(thread: ThreadSummary, history: Sequence[StoredItem]) -> str:
    """Return the conversations of a thread, one after the other."""
    lines = [f"thread {thread.id} of {thread.agency}"]
    if thread.active_agent:
        lines[0] += f", active agent {thread.active_agent}"
    for name in dict.fromkeys(item.conversation for item in history):
        lines += ["", name.replace(">", " > ") if name else "user"]
        lines += [_line(item) for item in history if item.conversation == name]
    return "\n".join(printable(line) for line in lines)


def history_json(thread: ThreadSummary, history: Sequence[StoredItem]) -> str:
    """Return a thread as a JSON object: its summary, and `history` with every item."""
    items = [
        {
            "conversation": item.conversation or "user",
            "author": item.author or None,
            "at": item.at.isoformat(),
            "item": item.item,
        }
        for item in history
    ]
    return json.dumps({**_summary(thread), "history": items}, ensure_ascii=False, indent=2)


def _summary(thread: ThreadSummary) -> dict[str, Any]:
    return {
        "thread_id": thread.id,
        "agency": thread.agency,
        "active_agent": thread.active_agent,
        "items": thread.items,
        "created_at": thread.created_at.isoformat(),
        "updated_at": thread.updated_at.isoformat(),
    }


def _line(item: StoredItem) -> str:
    text = " ".join(without_reminder(_text_of(item.item)).split())
    shown = text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"
    return f"  {item.author}: {shown}" if item.author else f"  > {shown}"


def _text_of(item: dict[str, Any]) -> str:
    match item:
        case {"type": "function_call", "name": name, "arguments": arguments}:
            return f"calls {name} {arguments}"
        case {"type": "function_call_output", "output": output}:
            return f"gets {output}"
        case {"content": str(text)}:
            return text
        case {"content": [*parts]}:
            return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
        case _:
            return json.dumps(item, ensure_ascii=False)
