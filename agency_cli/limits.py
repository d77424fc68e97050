"""What a run has spent, against its limits; counted over the whole tree."""

from __future__ import annotations

from dataclasses import dataclass

from agency_cli.errors import LimitReached
from agency_cli.manifest import Limits


@dataclass(slots=True)
class Ledger:
    """Counts what all agents of a run do together.

    A call is counted before it is made, so that parallel branches together never pass a limit.
    """

    limits: Limits
    turns: int = 0

    def begin_turn(self, agent: str) -> None:
        """Count one model call of `agent`.

        Raises:
            LimitReached: The run has made all the model calls that it may.
        """
        if self.turns >= self.limits.max_turns:
            raise LimitReached(
                f"the run has made {self.turns} model calls, the most that limits.max_turns"
                f" allows; raise limits.max_turns to go further",
                agent=agent,
            )
        self.turns += 1

    def refuse_depth(self, depth: int) -> str | None:
        """Return why no delegation may go `depth` levels down, or None where it may."""
        if depth <= self.limits.max_depth:
            return None
        return (
            f"delegations may nest {self.limits.max_depth} deep (limits.max_depth) and this one"
            " would be deeper; answer with what you have"
        )
