"""Runs made of events alone, for tests; `python replays.py NAME` plays one on the terminal."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count

from agency_cli.calltree import CallTree
from agency_cli.events import (
    EndStatus,
    Event,
    NodeEnded,
    NodeKind,
    NodeStarted,
    Notice,
    RunEnded,
    RunError,
    RunStarted,
    TextDelta,
    Usage,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
Events = list[tuple[float, Event]]

PROSE = (
    "I looked at what the client asks for.\n\nThe API needs **three** resources, and each of them"
    " a list, a detail and a way to change it. I will begin with the users, as the others refer"
    " to them.\n"
)
CHINESE = "我已经查看了客户的要求。🚀 接口需要三个资源，每个资源都有列表和详细信息。👩‍💻 完成！"  # noqa: RUF001 - Chinese text has Chinese commas


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


class Recording:
    """Collects events with the second at which each happens; sorted when read."""

    def __init__(self, agency: str = "dev_shop", entry: str = "ceo", message: str = "") -> None:
        self.timed: Events = []
        self._numbers = count(1)
        self._starts: dict[str, float] = {}
        self.at(
            0,
            RunStarted(
                run_id="3f2a91c07b1e",
                thread_id=None,
                agency=agency,
                agent=entry,
                message=message,
                at=NOON,
            ),
        )

    def at(self, second: float, event: Event) -> None:
        self.timed.append((second, event))

    def start(
        self,
        second: float,
        kind: NodeKind,
        name: str,
        *,
        agent: str,
        above: str | None = None,
        detail: str = "",
    ) -> str:
        node_id = f"n{next(self._numbers)}"
        self._starts[node_id] = second
        model = name if kind == "model" else None
        started = NodeStarted(
            id=node_id,
            parent_id=above,
            kind=kind,
            name=name,
            agent=agent,
            at=at(second),
            model=model,
            detail=detail,
        )
        self.at(second, started)
        return node_id

    def end(
        self,
        second: float,
        node_id: str,
        *,
        status: EndStatus = "ok",
        error: str | None = None,
        usage: Usage | None = None,
        cost: str | None = None,
        output: str = "",
    ) -> None:
        ended = NodeEnded(
            id=node_id,
            status=status,
            at=at(second),
            seconds=round(second - self._starts[node_id], 3),
            error=error,
            usage=usage,
            cost_usd=None if cost is None else Decimal(cost),
            output=output,
        )
        self.at(second, ended)

    def call(
        self,
        second: float,
        seconds: float,
        above: str,
        *,
        agent: str,
        model: str = "gpt-5-mini",
        text: str = "",
        cost: str | None = "0.0031",
        tokens: tuple[int, int] = (1_234, 210),
        error: str | None = None,
    ) -> float:
        """Add one model call that writes `text`; return the second at which it ends."""
        node = self.start(second, "model", model, agent=agent, above=above)
        pieces = [text[i : i + 7] for i in range(0, len(text), 7)]
        for index, piece in enumerate(pieces):
            self.at(
                second + seconds * (index + 1) / (len(pieces) + 1),
                TextDelta(node_id=node, text=piece),
            )
        usage = Usage(requests=1)
        if error is None:
            usage = Usage(1, tokens[0], tokens[0] // 3, 0, tokens[1], tokens[1] // 5)
        self.end(
            second + seconds,
            node,
            status="ok" if error is None else "error",
            error=error,
            usage=usage,
            cost=cost if error is None else None,
            output=text,
        )
        return second + seconds

    def tool(
        self,
        second: float,
        seconds: float,
        above: str,
        *,
        agent: str,
        name: str = "write_file",
        detail: str = '{"path": "api/users.py", "text": "from fastapi import APIRouter"}',
        error: str | None = None,
        output: str = "written",
    ) -> float:
        node = self.start(second, "tool", name, agent=agent, above=above, detail=detail)
        status: EndStatus = "ok" if error is None else "error"
        self.end(second + seconds, node, status=status, error=error, output=output)
        return second + seconds

    def ask(self, second: float, above: str, sender: str, recipient: str, message: str) -> str:
        """Open a delegation; return the id of the recipient's node. `answer` closes both."""
        node = self.start(
            second, "message", "send_message", agent=sender, above=above, detail=message
        )
        return self.start(
            second, "agent", recipient, agent=recipient, above=node, detail=f"{message} (composed)"
        )

    def answer(
        self,
        second: float,
        agent_node: str,
        *,
        status: EndStatus = "ok",
        error: str | None = None,
        passed_on: str | None = None,
        output: str = "done",
    ) -> None:
        message_node = f"n{int(agent_node[1:]) - 1}"
        self.end(second, agent_node, status=status, error=error, output=output)
        self.end(second, message_node, status=status, error=passed_on or error, output=output)

    def finish(
        self,
        second: float,
        root: str,
        *,
        output: str = "Done.",
        status: EndStatus = "ok",
        error: RunError | None = None,
    ) -> Recording:
        """End the run; a failed one has an `error` and no output."""
        self.end(second, root, status=status, error=error.message if error else None, output=output)
        final = output if status == "ok" else None
        ended = RunEnded(
            status=status,
            at=at(second),
            seconds=second,
            final_output=final,
            final_agent="ceo" if final is not None else None,
            error=error,
        )
        self.at(second, ended)
        return self

    @property
    def events(self) -> list[Event]:
        return [event for _, event in self.in_order()]

    def in_order(self) -> Events:
        return sorted(self.timed, key=lambda item: item[0])

    def until(self, second: float) -> CallTree:
        """Return the call tree as it stands at a second of the run."""
        return CallTree.of(self.until_events(second))

    def until_events(self, second: float) -> list[Event]:
        return [event for when, event in self.in_order() if when <= second]


