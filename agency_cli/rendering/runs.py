"""Lists of runs as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agency_cli.event_json import time_json
from agency_cli.reminder import without_reminder
from agency_cli.rendering.figures import age, cost
from agency_cli.rendering.printable import one_line
from agency_cli.store import RunSummary

LONGEST_MESSAGE = 48


def list_text(runs: Sequence[RunSummary], now: datetime) -> str:
    """Return a line a run."""
    if not runs:
        return "no runs"
    rows = [
        ("RUN", "STATUS", "AGENCY", "COST", "AGE", "MESSAGE"),
        *(_row(run, now) for run in runs),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def list_json(runs: Sequence[RunSummary]) -> str:
    """Return a JSON list of runs."""
    return json.dumps([_summary(run) for run in runs], ensure_ascii=False, indent=2)


def _row(run: RunSummary, now: datetime) -> tuple[str, ...]:
    return (
        run.id,
        run.status,
        one_line(run.agency, LONGEST_MESSAGE),
        cost(run.totals),
        age((now - run.started_at).total_seconds()),
        one_line(without_reminder(run.message), LONGEST_MESSAGE),
    )


def _summary(run: RunSummary) -> dict[str, Any]:
    known = run.totals.known_cost_usd
    return {
        "run_id": run.id,
        "status": run.status,
        "agency": run.agency,
        "agent": run.agent,
        "message": without_reminder(run.message),
        "thread_id": run.thread_id,
        "cost_usd": None if known is None else float(known),
        "unpriced_models": list(run.totals.unpriced_models),
        "calls_cut_off": run.totals.cut_off,
        "started_at": time_json(run.started_at),
        "ended_at": time_json(run.ended_at) if run.ended_at else None,
        "manifest": run.manifest,
        "models": dict(run.models),
    }
