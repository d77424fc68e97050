"""One run: what its parts share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agency_cli.events import Event, Notice
from agency_cli.limits import Ledger
from agency_cli.run_context.queues import PairQueues

Watch = Callable[[Event], None]


@dataclass(slots=True)
class RunContext:
    """One run; the SDK hands it to every tool as the run context's `context`.

    Attributes:
        run_id: Id of the run.
        params: Values of the manifest's params, for tools to read.
        watch: Gets every event as it happens; must return at once.
        ledger: What the run has spent, against its limits.
        conversations: What a recipient remembers of a sender, by (sender, recipient): one list
            of items per pair, filled by the SDK.
        queues: Who waits for whom.
    """

    run_id: str
    params: Mapping[str, object]
    watch: Watch
    ledger: Ledger
    conversations: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    queues: PairQueues = field(default_factory=PairQueues)
    _ids: set[str] = field(default_factory=set)

    def unique_id(self, wanted: str) -> str:
        """Return `wanted`, numbered if this run has it already; providers repeat their ids."""
        candidate, number = wanted, 1
        while candidate in self._ids:
            number += 1
            candidate = f"{wanted}~{number}"
        self._ids.add(candidate)
        return candidate

    def notify(self, text: str) -> None:
        """Tell the person watching something."""
        self.watch(Notice(text=text, at=now()))


def now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)