def one_agent() -> Recording:
    """Return one agent with one model call."""
    run = Recording("helper", "helper", "Say hello")
    root = run.start(0, "agent", "helper", agent="helper", detail="Say hello")
    run.call(0.1, 1.1, root, agent="helper", text="Hello! How can I help?")
    return run.finish(1.3, root, output="Hello! How can I help?")


def three_levels(*, message: str = "Build a REST API for users", text: str = PROSE) -> Recording:
    """Return a run with two parallel branches, one of which asks further."""
    run = Recording("dev_shop", "ceo", message)
    root = run.start(0, "agent", "ceo", agent="ceo", detail=message)
    now = run.call(0.1, 1.5, root, agent="ceo", model="gpt-5.6", cost="0.0123", text=text)
    _developer(run, root, now, text)
    _assistant(run, root, now, text)
    run.call(7.6, 1.4, root, agent="ceo", model="gpt-5.6", cost="0.0119", text=text)
    return run.finish(9.1, root, output=ANSWER)


def _developer(run: Recording, root: str, now: float, text: str) -> None:
    work = run.ask(now, root, "ceo", "developer", f"Write the backend. {text}")
    now = run.call(now, 1.2, work, agent="developer", text=text)
    now = run.tool(now, 0.2, work, agent="developer")
    below = run.ask(now, work, "developer", "assistant", "Write the API's documentation")
    now = run.call(now, 1.6, below, agent="assistant", text=text)
    run.answer(now, below)
    now = run.call(now, 1.2, work, agent="developer", text=text)
    run.answer(now, work)


def _assistant(run: Recording, root: str, now: float, text: str) -> None:
    work = run.ask(now, root, "ceo", "assistant", "Schedule a review for Friday")
    now = run.call(now, 2.5, work, agent="assistant", text=text)
    now = run.tool(now, 0.1, work, agent="assistant", name="list_files", detail="{}")
    now = run.call(now, 2.0, work, agent="assistant", text=text)
    run.answer(now, work)


def wide_characters() -> Recording:
    """Return a run whose every text is Chinese with emoji."""
    return three_levels(message=CHINESE, text=CHINESE)


def failing() -> Recording:
    """Return a run with a retry, a failed tool, a refused message and a provider that fails."""
    run = Recording("dev_shop", "ceo", "Build a REST API")
    root = run.start(0, "agent", "ceo", agent="ceo", detail="Build a REST API")
    run.at(0.3, Notice(text="openai answered 429; trying again in 0.5 seconds", at=at(0.3)))
    run.call(0.1, 0.2, root, agent="ceo", model="gpt-5.6", error="openai: 429 too many requests")
    now = run.call(0.8, 1.0, root, agent="ceo", model="gpt-5.6", cost="0.0123")
    refused = run.start(
        now, "message", "send_message", agent="ceo", above=root, detail="Paint the office"
    )
    run.end(
        now + 0.1,
        refused,
        status="error",
        error="send_message cannot reach 'painter'; it reaches: developer, assistant",
    )
    work = run.ask(now, root, "ceo", "developer", "Write the backend")
    now = run.call(now, 1.0, work, agent="developer", model="llama3.3:70b", cost=None)
    now = run.tool(
        now,
        0.1,
        work,
        agent="developer",
        error="PermissionError: '/etc/passwd' is outside of the folder 'output', which is all that"
        " this tool may write to",
    )
    reason = "ollama could not be reached at http://localhost:11434/v1 (connection refused)"
    now = run.call(now, 0.4, work, agent="developer", model="llama3.3:70b", error=reason)
    run.answer(
        now,
        work,
        status="error",
        error=reason,
        passed_on=f"developer failed: {reason}. Go on without its answer, or ask another.",
    )
    error = RunError(kind="provider", message=f"developer: {reason}", agent="developer")
    return run.finish(now, root, status="error", error=error, output="")


