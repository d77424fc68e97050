"""Places on the call path, and the one where the current code runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agency_cli.run_context.context import RunContext


@dataclass(slots=True)
class Frame:
    """One agent at work on one input: a place on the call path.

    Attributes:
        run: The run it belongs to.
        path: The call path: empty for the entry agent, `<path>/<tool call>` in a delegation.
        agent: Key of the agent that was given the input.
        sender: The frame that asked, None for the entry agent.
        node_id: Its agent node, under which its model and tool calls stand; set as it opens.
    """

    run: RunContext
    path: str
    agent: str
    sender: Frame | None = None
    node_id: str = ""

    @property
    def depth(self) -> int:
        """How many delegations lie above: 0 for the entry agent."""
        return 0 if self.sender is None else self.sender.depth + 1

    def lineage(self) -> Iterator[Frame]:
        """Yield this frame, the one that asked it, and so on to the entry agent."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.sender


current_frame: ContextVar[Frame] = ContextVar("current_frame")
