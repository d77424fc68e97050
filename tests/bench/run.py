"""How much time `agency` takes beside what it stands on: measured in turn, medians, as ratios.

python tests/bench/run.py                   all groups, a table
python tests/bench/run.py --only delegation --runs 15
python tests/bench/run.py --json            the table on stderr, one JSON line on stdout
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from journaling import rows, ten_turns
from measuring import Command, Timing, Unavailable, served, take_turns
from past_runs import listing, replay

HERE = Path(__file__).parent
PYTHON = sys.executable
AGENCY = str(Path(PYTHON).parent / "agency")
LATENCY = 0.3
"""Seconds that each model call takes where delegations are measured."""
FLOOR = "import typer, yaml, pydantic, jsonschema"
MESSAGE = "Do the work"


@dataclass(frozen=True)
class Result:
    """One comparison: a ratio of medians, or the seconds that are added."""

    command: str
    reference: str
    unit: str
    value: float
    aim: float
    timing: Timing
    reference_timing: Timing

    def as_json(self) -> dict[str, object]:
        return {
            "command": self.command,
            "reference": self.reference,
            self.unit: round(self.value, 3),
            "aim": self.aim,
            "median_seconds": round(self.timing.median, 4),
            "reference_median_seconds": round(self.reference_timing.median, 4),
            "fastest_seconds": round(self.timing.fastest, 4),
            "reference_fastest_seconds": round(self.reference_timing.fastest, 4),
            "runs": len(self.timing.seconds),
        }

    def as_line(self) -> str:
        value = f"{self.value:.2f} x" if self.unit == "ratio" else f"{self.value:+.4f} s"
        return (
            f"{self.command:<34} {self.timing.median:6.3f} s   "
            f"{self.reference:<28} {self.reference_timing.median:6.3f} s   {value:>8}"
            f"   aim {self.aim:g}"
        )


Outcome = Result | Unavailable


def commands(runs: int) -> Iterator[Outcome]:
    """The commands that need no SDK, beside the imports that they cannot do without."""
    ten = str(HERE / "ten_agents.yaml")
    floor = Command("the imports", [PYTHON, "-c", FLOOR])
    measured = [
        Command("agency --help", [AGENCY, "--help"]),
        Command("agency validate, ten agents", [AGENCY, "validate", ten]),
        Command("agency graph, ten agents", [AGENCY, "graph", ten]),
    ]
    timings, missing = take_turns([floor, *measured], runs)
    for command in measured:
        yield _ratio(command, floor, timings, missing, aim=1.4)


def single(runs: int) -> Iterator[Outcome]:
    """One agent and one model call that takes no time, beside the SDK."""
    with served("one_answer", latency=0) as env:
        line = [AGENCY, "run", str(HERE / "one_agent.yaml"), MESSAGE, "--quiet"]
        ours = Command("agency run, one agent", line, "Done.", env)
        bare_line = [PYTHON, str(HERE / "bare_single.py"), MESSAGE]
        bare = Command("the same by hand", bare_line, "Done.", env)
        sdk = Command("import agents", [PYTHON, "-c", "import agents"])
        timings, missing = take_turns([sdk, bare, ours], runs)
    yield _ratio(ours, bare, timings, missing, aim=1.05)
    yield _added(ours, sdk, timings, missing, aim=0.3)


def delegation(runs: int) -> Iterator[Outcome]:
    """Three delegations at the same time; every model call takes `LATENCY`."""
    answer = "All 3 parts are done."
    with served("three_workers", latency=LATENCY) as env:
        line = [AGENCY, "run", str(HERE / "three_workers.yaml"), MESSAGE, "--quiet"]
        ours = Command("agency run, three delegations", line, answer, env)
        bare_line = [PYTHON, str(HERE / "bare_sdk.py"), MESSAGE]
        bare = Command("the same by hand", bare_line, answer, env)
        timings, missing = take_turns([bare, ours], runs)
    yield _ratio(ours, bare, timings, missing, aim=1.05)


def parallel(runs: int) -> Iterator[Outcome]:
    """A hundred delegations of 0.1 s at the same time, beside none; models are scripted."""
    script = str(HERE / "parallel.py")
    none = Command("no delegation", [PYTHON, script, "0"])
    hundred = Command("100 delegations of 0.1 s", [PYTHON, script, "100"])
    timings, missing = take_turns([none, hundred], runs)
    yield _added(hundred, none, timings, missing, aim=1.0)


def journal(runs: int) -> Iterator[Outcome]:
    """Ten streamed turns whose events are written down, beside the same turns told to nobody."""
    with served("ten_turns", latency=0) as env:
        written, told_to_nobody = ten_turns(env["OPENAI_BASE_URL"], runs)
    yield Result(
        "ten turns, journaled", "not journaled", "ratio",
        written.median / told_to_nobody.median, 1.1, written, told_to_nobody,
    )  # fmt: skip
    row = rows(1000)
    yield Result(
        "a row of the journal", "nothing", "added_seconds", row.median, 0.001, row, Timing((0.0,))
    )


def past(runs: int) -> Iterator[Outcome]:
    """A thousand recorded turns that are given back, and a list of ten thousand runs."""
    nothing = Timing((0.0,))
    with served("one_answer", latency=0) as env:
        given_back = replay(env, 1000)
    yield Result(
        "replay of 1,000 turns", "nothing", "added_seconds",
        given_back.median, 10.0, given_back, nothing,
    )  # fmt: skip
    listed = listing(10_000, runs)
    yield Result(
        "10,000 runs of a store", "nothing", "added_seconds", listed.median, 0.5, listed, nothing
    )


GROUPS: dict[str, Callable[[int], Iterator[Outcome]]] = {
    "commands": commands,
    "single": single,
    "delegation": delegation,
    "parallel": parallel,
    "journal": journal,
    "past": past,
}


def main() -> int:
    """Measure; exit code 1 if something could not be measured, whatever the times are."""
    options = _options()
    show = sys.stderr if options.json else sys.stdout
    results, missing = [], []
    for group in options.only or GROUPS:
        for outcome in GROUPS[group](options.runs):
            if isinstance(outcome, Result):
                results.append(outcome.as_json())
                show.write(f"{outcome.as_line()}\n")
            else:
                missing.append(str(outcome))
                show.write(f"not available: {outcome}\n")
            show.flush()
    if options.json:
        sys.stdout.write(json.dumps({"results": results, "not_available": missing}) + "\n")
    return 1 if missing else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=_positive, default=9, help="runs of each command")
    parser.add_argument("--only", action="append", choices=GROUPS, help="a group; repeatable")
    parser.add_argument("--json", action="store_true", help="print one JSON line")
    return parser.parse_args()


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs")
    return int(text)


def _ratio(
    command: Command,
    reference: Command,
    timings: dict[str, Timing],
    missing: dict[str, Unavailable],
    *,
    aim: float,
) -> Outcome:
    for needed in (command.name, reference.name):
        if needed in missing:
            return missing[needed]
    ours, theirs = timings[command.name], timings[reference.name]
    value = ours.median / theirs.median
    return Result(command.name, reference.name, "ratio", value, aim, ours, theirs)


def _added(
    command: Command,
    reference: Command,
    timings: dict[str, Timing],
    missing: dict[str, Unavailable],
    *,
    aim: float,
) -> Outcome:
    outcome = _ratio(command, reference, timings, missing, aim=aim)
    if isinstance(outcome, Unavailable):
        return outcome
    ours, theirs = outcome.timing, outcome.reference_timing
    value = ours.median - theirs.median
    return Result(command.name, reference.name, "added_seconds", value, aim, ours, theirs)


if __name__ == "__main__":
    sys.exit(main())
