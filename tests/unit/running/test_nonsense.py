"""A model that answers nonsense on purpose: every run ends by itself, inside its limits."""

from __future__ import annotations

import itertools
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agency_cli.errors import ExitCode
from agency_runs import Outcome, build, message, run
from fake_server import FakeServer, ModelRequest, Reply, ToolCall

NAMES = "abcd"
PAIRS = [(s, r) for s, r in itertools.permutations(NAMES, 2)]


SMALL_TURNS = 10


def manifest(flows: list[tuple[str, str, str]], max_turns: int = 25) -> str:
    agents = "\n".join(f"  {name}: {{instructions: You are {name}.}}" for name in NAMES)
    lines = "\n".join(f"  - {{from: {s}, to: {r}, kind: {kind}}}" for s, r, kind in flows)
    limits = f"limits: {{max_turns: {max_turns}}}"
    return f"entry: a\nagents:\n{agents}\nflows:\n{lines}\n{limits}\n"


def topologies(size: int) -> list[tuple[tuple[str, str], ...]]:
    """Return every way to connect `size` agents, of which all but the entry are alike."""
    names = NAMES[:size]
    pairs = list(itertools.permutations(names, 2))
    found = {}
    for count in range(1, len(pairs) + 1):
        for chosen in itertools.combinations(pairs, count):
            alike = [
                tuple(sorted((new[s], new[r]) for s, r in chosen))
                for order in itertools.permutations(names[1:])
                for new in [dict(zip(names, (names[0], *order), strict=True))]
            ]
            found[min(alike)] = chosen
    return list(found.values())


def nonsense(seed: int):
    """Return a script of a model that does anything but behave; it is the same for each seed."""
    dice = random.Random(seed)  # noqa: S311 - a test's dice

    def answer(_request: ModelRequest) -> Reply:
        calls = [
            ToolCall("send_message", message(dice.choice(NAMES), f"m{dice.randrange(3)}")),
            ToolCall("send_message", message(dice.choice(["", "nobody", "A", "b "]), "x")),
            ToolCall("send_message", '{"recipient_agent": '),
            ToolCall("send_message", "[]"),
            ToolCall("send_message", {"message": 5}),
            ToolCall(f"transfer_to_{dice.choice(NAMES)}", {}),
            ToolCall("no_such_tool", {}),
        ]
        if dice.random() < 0.1:
            return Reply(text="enough")
        return Reply(tool_calls=tuple(dice.sample(calls, dice.randint(1, 4))))

    return answer


def permitted(outcome: Outcome, flows: list[tuple[str, str, str]]) -> None:
    """Require that every agent was reached by a flow that leads to it."""
    allowed = set(flows)
    for node in outcome.tree.nodes.values():
        if node.kind == "message":
            for child in node.children:
                assert (node.agent, child.name, "message") in allowed
        if node.kind == "handoff":
            assert (node.agent, node.name, "handoff") in allowed
    assert not [n for n in outcome.tree.nodes.values() if n.status == "running"]


def test_topologies_are_all_there_and_none_twice():
    assert [len(topologies(size)) for size in (2, 3)] == [3, 35]


@pytest.mark.parametrize("kinds", ["message", "handoff", "both", "mixed"])
@pytest.mark.parametrize("size", [2, 3])
def test_every_small_topology_with_a_model_that_talks_nonsense_ends_by_itself(
    tmp_path, size, kinds
):
    for number, pairs in enumerate(topologies(size)):
        dice = random.Random(number)  # noqa: S311 - a test's dice
        flows = [(s, r, kind) for s, r in pairs for kind in _kinds(kinds, dice)]
        with FakeServer() as server:
            server.script(nonsense(number))
            agency = build(tmp_path, server, manifest(flows, SMALL_TURNS))
            outcome = run(agency)
            assert outcome.output is not None or outcome.error.exit_code == ExitCode.LIMIT, flows
            assert len(server.requests) <= SMALL_TURNS
            assert server.unexpected == []
        permitted(outcome, flows)


def _kinds(wanted: str, dice: random.Random) -> list[str]:
    if wanted == "mixed":
        return [dice.choice(["message", "handoff"])]
    return ["message", "handoff"] if wanted == "both" else [wanted]


@pytest.mark.parametrize("size", [2, 3])
def test_agents_of_every_small_topology_that_only_ever_ask_end_by_themselves(tmp_path, size):
    for pairs in topologies(size):
        with FakeServer() as server:
            server.script(asking_everybody(pairs))
            kinds = [(s, r, "message") for s, r in pairs]
            outcome = run(build(tmp_path, server, manifest(kinds, SMALL_TURNS)))
            assert outcome.output is not None or outcome.error.exit_code == ExitCode.LIMIT, pairs
            assert len(server.requests) <= SMALL_TURNS
        permitted(outcome, kinds)


def asking_everybody(pairs):
    """Return a script in which whoever can ask does nothing else; those who cannot, answer."""
    recipients = {s: [r for sender, r in pairs if sender == s] for s, _ in pairs}

    def ask(request: ModelRequest) -> Reply:
        sender = request.instructions.split()[-1].rstrip(".")
        asked = recipients.get(sender, ())
        calls = [ToolCall("send_message", message(r, "you do it")) for r in asked]
        return Reply(tool_calls=tuple(calls)) if calls else Reply(text="no")

    return ask


@pytest.mark.parametrize("seed", range(24))
def test_every_topology_with_a_model_that_talks_nonsense_ends_by_itself(
    tmp_path, fake_server, seed
):
    dice = random.Random(seed)  # noqa: S311 - a test's dice
    pairs = dice.sample(PAIRS, dice.randint(1, len(PAIRS)))
    flows = [(s, r, dice.choice(["message", "message", "handoff"])) for s, r in pairs]
    if not any(s == "a" for s, _, _ in flows):
        flows.append(("a", "b", "message"))
    fake_server.script(nonsense(seed))
    outcome = run(build(tmp_path, fake_server, manifest(flows)))
    assert outcome.output is not None or outcome.error.exit_code == ExitCode.LIMIT
    assert len(fake_server.requests) <= 25
    permitted(outcome, flows)


@pytest.mark.parametrize(
    "flows",
    [
        [("a", "b"), ("b", "a")],
        [("a", "b"), ("b", "c"), ("c", "a")],
        [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")],
        [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "a")],
        PAIRS,
    ],
)
def test_agents_that_only_ever_ask_each_other_end_by_themselves(tmp_path, fake_server, flows):
    fake_server.script(asking_everybody(flows))
    kinds = [(s, r, "message") for s, r in flows]
    outcome = run(build(tmp_path, fake_server, manifest(kinds)))
    assert outcome.error.exit_code == ExitCode.LIMIT
    assert len(fake_server.requests) <= 25
    permitted(outcome, kinds)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    pairs=st.lists(st.sampled_from(PAIRS), min_size=1, max_size=10, unique=True),
    kinds=st.lists(st.sampled_from(["message", "handoff"]), min_size=10, max_size=10),
    seed=st.integers(0, 10_000),
)
def test_nobody_ever_reaches_an_agent_without_a_flow_to_it(pairs, kinds, seed):
    flows = [(s, r, kind) for (s, r), kind in zip(pairs, kinds, strict=False)]
    with FakeServer() as server, tempfile.TemporaryDirectory() as folder:
        server.script(nonsense(seed))
        permitted(run(build(Path(folder), server, manifest(flows))), flows)
