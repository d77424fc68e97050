"""Killed after any row of its journal and resumed, a run ends as if nothing had happened."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agency_cli.calltree import CallTree
from agency_cli.events import ApprovalDecided, Usage
from agency_cli.pricing import ListPrice
from agency_cli.store import Recorded, Runs, Threads, open_database
from agency_runs import message
from command_line import environment
from fake_server import FakeServer, ModelRequest

TESTS = Path(__file__).parent.parent
Case = TypeVar("Case")
KILLED, PAUSED = -9, 4
MOST_PAUSES = 4
MOST_KILLS = 200
"""How often a run can pause and be resumed: it asks for two approvals."""
KILLS = 200
OF_ONE_RESPONSE = {"id", "call_id", "provider_data"}
ANSWER = "Everything is sold."
TEAM = """
version: 1
name: market
providers: {{fake: {{base_url: "{url}", api: chat_completions, api_key: k}}}}
models: {{mini: {{model: gpt-5-mini, provider: fake}}}}
defaults: {{model: mini}}
entry: boss
agents:
  boss: {{instructions: You are the boss.}}
  baker: {{instructions: You are the baker., tools: [sell]}}
  smith: {{instructions: You are the smith., tools: [sell]}}
  clerk: {{instructions: You are the clerk.}}
  carter: {{instructions: You are the carter., tools: [sell]}}
  speaker: {{instructions: You are the speaker., tools: [sell]}}
tools:
  sell:
    python: "tools.py:sell"
    approval: [{{when: {{what: plough}}, then: ask}}, {{then: never}}]
flows:
  - boss > baker, smith
  - {{from: boss, to: clerk, approval: ask}}
  - smith > carter
  - {{from: boss, to: speaker, kind: handoff}}
"""
TOOLS = """
from pathlib import Path

SOLD = Path(__file__).with_name("sold.txt")


def sell(what: str) -> str:
    with SOLD.open("a") as sold:
        sold.write(f"{what}\\n")
    return f"{what} sold"
"""


def play(server: FakeServer) -> None:
    """Three levels, three branches at the same time, a handoff, six sales."""
    when = server.when
    asked = when(instructions="the boss", turn=0)
    for name in ("baker", "smith", "clerk"):
        asked.calls("send_message", **message(name, f"Sell, {name}"))
    when(instructions="the boss", turn=1).calls("transfer_to_speaker")
    when(instructions="the baker", tool_results=0).calls("sell", what="bread").calls(
        "sell", what="cake"
    )
    when(instructions="the baker").says("Baked goods are sold.")
    when(instructions="the smith", tool_results=0).calls("sell", what="nails")
    when(instructions="the smith", tool_results=1).calls(
        "send_message", **message("carter", "Bring the plough")
    )
    when(instructions="the smith").says("Iron is sold.")
    when(instructions="the carter", tool_results=0).calls("sell", what="plough")
    when(instructions="the carter").says("Brought it.")
    when(instructions="the clerk").says("Counted it all.")
    speaker = when(instructions="the speaker", where=lambda r: "thanks sold" not in outputs(r))
    speaker.calls("sell", what="thanks")
    when(instructions="the speaker").says(ANSWER)


def outputs(request: ModelRequest) -> str:
    return " ".join(request.tool_outputs)


class Driver:
    """The program `killing`, with whose help command lines are killed."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(TESTS / "killing.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(folder),
            cwd=folder,
            text=True,
        )

    def run(self, *arguments: object, **kill: float | None) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"arguments": [str(argument) for argument in arguments], **kill}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert isinstance(answer, dict)
        return answer

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    driver = Driver(tmp_path)
    yield driver
    driver.close()


