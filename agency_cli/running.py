"""One run: the SDK's stream to our events, the SDK's errors to ours."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from agents import (
    RunConfig,
    Runner,
    ToolErrorFormatterArgs,
    ToolExecutionConfig,
    TResponseInputItem,
    set_trace_processors,
)

from agency_cli.building import Agency
from agency_cli.errors import AgencyError, Interrupted, LimitReached, Paused, RunFailed, one_line
from agency_cli.events import ApprovalDecided, Notice, RunEnded, RunEndStatus, RunError, RunStarted
from agency_cli.failures import own_failure
from agency_cli.limits import Ledger
from agency_cli.manifest import Limits
from agency_cli.messaging import USER, ConversationSession
from agency_cli.outputs import as_text
from agency_cli.run_context import (
    Approvals,
    Clock,
    Frame,
    Keep,
    Memory,
    Past,
    RunContext,
    RunMemory,
    Watch,
    agent_at_work,
    current_frame,
    end_all_nodes,
    keep_nothing,
    may_begin,
    now,
)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is asked of an agency: one message to one of its agents.

    Attributes:
        message: The message.
        parts: Images and files that go with it, as the SDK takes them.
        extras: What the command line gives to tools, by name.
        entry: Key of the agent that gets it.
        limits: The limits in force.
        limit_origins: Where each limit was set that has not its default.
        thread_id: The thread that the message belongs to, if it is remembered.
        memory: The conversations of that thread.
        remember: Is told who has the user's conversation, as soon as that changes.
        run_id: The run's id; the default is no store's.
        keep: Has what resuming needs written down with a node's end.
        past: What the run has done already, where it is resumed.
        decisions: What was decided, since it paused, of calls that waited for approval.
        approvals: Who agrees to calls.
        stop: Set by whoever wants the run to end as soon as what is under way has.
    """

    message: str
    entry: str
    limits: Limits
    parts: Sequence[Mapping[str, Any]] = ()
    extras: Mapping[str, str] = field(default_factory=dict)
    limit_origins: Mapping[str, str] = field(default_factory=dict)
    thread_id: str | None = None
    memory: Memory = field(default_factory=RunMemory)
    remember: Callable[[str], None] = lambda _agent: None
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    keep: Keep = keep_nothing
    past: Past = field(default_factory=Past)
    decisions: Sequence[ApprovalDecided] = ()
    approvals: Approvals = field(default_factory=Approvals)
    stop: asyncio.Event = field(default_factory=asyncio.Event)


async def run_agency(agency: Agency, request: RunRequest, watch: Watch) -> str:
    """Run one message to its final output.

    Args:
        agency: The built agency.
        request: The message, and the key of the agent that gets it.
        watch: Gets every event; the last one is RunEnded, whatever happens.

    Returns:
        The final output, as text.

    Raises:
        AgencyError: The run ended without a final output; its class tells the exit code.
    """
    manifest = agency.loaded.manifest
    run = RunContext(
        run_id=request.run_id,
        params=agency.loaded.params,
        extras=request.extras,
        guards=agency.guards,
        watch=watch,
        ledger=_ledger(request, watch),
        memory=request.memory,
        keep=request.keep,
        past=request.past,
        active_agent=request.entry,
        remember=request.remember,
        approvals=request.approvals,
        stop=request.stop,
    )
    watch(
        RunStarted(
            run_id=run.run_id,
            thread_id=request.thread_id,
            agency=manifest.name,
            agent=request.entry,
            message=request.message,
            at=now(),
            resumed=request.past.resumed,
        )
    )
    for decided in request.decisions:
        watch(decided)
    began = run.ledger.began
    try:
        output = await _entry_agent(agency, request, run)
    except (Exception, asyncio.CancelledError) as error:
        failure = own_failure(error)
        _end(run, began, failure=failure or RunFailed(f"{type(error).__name__}: {error}"))
        if failure is None:
            raise
        raise failure from error
    is_json = agency.agents[run.active_agent].output_type is not None
    _end(run, began, output=output, is_json=is_json)
    return output


