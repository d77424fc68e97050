"""Where a branch stops before it does something: the run is to end, or a person must agree."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext

from agency_cli.events import ApprovalAsked, ApprovalDecided, DecidedBy
from agency_cli.manifest import ApprovalAnswer
from agency_cli.run_context.approvals import Answer, Subject, call_name
from agency_cli.run_context.context import RunContext, now
from agency_cli.run_context.frames import Frame, current_frame
from agency_cli.run_context.nodes import OpenNode


async def may_begin(frame: Frame) -> None:
    """Let nothing new begin in a run that is to stop; what is under way comes to its end.

    Raises:
        Interrupted: All of it has.
    """
    if frame.run.stop.is_set():
        raise await frame.run.parking.park(frame.node_id)


async def refusal_of(
    node: OpenNode, subject: Subject, arguments: str, answer: ApprovalAnswer
) -> str | None:
    """Return why a call may not be made, for the model; None where it may.

    Args:
        node: The call's node, open.
        subject: Who calls what.
        arguments: What it is called with, as JSON.
        answer: What the manifest says of the call.

    Raises:
        Paused: A person must agree, nobody can be asked, and no other branch can go on.
    """
    match answer:
        case "never":
            return None
        case "deny":
            return f"the manifest allows no such call of {subject[1]}; go on without it"
        case "ask":
            decided = await _decision(node, subject, arguments)
            return None if decided.approved else _refusal(decided)


async def answer_of_person(node: OpenNode, subject: Subject, arguments: str) -> ApprovalDecided:
    """Return what a person answers to the question that a call is; its `reason` why not, if not.

    Args:
        node: The call's node, open.
        subject: Who calls what.
        arguments: The question, as JSON.

    Raises:
        Paused: Nobody can be asked, and no other branch can go on.
    """
    return await _decision(node, subject, arguments, is_question=True)


async def _decision(
    node: OpenNode, subject: Subject, arguments: str, *, is_question: bool = False
) -> ApprovalDecided:
    approvals = node.run.approvals
    before = approvals.decision_on(node.id)
    if before is not None:
        return before
    ready = approvals.ready_answer(subject, is_question=is_question)
    answer, by = ready or await _asked(node, subject, arguments, is_question=is_question)
    decided = ApprovalDecided(
        node_id=node.id,
        call=call_name(node.id),
        approved=answer.approved,
        by=by,
        at=now(),
        reason=answer.reason,
        always=answer.always,
        answer=answer.text,
    )
    approvals.note(decided, subject)
    # Written down before anything depends on it.
    node.run.watch(decided)
    return decided


async def _asked(
    node: OpenNode, subject: Subject, arguments: str, *, is_question: bool
) -> tuple[Answer, DecidedBy]:
    """Ask a person; where that cannot be done, or the answer is left for later, park the branch."""
    run = node.run
    question = ApprovalAsked(
        node_id=node.id,
        call=call_name(node.id),
        agent=subject[0],
        subject=subject[1],
        arguments=arguments,
        at=now(),
        is_question=is_question,
    )
    run.watch(question)
    with _standing_still(current_frame.get()):
        async with run.approvals.turn:
            # While another was asked, it may have been answered for this one too.
            ready = run.approvals.ready_answer(subject, is_question=is_question)
            answer = None if ready else await _answer_to(run, question)
        if ready is not None:
            return ready
        if answer is not None:
            return answer, "person"
        run.approvals.wait_for(question)
        raise await run.parking.park(node.id)


async def _answer_to(run: RunContext, question: ApprovalAsked) -> Answer | None:
    """Return the answer; None where nobody can be asked, or the run is to stop."""
    if run.approvals.ask is None or run.stop.is_set():
        return None
    asking = asyncio.ensure_future(run.approvals.ask(question))
    stopping = asyncio.ensure_future(run.stop.wait())
    with run.clock.stopped() if run.clock else nullcontext():
        try:
            await asyncio.wait((asking, stopping), return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else None
        finally:
            asking.cancel()
            stopping.cancel()
            await asyncio.gather(asking, stopping, return_exceptions=True)


@contextmanager
def _standing_still(frame: Frame) -> Iterator[None]:
    """Let no time pass for the agents that wait for an answer, and those that wait for them."""
    with ExitStack() as stack:
        for waiting in frame.lineage():
            if waiting.clock is not None:
                stack.enter_context(waiting.clock.stopped())
        yield


def _refusal(decided: ApprovalDecided) -> str:
    reason = f": {decided.reason}" if decided.reason else ""
    return f"a person did not agree to this call{reason}. Do not try it again; go on without it"
