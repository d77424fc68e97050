"""A tool around a tool: each call is told of, and what goes wrong comes back as text."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from agents import FunctionTool, ModelBehaviorError
from agents.tool_context import ToolContext
from pydantic import TypeAdapter, ValidationError

from agency_cli.errors import AgencyError, one_line
from agency_cli.foreign import ToolRefused, reason_of, traceback_of
from agency_cli.manifest import ApprovalAnswer, ToolSpec
from agency_cli.misfits import misfits_of_schema
from agency_cli.outputs import Media, as_text, is_media
from agency_cli.run_context import (
    OpenNode,
    PastResult,
    RunContext,
    ToolCall,
    current_call,
    current_frame,
    may_begin,
    open_node,
    refusal_of,
)

OUTCOME_UNKNOWN = (
    "the run was interrupted while this call was under way, and whether it took effect is unknown;"
    " find out before you call it again"
)
"""What the model is told of a call that was cut off, where its tool says `on_resume: report`."""


def watched(
    tool: FunctionTool, agent: str, key: str, spec: ToolSpec, *, own_name: str = ""
) -> FunctionTool:
    """Return a copy of `tool` that reports its calls by `agent`; `tool` stays as it is.

    Args:
        tool: The tool.
        agent: Key of the agent that gets it.
        key: The name under `tools` that stands for it.
        spec: What the manifest says of it.
        own_name: What else it is called, in rules of approval.
    """
    outer = copy.copy(tool)
    outer.on_invoke_tool = _WatchedCalls(tool, agent, key, spec, own_name).invoke
    # It is asked for here: what the SDK would ask for does not outlive the process.
    outer.needs_approval = False
    # It is kept here: a person who is asked may take their time.
    outer.timeout_seconds = None
    return outer


@dataclass(frozen=True, slots=True)
class _WatchedCalls:
    """What happens around each call of one agent's tool."""

    tool: FunctionTool
    agent: str
    key: str
    spec: ToolSpec
    own_name: str

    async def invoke(self, context: ToolContext[RunContext], arguments: str) -> object:
        frame, name = current_frame.get(), self.tool.name
        run = frame.run
        frame.require_progress(self.agent, name, arguments)
        node_id = run.unique_id(f"{frame.path}/{context.tool_call_id}")
        past = run.past.results.get(node_id)
        if past is not None:
            frame.note_result(self.agent, name, arguments, past.text)
            return _given_back(past)
        await may_begin(frame)
        with open_node(
            run, node_id, frame.node_id, "tool", name, agent=self.agent, detail=arguments
        ) as node:
            result = await self._result(node, context, arguments)
            frame.note_result(self.agent, name, arguments, node.output)
            if not is_media(result):
                return node.output
            run.keep(node_id, {"media": _media().dump_python(result, mode="json")})
            return result

    async def _result(
        self, node: OpenNode, context: ToolContext[RunContext], arguments: str
    ) -> object:
        """Call the tool if it may be called, and note in the node what the model is told."""
        try:
            refusal = await self._refusal(node, context, arguments)
            if refusal is None:
                refusal = await self._fault_of("tool_input", node, arguments)
            if refusal is None:
                result = await self._called(node, context, arguments)
                node.output = as_text(result)
                withheld = await self._fault_of("tool_output", node, node.output)
                if withheld is None:
                    return result
                node.fail(withheld)
                node.output = f"what {self.tool.name} gave back is withheld: {withheld}"
                return node.output
            node.fail(refusal)
            node.output = f"{self.tool.name} was not called: {refusal}"
        except AgencyError:
            # A limit, a pause, a guardrail or its judge: none of the tool's own doing.
            raise
        except Exception as error:  # noqa: BLE001 - a tool is foreign code and may raise anything
            reason = _reason(error, self.tool, arguments)
            if not isinstance(error, ModelBehaviorError | ToolRefused):
                node.run.keep(node.id, {"traceback": traceback_of(error)})
            node.fail(reason)
            node.output = f"{self.tool.name} failed: {reason}"
        return node.output

    async def _fault_of(
        self, kind: Literal["tool_input", "tool_output"], node: OpenNode, text: str
    ) -> str | None:
        """Return what a guardrail of the agent says against it, or None."""
        guards = node.run.guards.get(self.agent)
        if guards is None:
            return None
        value = _arguments_by_name(self.tool, text) if kind == "tool_input" else text
        return await guards.fault_of(kind, value, f"{node.id}/{kind}", node.id) or None

    async def _called(
        self, node: OpenNode, context: ToolContext[RunContext], arguments: str
    ) -> object:
        """Call the tool, at a time when no other call of it is made if the manifest says so."""
        current_call.set(ToolCall(node, (self.agent, self.tool.name), arguments))
        if not self.spec.one_at_a_time:
            return await self._called_in_time(context, arguments)
        lock = node.run.locks[f"tools.{self.key}"]
        with node.run.parking.idle(node.id):
            await lock.acquire()
        try:
            if not node.run.stop.is_set():
                return await self._called_in_time(context, arguments)
        finally:
            lock.release()
        raise await node.run.parking.park(node.id)

    async def _called_in_time(self, context: ToolContext[RunContext], arguments: str) -> object:
        seconds = self.spec.timeout_seconds or self.tool.timeout_seconds
        if self.spec.keeps_time_itself:
            seconds = None
        try:
            async with asyncio.timeout(seconds) as clock:
                return await self.tool.on_invoke_tool(context, arguments)
        except TimeoutError:
            if not clock.expired():
                raise
            raise ToolRefused(
                f"it took longer than {seconds:g} s (tools.{self.key}.timeout_seconds) and was"
                " given up; whether it took effect is unknown"
            ) from None

    async def _refusal(
        self, node: OpenNode, context: ToolContext[RunContext], arguments: str
    ) -> str | None:
        """Return why the call is not made, or None."""
        approvals, past = node.run.approvals, node.run.past
        answer = await self._approval(context, arguments)
        was_agreed = answer != "ask" or approvals.decision_on(node.id) is not None
        if answer == "ask" and not was_agreed:
            # A strict schema asks for what Python has a default for; the call itself does not.
            misfit = _misfit(self.tool, arguments, ignored=("required",))
            if misfit is not None:
                # Nobody need be asked about a call that cannot be made.
                return misfit
        refusal = await refusal_of(node, (self.agent, self.tool.name), arguments, answer)
        if refusal is None and was_agreed and node.id in past.begun and self._reports:
            return OUTCOME_UNKNOWN
        return refusal

    @property
    def _reports(self) -> bool:
        return self.spec.on_resume == "report"

    async def _approval(self, context: ToolContext[RunContext], arguments: str) -> ApprovalAnswer:
        """Return what the manifest says of the call; where it says nothing, what the tool says."""
        values = _arguments_by_name(self.tool, arguments)
        said = self.spec.answer_to(self.tool.name, values, self.own_name)
        if said is not None:
            return said
        needed = self.tool.needs_approval
        if callable(needed):
            needed = await needed(context, values, context.tool_call_id)
        return "ask" if needed else "never"


