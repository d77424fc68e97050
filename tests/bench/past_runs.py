"""What past runs cost: a thousand recorded turns given back, ten thousand runs listed."""

from __future__ import annotations

import asyncio
import gc
import json
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from agency_cli.building import build_agency
from agency_cli.events import NodeEnded, NodeStarted, RunStarted, Usage
from agency_cli.loading import load_manifest
from agency_cli.models.choice import ModelOverrides
from agency_cli.run_context import Past
from agency_cli.running import RunRequest, quieten_sdk, run_agency
from agency_cli.store import RunJournal, RunOrigin, Runs, Threads, open_database
from agency_cli.store.runs import closed
from agency_cli.store.tables import runs as runs_table
from measuring import Timing

HERE = Path(__file__).parent
ORIGIN = RunOrigin(manifest="bench", digest="", options={}, models={})
AT = datetime(2026, 3, 1, tzinfo=UTC)
MODEL, WORKERS = "gpt-5-mini", 10


def replay(env: dict[str, str], turns: int) -> Timing:
    """Resume a run of ten agents that was killed after so many turns; their last calls are made.

    Returns:
        The seconds from reading its journal to its answer.
    """
    with tempfile.TemporaryDirectory(prefix="agency-bench-") as folder:
        url = f"sqlite:///{folder}/bench.db"
        record(url, turns)
        return Timing((asyncio.run(_resumed(url, env, turns)),))


def listing(number: int, times: int) -> Timing:
    """List so many runs; return the seconds of each time, from the store to its summaries."""
    with tempfile.TemporaryDirectory(prefix="agency-bench-") as folder:
        database = open_database(f"sqlite:///{folder}/bench.db")
        with database.transaction() as connection:
            connection.execute(insert(runs_table), [_run(place) for place in range(number)])
        # As the command line does, where nothing is collected while a list is made.
        gc.disable()
        seconds = []
        for _ in range(times):
            began = time.perf_counter()
            found = Runs(database).all()
            seconds.append(time.perf_counter() - began)
            assert len(found) == number
        gc.enable()
    return Timing(tuple(seconds))


def record(url: str, turns: int) -> None:
    """Write the journal of a run that was killed while ten agents had made `turns` in all."""
    database = open_database(url)
    Threads(database).begin("t", "ten_workers")
    journal = RunJournal(database, ORIGIN)
    journal.add(
        RunStarted(run_id="r", thread_id="t", agency="ten_workers", agent="boss", message="Do it",
                   at=AT)
    )  # fmt: skip
    journal.add(_started("/boss", "agent", "boss", None))
    asked = [_call(f"m{number}", "send_message", _message(number)) for number in range(WORKERS)]
    _record_response(journal, "", "boss", 0, asked)
    for number in range(WORKERS):
        detail = json.dumps(_message(number))
        journal.add(_started(f"/m{number}", "message", "send_message", "/boss", detail))
        path, worker = f"/m{number}", f"worker{number}"
        journal.add(_started(f"{path}/{worker}", "agent", worker, path))
    for turn in range(turns // WORKERS):
        for number in range(WORKERS):
            _record_turn(journal, f"/m{number}", f"worker{number}", turn)


def _record_turn(journal: RunJournal, path: str, agent: str, turn: int) -> None:
    call, text = f"c{turn}", {"text": f"part {turn}"}
    _record_response(journal, path, agent, turn, [_call(call, "note", text)])
    journal.add(_started(f"{path}/{call}", "tool", "note", f"{path}/{agent}", json.dumps(text)))
    journal.add(_ended(f"{path}/{call}", f"noted: part {turn}", None))


def _record_response(
    journal: RunJournal, path: str, agent: str, turn: int, output: list[dict[str, str]]
) -> None:
    node = f"{path}/model~{turn + 1}" if turn else f"{path}/model"
    journal.add(_started(node, "model", MODEL, f"{path}/{agent}"))
    response = {"id": f"x{turn}", "output": output, "usage": None}
    journal.keep(node, {"path": path, "agent": agent, "ordinal": turn, "response": response})
    journal.add(_ended(node, "", Usage(requests=1, input_tokens=10, output_tokens=5)))


def _call(call_id: str, name: str, arguments: dict[str, str]) -> dict[str, str]:
    return {
        "type": "function_call", "call_id": call_id, "name": name,
        "arguments": json.dumps(arguments),
    }  # fmt: skip


def _message(number: int) -> dict[str, str]:
    return {
        "recipient_agent": f"worker{number}", "message": "Do your part.",
        "additional_instructions": "",
    }  # fmt: skip


async def _resumed(url: str, env: dict[str, str], turns: int) -> float:
    quieten_sdk(tracing=False)
    manifest = load_manifest(HERE / "ten_workers.yaml")
    agency = build_agency(manifest, overrides=ModelOverrides(), environ=env, notify=lambda _: None)
    gc.freeze()
    began = time.perf_counter()
    threads = Threads(open_database(url))
    store = Runs(threads.database)
    written = store.rows("r")
    past = Past.of(closed(written))
    journal = RunJournal.going_on(threads.database, ORIGIN, "r", [row.event for row in written])
    request = RunRequest(
        run_id="r",
        thread_id="t",
        message="Do it",
        entry="boss",
        limits=manifest.manifest.limits.model_copy(update={"max_turns": turns + 99}),
        memory=lambda name: threads.conversation("t", name, "r"),
        keep=journal.keep,
        past=past,
    )
    answer = await run_agency(agency, request, journal.add)
    seconds = time.perf_counter() - began
    assert (answer, past.turns) == ("Done.", turns + 1)
    again = len(Past.of(store.rows("r")).responses) - past.turns
    assert again == WORKERS + 1, "nothing recorded was asked for again"
    await agency.close()
    return seconds


def _run(place: int) -> dict[str, object]:
    at = AT + timedelta(seconds=place)
    return {
        "id": f"{place:012x}", "agency": "dev_shop", "thread_id": f"t{place:011x}",
        "agent": "ceo", "message": "Build a REST API for a library", "manifest": "/a/agency.yaml",
        "digest": "0" * 64, "options": {"models": [], "params": [], "limits": {}},
        "models": {f"agent{number}": MODEL for number in range(4)}, "started_at": at,
        "status": "ok", "ended_at": at, "cost_usd": "0.0123", "unpriced_models": [], "cut_off": 0,
    }  # fmt: skip


def _started(
    node_id: str, kind: str, name: str, parent: str | None, detail: str = ""
) -> NodeStarted:
    return NodeStarted(
        id=node_id, parent_id=parent, kind=kind, name=name, agent="boss", at=AT, detail=detail
    )


def _ended(node_id: str, output: str, usage: Usage | None) -> NodeEnded:
    return NodeEnded(id=node_id, status="ok", at=AT, seconds=0.1, usage=usage, output=output)
