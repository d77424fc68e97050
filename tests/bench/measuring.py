"""Times whole processes: commands of one group take turns, so that a slow minute slows all."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).parent.parent
LONGEST = 120
"""Seconds after which a command is given up."""


class Unavailable(Exception):
    """A command cannot be measured; its text says why."""


@dataclass(frozen=True)
class Command:
    """A command line, and what its standard output must be if that matters."""

    name: str
    line: Sequence[str]
    output: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)

    def run(self, folder: str) -> float:
        """Run it once in `folder`; return its seconds.

        Raises:
            Unavailable: It cannot be started, fails, hangs, or says something else.
        """
        started = time.perf_counter()
        try:
            done = subprocess.run(
                self.line,
                cwd=folder,
                env={**_environment(), **self.env},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"{self.name}: {error}") from None
        seconds = time.perf_counter() - started
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Unavailable(f"{self.name}: exit code {done.returncode}: {last}")
        if self.output is not None and done.stdout.strip() != self.output:
            raise Unavailable(f"{self.name}: answered {done.stdout.strip()[:200]!r}")
        return seconds


@dataclass(frozen=True)
class Timing:
    """Seconds of each run of one command."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def fastest(self) -> float:
        return min(self.seconds)


def take_turns(
    commands: Sequence[Command], runs: int
) -> tuple[dict[str, Timing], dict[str, Unavailable]]:
    """Run every command once to warm up, then `runs` times in turn.

    Returns the timings by name, and why those that are missing are missing.
    """
    missing: dict[str, Unavailable] = {}
    seconds: dict[str, list[float]] = {command.name: [] for command in commands}
    with tempfile.TemporaryDirectory(prefix="agency-bench-") as folder:
        for number in range(runs + 1):
            for command in commands:
                if command.name in missing:
                    continue
                try:
                    taken = command.run(folder)
                except Unavailable as reason:
                    missing[command.name] = reason
                    continue
                if number > 0:
                    seconds[command.name].append(taken)
    timings = {n: Timing(tuple(taken)) for n, taken in seconds.items() if n not in missing}
    return timings, missing


@contextmanager
def served(scenario: str, *, latency: float) -> Iterator[dict[str, str]]:
    """Run the fake server as a program; give the variables by which it is found."""
    line = [sys.executable, "-m", "fake_server", "--scenario", scenario, "--latency", str(latency)]
    with subprocess.Popen(
        line, cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            yield {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "x"}
        finally:
            server.terminate()


def _environment() -> dict[str, str]:
    """The environment without what would change the runs."""
    ours = ("OPENAI_", "AGENCY_", "PYTHON")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}