def _arguments_by_name(tool: FunctionTool, arguments: str) -> dict[str, Any]:
    """Return what the tool is called with, defaults included; nothing where that is no object."""
    try:
        values = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, dict):
        return {}
    properties = tool.params_json_schema.get("properties", {})
    defaults = {name: each["default"] for name, each in properties.items() if "default" in each}
    return {**defaults, **values}


def _given_back(past: PastResult) -> object:
    """Return what a tool gave; the text alone where an imported journal has no sound media."""
    try:
        return _media().validate_python(past.kept["media"]) if past.kept else past.text
    except (KeyError, ValidationError):
        return past.text


@cache
def _media() -> TypeAdapter[Media]:
    return TypeAdapter(Media)


def _reason(error: Exception, tool: FunctionTool, arguments: str) -> str:
    if isinstance(error, ModelBehaviorError):
        # The SDK keeps to itself what is wrong with the arguments.
        return _misfit(tool, arguments) or one_line(error)
    return reason_of(error)


def _misfit(tool: FunctionTool, arguments: str, ignored: Iterable[str] = ()) -> str | None:
    try:
        values = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return "the arguments are not JSON; send them again"
    if not isinstance(values, dict):
        return "the arguments are not a JSON object; send them again"
    problems = misfits_of_schema(
        tool.params_json_schema, values, whole="arguments", ignored=ignored
    )
    return f"wrong arguments ({'; '.join(problems)}); correct them" if problems else None