@dataclass
class Market:
    """One run of the agency, in a folder of its own, and what really happened meanwhile."""

    driver: Driver
    folder: Path
    server: FakeServer
    store: str

    @classmethod
    def opened(
        cls, driver: Driver, folder: Path, server: FakeServer, store: str | None = None
    ) -> Market:
        folder.mkdir()
        (folder / "agency.yaml").write_text(TEAM.format(url=server.base_url))
        (folder / "tools.py").write_text(TOOLS)
        return cls(driver, folder, server, store or f"sqlite:///{folder / 'runs.db'}")

    @cached_property
    def runs(self) -> Runs:
        return Runs(open_database(self.store))

    @property
    def sold(self) -> Counter[str]:
        path = self.folder / "sold.txt"
        return Counter(path.read_text().split() if path.exists() else ())

    def agency(self, *arguments: object, **kill: float | None) -> dict[str, Any]:
        return self.driver.run(*arguments, "--store", self.store, "--json", **kill)

    def begin(self, **kill: float | None) -> dict[str, Any]:
        return self.agency("run", self.folder / "agency.yaml", "Sell all", **kill)

    def resume(self, **kill: float | None) -> dict[str, Any]:
        """Go on with the run, agreeing to every call that waits; one that is done is shown."""
        (run,) = self.runs.all()
        if run.status == "ok":
            # Killed between its last row and its last words.
            return self.agency("runs", "show", run.id)
        return self.agency("runs", "resume", run.id, "--approve", "all", **kill)

    def until_done(self, done: dict[str, Any]) -> dict[str, Any]:
        """Go on with the run, however often it pauses."""
        for _ in range(MOST_PAUSES):
            if done["code"] not in {KILLED, PAUSED}:
                break
            done = self.resume()
        return done

    def rows(self) -> list[Recorded]:
        """Return what is written; nothing where the run had not begun."""
        runs = self.runs.all()
        return self.runs.rows(runs[0].id) if runs else []

    def history(self) -> dict[str, list[Any]]:
        """Return every conversation of the thread, by its name."""
        (run,) = self.runs.all()
        told: dict[str, list[Any]] = {}
        for item in Threads(self.runs.database).history(run.thread_id):
            told.setdefault(item.conversation, []).append((item.author, plain(item.item)))
        return told


def plain(item: Any) -> Any:
    """Return an item without the ids, which are new for each response."""
    match item:
        case dict():
            return {k: plain(v) for k, v in item.items() if k not in OF_ONE_RESPONSE}
        case list():
            return [plain(each) for each in item]
        case _:
            return item


def fingerprint(request: ModelRequest) -> str:
    told = [(m.speaker, m.text, [call[1:] for call in m.calls]) for m in request.messages]
    return json.dumps([request.instructions, told])


def served(server: FakeServer) -> tuple[Counter[str], int, Decimal]:
    """Return how often each request came, and tokens and money of the different ones."""
    times: Counter[str] = Counter()
    tokens, money = 0, Decimal(0)
    price = ListPrice("gpt-5-mini", "https://api.openai.com/v1")
    for exchange in server.exchanges:
        usage, key = exchange.usage, fingerprint(exchange.request)
        if usage is None:
            continue
        times[key] += 1
        if times[key] == 1:
            tokens += usage.total
            cost = price(
                Usage(
                    requests=1,
                    input_tokens=usage.input,
                    cached_input_tokens=usage.cached,
                    cache_write_tokens=usage.cache_write,
                    output_tokens=usage.output,
                )
            )
            assert cost is not None
            money += cost
    return times, tokens, money


def in_flight(rows: list[Recorded]) -> tuple[int, set[str]]:
    """Return how many model calls, and which sales, had begun and not ended."""
    tree = CallTree.of(row.event for row in rows)
    nodes = tree.nodes.values()
    open_nodes = [node for node in nodes if node.status == "running" and not node.waits]
    sales = {json.loads(node.detail)["what"] for node in open_nodes if node.kind == "tool"}
    return sum(node.kind == "model" for node in open_nodes), sales


def require_once(market: Market, done: dict[str, Any], calls: int, sales: set[str]) -> None:
    """Make sure that nothing but what was in flight happened twice, and that all is counted."""
    assert done["code"] == 0, done["err"]
    result = json.loads(done["out"])
    assert (result["status"], result["final_output"]) == ("ok", ANSWER)
    times, tokens, money = served(market.server)
    assert sum(times.values()) - len(times) <= calls
    assert result["usage"]["total_tokens"] == tokens
    assert result["cost_usd"] == pytest.approx(float(money), abs=1e-12)
    assert market.runs.all()[0].totals.cost_usd == money
    names = {"bread", "cake", "nails", "plough", "thanks"}
    assert market.sold.keys() == names
    assert {what for what, number in market.sold.items() if number > 1} <= sales
    decisions = [row.event for row in market.rows() if isinstance(row.event, ApprovalDecided)]
    assert len({each.node_id for each in decisions}) == len(decisions) == 2
    kept = [row.kept for row in market.rows() if row.kept and "response" in row.kept]
    assert len({(k["path"], k["agent"], k["ordinal"]) for k in kept}) == len(kept) == len(times)


def kill_after_row(market: Market, row: int) -> None:
    """Kill a run right after a row of its journal, and see it through."""
    done = market.begin(rows=row)
    if done["code"] == PAUSED:
        done = market.resume(rows=row - len(market.rows()))
    assert done["code"] == KILLED, row
    assert len(market.rows()) == row
    calls, sales = in_flight(market.rows())
    require_once(market, market.until_done(done), calls, sales)


