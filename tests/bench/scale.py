"""How the time and memory that checking takes grow with a manifest: agents with ten flows each.

python tests/bench/scale.py                   10, 100, 1,000 and 5,000 agents, a table
python tests/bench/scale.py 100 1000 --json   other numbers; one JSON line on stdout
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

FLOWS = 10
"""How many flows each agent has."""
SIZES = (10, 100, 1_000, 5_000)
RUNS = 5
# In a process of its own, as `agency validate` is; without the interpreter's start, which is the
# same for all. `agency` turns the collector off, too.
_PROGRAM = """
import gc, resource, sys, time
gc.disable()
from agency_cli.loading import check_manifest
check_manifest(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
times = []
for path in sys.argv[2:]:
    began = time.perf_counter()
    problems = check_manifest(path)
    times.append(time.perf_counter() - began)
    assert problems == (), problems
    gc.collect()
print(min(times), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@dataclass(frozen=True)
class Measured:
    """What checking one manifest took: the fastest of some runs, and the memory that it added."""

    agents: int
    flows: int
    seconds: float
    megabytes: float


def manifest(agents: int) -> str:
    """Return a sound manifest, each agent of which may ask the ten that follow it."""
    flows = min(FLOWS, agents - 1)
    lines = ["version: 1", "name: scale", "entry: a0", "agents:"]
    lines += [f"  a{n}: {{instructions: Work., description: Works.}}" for n in range(agents)]
    lines.append("flows:")
    for number in range(agents):
        asked = (f"a{(number + step) % agents}" for step in range(1, flows + 1))
        lines.append(f"  - a{number} > {', '.join(asked)}")
    return "\n".join([*lines, ""])


def measured(agents: int, folder: Path, runs: int = RUNS) -> Measured:
    """Check a manifest of so many agents several times."""
    small, large = folder / "small.yaml", folder / f"{agents}.yaml"
    small.write_text(manifest(2))
    large.write_text(manifest(agents))
    line = [sys.executable, "-c", _PROGRAM, str(small), *[str(large)] * runs]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, done.stdout.split())
    return Measured(agents, agents * min(FLOWS, agents - 1), seconds, megabytes)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agents", type=int, nargs="*")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = [measured(size, Path(folder)) for size in arguments.agents or SIZES]
    for result in results:
        sys.stderr.write(
            f"{result.agents:>6,} agents {result.flows:>7,} flows   {result.seconds:7.3f} s"
            f"   {result.megabytes:6.1f} MB\n"
        )
    for less, more in pairwise(results):
        sys.stderr.write(
            f"{less.agents:,} to {more.agents:,} agents: {more.agents / less.agents:g} x as many,"
            f" {more.seconds / less.seconds:.1f} x the time\n"
        )
    if arguments.json:
        sys.stdout.write(json.dumps([asdict(result) for result in results]) + "\n")


if __name__ == "__main__":
    _main()
