"""What the journal costs: ten streamed turns with and without it, and one row alone."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from agency_cli.building import Agency, build_agency
from agency_cli.events import NodeEnded, NodeStarted, RunStarted, Usage
from agency_cli.loading import load_manifest
from agency_cli.models.choice import ModelOverrides
from agency_cli.running import RunRequest, quieten_sdk, run_agency
from agency_cli.store import RunJournal, RunOrigin, open_database
from measuring import Timing

HERE = Path(__file__).parent
ORIGIN = RunOrigin(manifest="bench", digest="", options={}, models={}, secrets=("sk-bench",))


def ten_turns(url: str, runs: int) -> tuple[Timing, Timing]:
    """Run ten turns with and without a journal in turn; return the seconds of both."""
    with tempfile.TemporaryDirectory(prefix="agency-bench-") as folder:
        return asyncio.run(_ten_turns(url, runs, Path(folder)))


def rows(number: int) -> Timing:
    """Write so many rows, every second one with a model's response; return the seconds of each."""
    at, seconds = datetime.now(UTC), []
    with tempfile.TemporaryDirectory(prefix="agency-bench-") as folder:
        journal = _journal(Path(folder))
        journal.add(
            RunStarted(run_id="r", thread_id="t", agency="a", agent="b", message="m", at=at)
        )
        for place in range(number // 2):
            node = f"/model~{place}"
            journal.keep(node, {"response": {"output": [{"text": "word " * 400}]}})
            for event in (
                NodeStarted(id=node, parent_id=None, kind="model", name="m", agent="b", at=at),
                NodeEnded(
                    id=node,
                    status="ok",
                    at=at,
                    seconds=1,
                    usage=Usage(requests=1),
                    output="x" * 2000,
                ),
            ):
                began = time.perf_counter()
                journal.add(event)
                seconds.append(time.perf_counter() - began)
    return Timing(tuple(seconds))


async def _ten_turns(url: str, runs: int, folder: Path) -> tuple[Timing, Timing]:
    quieten_sdk(tracing=False)
    agency = build_agency(
        load_manifest(HERE / "ten_turns.yaml"),
        overrides=ModelOverrides(),
        environ={"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "x"},
        notify=lambda _: None,
    )
    # As the command line does: what was imported stays, and need not be looked at again.
    gc.freeze()
    written, told_to_nobody = [], []
    try:
        for number in range(runs + 1):
            pair = await _run(agency, _journal(folder)), await _run(agency, None)
            if number > 0:
                written.append(pair[0])
                told_to_nobody.append(pair[1])
    finally:
        await agency.close()
    return Timing(tuple(written)), Timing(tuple(told_to_nobody))


async def _run(agency: Agency, journal: RunJournal | None) -> float:
    request = {"message": "Do it", "entry": "writer", "limits": agency.loaded.manifest.limits}
    began = time.perf_counter()
    if journal is None:
        await run_agency(agency, RunRequest(**request), lambda _: None)
    else:
        await run_agency(agency, RunRequest(**request, keep=journal.keep), journal.add)
    return time.perf_counter() - began


def _journal(folder: Path) -> RunJournal:
    return RunJournal(open_database(f"sqlite:///{folder / 'bench.db'}"), ORIGIN)