def side_by_side(
    folder: Path, cases: Sequence[Case], play_case: Callable[[Driver, Case], None]
) -> None:
    """Play cases on two drivers: each is a fresh process nearly all of its time."""

    def play_half(half: Sequence[Case]) -> None:
        driver = Driver(folder)
        try:
            for case in half:
                play_case(driver, case)
        finally:
            driver.close()

    with ThreadPoolExecutor(2) as two:
        list(two.map(play_half, (cases[::2], cases[1::2])))


def test_a_run_killed_after_any_row_and_resumed_ends_the_same(tmp_path, driver):
    with FakeServer() as server:
        play(server)
        whole = Market.opened(driver, tmp_path / "whole", server)
        require_once(whole, whole.until_done(whole.begin()), 0, set())
        rows, history = len(whole.rows()), whole.history()
    assert rows >= 40

    def kill(driver: Driver, row: int) -> None:
        with FakeServer() as server:
            play(server)
            market = Market.opened(driver, tmp_path / f"row{row}", server)
            kill_after_row(market, row)
            assert market.history() == history, row

    side_by_side(tmp_path, range(1, rows), kill)


def test_a_run_killed_after_some_rows_on_a_server_and_resumed_ends_the_same(
    tmp_path, driver, postgres_server
):
    for row in (1, 2, 9, 17, 26, 33, 39, 52, 65, 78):
        with FakeServer() as server:
            play(server)
            store = postgres_server.database()
            kill_after_row(Market.opened(driver, tmp_path / f"row{row}", server, store), row)


def test_a_run_that_is_killed_again_and_again_ends_the_same(tmp_path, driver, store):
    chance = random.Random(4)  # noqa: S311 - no secret depends on it
    with FakeServer() as server:
        play(server)
        market = Market.opened(driver, tmp_path / "market", server, store)
        done, kills, calls, sales = market.begin(rows=7), 0, 0, set()
        while done["code"] in {KILLED, PAUSED}:
            kills += 1
            assert kills < MOST_KILLS, "it gets nowhere"
            more, which = in_flight(market.rows())
            calls, sales = calls + more, sales | which
            done = market.resume(rows=chance.randrange(1, 25))
        assert kills > 5
        require_once(market, done, calls, sales)


def test_runs_that_are_killed_at_random_moments_end_the_same(tmp_path, driver):
    with FakeServer() as server:
        play(server)
        whole = Market.opened(driver, tmp_path / "whole", server)
        first = whole.begin()
        require_once(whole, whole.until_done(first), 0, set())
    kills = 0

    def kill(driver: Driver, seed: int) -> None:
        nonlocal kills
        moments = Moments(seed, first["seconds"])
        of_this_half = 0
        for number in count():
            if of_this_half >= KILLS / 2:
                break
            with FakeServer() as server:
                play(server)
                market = Market.opened(driver, tmp_path / f"market{seed}-{number}", server)
                of_this_half += kill_at_random(market, moments)
        kills += of_this_half

    side_by_side(tmp_path, (8, 9), kill)
    assert kills >= KILLS


class Moments:
    """Random moments within a command line, however busy the machine is from one to the next."""

    def __init__(self, seed: int, longest: float) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - no secret depends on it
        self._longest = longest

    def next(self) -> float:
        return self._chance.uniform(0, self._longest)

    def learn(self, done: dict[str, Any], *, rows: int) -> dict[str, Any]:
        """Take note of how long a command line took, and of how many rows it wrote."""
        if done["code"] != KILLED:
            self._longest = (self._longest + done["seconds"]) / 2
        elif rows == 0:
            # Killed too early: without this, one that has grown too short would stay so.
            self._longest *= 1.2
        return done


def kill_at_random(market: Market, moments: Moments) -> int:
    """Kill one run at random moments until it is done; return how often."""
    kills, written = 0, 0

    def learn(done: dict[str, Any]) -> dict[str, Any]:
        nonlocal kills, written
        before, written = written, len(market.rows())
        kills += done["code"] == KILLED
        assert kills < MOST_KILLS, "it gets nowhere"
        return moments.learn(done, rows=written - before)

    done = learn(market.begin(seconds=moments.next()))
    while not written:
        # Killed before anything was written: there is nothing to go on with.
        done = learn(market.begin(seconds=moments.next()))
    calls, sales = 0, set[str]()
    while done["code"] in {KILLED, PAUSED}:
        more, which = in_flight(market.rows())
        calls, sales = calls + more, sales | which
        done = learn(market.resume(seconds=moments.next()))
    require_once(market, done, calls, sales)
    return kills
