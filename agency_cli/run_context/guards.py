"""Guardrails at work: what goes into an agent, what comes out, and what its tools are given."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from agency_cli.errors import Refused
from agency_cli.run_context.frames import Frame, current_frame
from agency_cli.run_context.nodes import open_node

Checked = Literal["input", "output", "tool_input", "tool_output"]
Look = Callable[[str | dict[str, Any], str], Awaitable[str]]
"""Looks at a value, from a place on the call path; returns what is wrong, or nothing."""
FINE = "ok"
"""What the node of a guardrail gives back that found nothing."""
_WORDS: dict[Checked, str] = {
    "input": "what was asked of {}",
    "output": "the final output of {}",
    "tool_input": "what {} gave a tool",
    "tool_output": "what a tool gave {}",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """One guardrail.

    Attributes:
        name: Its key.
        applies_to: What it looks at.
        action: What happens to a value that does not pass.
        retries: How often it may be given again before it is refused for good.
        message: What is told in place of its reason.
        look: Looks at a value.
        is_recorded: What it finds is written down, since it may find something else next time.
    """

    name: str
    applies_to: Checked
    action: Literal["block", "retry", "warn"]
    retries: int
    message: str
    look: Look
    is_recorded: bool


@dataclass(frozen=True, slots=True)
class AgentGuards:
    """The guardrails of one agent, in the order in which they are asked."""

    agent: str
    guards: tuple[Guard, ...] = ()

    async def fault_of(
        self, kind: Checked, value: str | dict[str, Any], place: str, parent: str
    ) -> str:
        """Return why a value must be given again, for the model; nothing where it passes.

        Args:
            kind: What it is.
            value: A text; of a tool's input, its arguments.
            place: A place on the call path that no other value has.
            parent: The node below which a guardrail that has something to say is shown.

        Raises:
            Refused: It does not pass, and may not be given again.
        """
        frame = current_frame.get()
        for guard in self.guards:
            if guard.applies_to != kind:
                continue
            reason = await _reason(
                guard, value, frame, (f"{place}/{guard.name}", parent, self.agent)
            )
            if not reason:
                continue
            told = guard.message or reason
            what = _WORDS[kind].format(self.agent)
            if guard.action == "warn":
                frame.run.notify(f"guardrail {guard.name}: {what}: {told}")
                continue
            key = (self.agent, guard.name)
            tried = frame.refusals.get(key, 0)
            if guard.action == "retry" and tried < guard.retries:
                frame.refusals[key] = tried + 1
                return told
            raise Refused(f"guardrail {guard.name} refused {what}: {told}", agent=self.agent)
        return ""


async def _reason(
    guard: Guard, value: str | dict[str, Any], frame: Frame, where: tuple[str, str, str]
) -> str:
    place, parent, agent = where
    run = frame.run
    node_id = run.unique_id(place)
    past = run.past.results.get(node_id)
    if past is not None:
        return "" if past.text == FINE else past.text
    reason = ""
    if not guard.is_recorded:
        reason = await guard.look(value, node_id)
        if not reason:
            return ""
    detail = json.dumps({"checks": guard.applies_to})
    with open_node(
        run, node_id, parent, "tool", f"guardrail {guard.name}", agent=agent, detail=detail
    ) as node:
        reason = reason or await guard.look(value, node_id)
        node.output = reason or FINE
        if reason:
            node.fail(reason)
    return reason