def interrupted() -> Recording:
    """Return a run that was cancelled while two branches were at work."""
    whole = three_levels()
    cut = 4.2
    run = replace_timed(whole, [item for item in whole.in_order() if item[0] <= cut])
    tree = CallTree.of(run.events)
    for node in reversed(tree.nodes.values()):
        if node.status == "running":
            run.end(cut, node.id, status="cancelled", error="cancelled")
    error = RunError(kind="interrupted", message="interrupted", agent=None)
    run.at(cut, RunEnded(status="cancelled", at=at(cut), seconds=cut, error=error))
    return run


def replace_timed(run: Recording, timed: Events) -> Recording:
    run.timed = timed
    return run


def handoffs() -> Recording:
    """Return a conversation that goes from one agent to a second and on to a third."""
    run = Recording("support", "triage", "My invoice is wrong")
    root = run.start(0, "agent", "triage", agent="triage", detail="My invoice is wrong")
    now = run.call(0.1, 1.0, root, agent="triage", cost="0.0002")
    first = run.start(now, "handoff", "billing", agent="triage", above=root)
    billing = run.start(now, "agent", "billing", agent="billing", above=first)
    now = run.call(now, 1.0, billing, agent="billing", model="gpt-5.6", cost="0.01")
    now = run.tool(now, 0.3, billing, agent="billing", name="find_invoice", detail='{"id": 17}')
    now = run.call(now, 1.0, billing, agent="billing", model="gpt-5.6", cost="0.01")
    second = run.start(now, "handoff", "refunds", agent="billing", above=billing)
    refunds = run.start(now, "agent", "refunds", agent="refunds", above=second)
    now = run.call(now, 1.0, refunds, agent="refunds", cost="0.0003", text="You get 12 euros.")
    for node in (refunds, second, billing, first):
        run.end(now, node, output="You get 12 euros.")
    return run.finish(now, root, output="You get 12 euros.")


def long_run(*, branches: int = 12) -> Recording:
    """Return a run of some 60 lines: many delegations one after the other, then three at once."""
    run = Recording("dev_shop", "ceo", "Build everything")
    root = run.start(0, "agent", "ceo", agent="ceo", detail="Build everything")
    now = 0.1
    for number in range(branches):
        work = run.ask(now, root, "ceo", "developer", f"Build part {number + 1} of {branches}")
        for _ in range(3):
            now = run.call(now, 0.3, work, agent="developer", text=PROSE)
            now = run.tool(now, 0.1, work, agent="developer")
        run.answer(now, work)
    for name in ("analyst", "writer", "reviewer"):
        work = run.ask(now, root, "ceo", name, f"Do your part, {name}")
        run.call(now, 4.0, work, agent=name, text=PROSE * 2)
        run.answer(now + 4.0, work)
    return run.finish(now + 4.5, root, output=ANSWER)


def hostile() -> Recording:
    """Return a run whose texts try to steer the terminal and to be taken for markup."""
    return three_levels(message=HOSTILE, text=HOSTILE)


HOSTILE = (
    "[bold red]markup[/] [/nothing] :smile: \x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J back\x08\r"
    "over\u202ereversed\u2028next [link=https://example.org]a link[/link]\n\tnew line"
)
ANSWER = """# The API

It has *three* resources, as in `List<User>`:

1. users, <b>all</b> of them
2. orders

```python
def add(a, b):  # twice
    return "sum", a + b
```
"""

REPLAYS: dict[str, Callable[[], Recording]] = {
    "one": one_agent,
    "levels": three_levels,
    "wide": wide_characters,
    "failing": failing,
    "interrupted": interrupted,
    "handoffs": handoffs,
    "long": long_run,
    "hostile": hostile,
}


def as_if_now(recording: Recording, speed: float) -> Iterator[Event]:
    """Yield a run's events when they happen, with times that begin now."""
    began = datetime.now(UTC)
    for second, event in recording.in_order():
        wait = second / speed - (datetime.now(UTC) - began).total_seconds()
        time.sleep(max(wait, 0))
        if isinstance(event, TextDelta):
            yield event
        else:
            yield replace(event, at=began + timedelta(seconds=second / speed))


def main() -> None:
    from agency_cli.rendering.summary import print_result  # noqa: PLC0415 - as the command does
    from agency_cli.rendering.watching import make_watcher  # noqa: PLC0415 - as the command does

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=REPLAYS)
    parser.add_argument("--speed", type=float, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    tree = CallTree()
    watcher = make_watcher(
        "tree",
        tree=tree,
        stderr=sys.stderr,
        stdout=sys.stdout,
        environ=os.environ,
        verbose=options.verbose,
    )
    with watcher:
        for event in as_if_now(REPLAYS[options.name](), options.speed):
            watcher.on_event(event)
    print_result(tree, stdout=sys.stdout, stderr=sys.stderr, environ=os.environ)


if __name__ == "__main__":
    main()
