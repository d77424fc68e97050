"""What a model's response says, and whether it can be worked with."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any

from agents.items import TResponseStreamEvent
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseUsage,
)

from agency_cli.errors import RunFailed
from agency_cli.events import Usage
from agency_cli.outputs import whole_characters
from agency_cli.run_context import Frame, open_node

_TO_BE_DONE = frozenset(
    {
        *("function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call"),
        *("apply_patch_call", "mcp_approval_request"),
    }
)
"""Items that the one who called has to answer before the agent is done."""


def usage_of(usage: ResponseUsage) -> Usage:
    """Return the tokens of one call."""
    details = usage.input_tokens_details
    return Usage(
        requests=1,
        input_tokens=usage.input_tokens,
        # Compatible servers leave out what they do not count.
        cached_input_tokens=details.cached_tokens or 0,
        cache_write_tokens=details.cache_write_tokens or 0,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.output_tokens_details.reasoning_tokens or 0,
    )


def text_of(output: list[Any]) -> str:
    """Return all text, or the refusal, of a response's output."""
    return "".join(
        part.text if part.type == "output_text" else part.refusal
        for item in output
        if item.type == "message"
        for part in item.content
    )


def cut_short(agent: str, reason: str) -> RunFailed:
    """Return the error of an answer that is not whole, for the provider's `reason`."""
    limits = ("length", "max_output_tokens")
    advice = "; raise settings.max_tokens, or ask for less at once" if reason in limits else ""
    return RunFailed(f"the answer of {agent} was cut short ({reason}){advice}", agent=agent)


def require_readable(agent: str, response: Response) -> None:
    """Stop at arguments on which every JSON parser, the SDK's too, would overflow.

    Raises:
        RunFailed: There are such arguments.
    """
    for call in _calls(response):
        try:
            json.loads(call.arguments or "{}")
        except RecursionError:
            raise RunFailed(
                f"the model of {agent} called {call.name} with arguments nested too deep to read",
                agent=agent,
            ) from None
        except ValueError:
            # Told to the model by the tool itself.
            continue


def note_unknown_tools(
    frame: Frame,
    agent: str,
    response: Response,
    offered: Container[str],
    *,
    again: bool = False,
) -> None:
    """Report calls of tools that there are not, unless `again`; the SDK answers them by itself.

    Raises:
        LimitReached: The agent calls one again and again.
    """
    for call in _calls(response):
        if call.name in offered:
            continue
        frame.require_progress(agent, call.name, call.arguments)
        if not again:
            _report_unknown(frame, agent, call)
        frame.note_result(agent, call.name, call.arguments, "")


def _report_unknown(frame: Frame, agent: str, call: ResponseFunctionToolCall) -> None:
    run = frame.run
    with open_node(
        run,
        run.unique_id(f"{frame.path}/{call.call_id}"),
        frame.node_id,
        "tool",
        call.name,
        agent=agent,
        detail=call.arguments,
    ) as node:
        node.fail("there is no such tool")


class UniqueCallIds:
    """Gives each call of one response an id that its conversation does not have yet.

    Some servers begin to count anew with each response. The SDK, and every provider that the
    conversation is sent to later, takes a repeated id for the same call.
    """

    def __init__(self, conversation: str | Sequence[Any]) -> None:
        """Take the ids of `conversation`, as the model is given it."""
        items: Sequence[Any] = () if isinstance(conversation, str) else conversation
        self._taken = {item["call_id"] for item in items if item.get("type") == "function_call"}
        self._ids: dict[int, str] = {}

    def apply(self, event: TResponseStreamEvent) -> None:
        """Change the ids in `event` where they must be."""
        match event:
            case ResponseOutputItemAddedEvent() | ResponseOutputItemDoneEvent():
                self._rename(event.output_index, event.item)
            case ResponseCompletedEvent():
                for index, item in enumerate(event.response.output):
                    self._rename(index, item)
            case _:
                pass

    def _rename(self, index: int, item: object) -> None:
        if not isinstance(item, ResponseFunctionToolCall):
            return
        if index not in self._ids:
            wanted, number = item.call_id, 1
            while wanted in self._taken:
                number += 1
                wanted = f"{item.call_id}_{number}"
            self._taken.add(wanted)
            self._ids[index] = wanted
        item.call_id = self._ids[index]
        item.arguments = _whole_arguments(item.arguments)


def _whole_arguments(arguments: str) -> str:
    """Mend halves of characters, which JSON can hold and nobody can send."""
    if "\\ud" not in arguments.lower():
        return arguments
    try:
        return whole_characters(json.dumps(json.loads(arguments), ensure_ascii=False))
    except (ValueError, RecursionError):
        return arguments


def _calls(response: Response) -> list[ResponseFunctionToolCall]:
    return [item for item in response.output if isinstance(item, ResponseFunctionToolCall)]


def final_text(response: Response) -> str | None:
    """Return the text that ends an agent's work; None where it goes on, or the model refuses.

    What the provider did by itself, such as a search, is over by then.
    """
    for item in response.output:
        if item.type in _TO_BE_DONE:
            return None
        if item.type == "message" and any(part.type == "refusal" for part in item.content):
            return None
    return response.output_text