def quieten_sdk(*, tracing: bool) -> None:
    """Keep the SDK from uploading traces and from writing on the terminal."""
    if not tracing:
        set_trace_processors([])
    # The client of MCP servers has two names.
    for name in ("openai.agents", "mcp", "client"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


def _ledger(request: RunRequest, watch: Watch) -> Ledger:
    past = request.past
    return Ledger(
        request.limits,
        request.limit_origins,
        turns=past.turns,
        tokens=past.tokens,
        cost_usd=past.cost_usd,
        began=time.monotonic() - past.seconds,
        notify=lambda text: watch(Notice(text=text, at=now())),
    )


async def _entry_agent(agency: Agency, request: RunRequest, run: RunContext) -> str:
    frame = Frame(run, "", request.entry)
    current_frame.set(frame)
    # The time is up for the agents of this frame; what is cancelled is what they wait for.
    with agent_at_work(frame, None, request.message) as work:
        output = await _in_time(_final_output(agency, request, run), request, run)
        if not output.strip():
            run.notify(f"{run.active_agent} answered with an empty text")
        work.finish(output)
        return output


async def _in_time(answer: Awaitable[str], request: RunRequest, run: RunContext) -> str:
    most = request.limits.max_seconds
    left = None if most is None else max(most - request.past.seconds, 0)
    try:
        async with asyncio.timeout(left) as timeout:
            run.clock = Clock(timeout)
            return await answer
    except TimeoutError:
        if not timeout.expired():
            raise
        raise run.ledger.time_is_up(run.active_agent) from None


async def _final_output(agency: Agency, request: RunRequest, run: RunContext) -> str:
    reached = agency.loaded.manifest.reached_from(request.entry)
    await agency.servers.ready(reached, run)
    await may_begin(current_frame.get())
    result = Runner.run_streamed(
        agency.agents[request.entry],
        _input(request),
        context=run,
        session=ConversationSession(USER, request.memory(USER)),
        # The run's own limits end it, over the whole tree.
        max_turns=None,
        run_config=_run_config(agency, request.limits),
    )
    async for _ in result.stream_events():
        pass
    return as_text(result.final_output)


def _input(request: RunRequest) -> str | list[TResponseInputItem]:
    if not request.parts:
        return request.message
    parts = [{"type": "input_text", "text": request.message}, *request.parts]
    return [cast("TResponseInputItem", {"role": "user", "content": parts})]


def _run_config(agency: Agency, limits: Limits) -> RunConfig:
    manifest = agency.loaded.manifest
    return RunConfig(
        workflow_name=manifest.name,
        tracing_disabled=not manifest.tracing,
        tool_not_found_behavior="return_error_to_model",
        tool_name_collision_policy="error",
        tool_error_formatter=_tool_error,
        tool_execution=ToolExecutionConfig(max_function_tool_concurrency=limits.max_parallel),
    )


def _tool_error(problem: ToolErrorFormatterArgs[Any]) -> str | None:
    if problem.kind == "tool_not_found":
        return f"there is no tool {problem.tool_name!r}; use one of those that you were given"
    if problem.kind == "tool_exception" and problem.error is not None:
        reason = f"{type(problem.error).__name__}: {one_line(problem.error)}"
        return f"{problem.tool_name} failed: {reason}"
    return None


def _end(
    run: RunContext,
    began: float,
    *,
    output: str | None = None,
    is_json: bool = False,
    failure: AgencyError | None = None,
) -> None:
    end_all_nodes(run)
    error = None
    if failure is not None:
        ended_in = failure.agent if isinstance(failure, RunFailed) else None
        error = RunError(kind=failure.kind, message=str(failure), agent=ended_in)
    run.watch(
        RunEnded(
            status=_status_of(failure),
            at=now(),
            seconds=time.monotonic() - began,
            final_output=output,
            final_agent=run.active_agent,
            is_json=is_json,
            error=error,
        )
    )


def _status_of(failure: AgencyError | None) -> RunEndStatus:
    match failure:
        case None:
            return "ok"
        case LimitReached():
            return "limit"
        case Interrupted():
            return "cancelled"
        case Paused():
            return "paused"
        case _:
            return "error"
