"""Checks damaged manifests: whatever happens to one, it is told in problems, soon and with a place.

python tests/mutate.py            10,000 of them
python tests/mutate.py 500 --seed 7

Prints one line of JSON; exits with 1 where one was not taken as it must be, and says which.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import sys
import time
import traceback
from functools import cache
from pathlib import Path

from agency_cli.loading import STANDARD_INPUT, Report, SourceLines, examine_manifest
from agency_cli.rendering.printable import escaped_json
from agency_cli.rendering.problems import PROBLEM_FORMATS, Findings
from agency_cli.rules import RULES
from mutating import MANIFESTS, WHOLE, Mutation, mutations

LONGEST = 2.0
"""Seconds of processor time that one may take."""
HANGS = 60
"""Seconds after which one is taken to hang."""
LARGEST = 300
"""MB that the whole process may grow to."""


def fault_of(mutation: Mutation) -> str:
    """Check one damaged manifest in every way; say what is wrong with how it was taken."""
    report = examine_manifest(MANIFESTS / "agency.yaml", given=mutation.data, environ={"HOME": "/"})
    text = mutation.data.decode(errors="replace")
    findings = Findings({STANDARD_INPUT: report}, SourceLines({STANDARD_INPUT: text}))
    for name, form in PROBLEM_FORMATS.items():
        shown = form(findings)
        if escaped_json(shown) != shown:
            return f"what {name} prints steers the terminal"
    return _fault_of_places(report, text) or _fault_of_structure(mutation, report)


def _fault_of_places(report: Report, text: str) -> str:
    lines = text.count("\n") + text.count("\r") + 1
    for problem in report.problems:
        if problem.code not in RULES or not problem.message.isprintable():
            return f"an odd problem: {problem!r}"
        is_whole = problem.code in {"not-utf-8", "file-too-large"}
        if problem.file == STANDARD_INPUT and not is_whole:
            if problem.line is None or not 1 <= problem.line <= lines + 1:
                return f"a line that is not there: {problem}"
            if problem.column is None or problem.column < 1:
                return f"a column that is not there: {problem}"
    return ""


def _fault_of_structure(mutation: Mutation, report: Report) -> str:
    if mutation.kind != "structure":
        return ""
    if all((one.code, one.path) in _before() for one in report.problems):
        return f"no error for what stands at {mutation.path}"
    first, last = mutation.lines
    nearest = next(one for one in report.problems if (one.code, one.path) not in _before())
    if not first <= (nearest.line or 0) <= last:
        return f"it is {mutation.path} in lines {first} to {last}, and the first problem: {nearest}"
    return ""


@cache
def _before() -> frozenset[tuple[str, tuple[str | int, ...]]]:
    """Return what is told of the manifest that the structural mutations begin with."""
    report = examine_manifest(MANIFESTS / "agency.yaml", given=WHOLE, environ={"HOME": "/"})
    return frozenset((one.code, one.path) for one in report.problems)


def _guarded(mutation: Mutation) -> str:
    signal.alarm(HANGS)
    began = time.process_time()
    try:
        fault = fault_of(mutation)
    except BaseException:  # noqa: BLE001 - whatever it is, it is one too many
        fault = traceback.format_exc(limit=-3)
    finally:
        signal.alarm(0)
    seconds = time.process_time() - began
    _slowest.append(seconds)
    return fault or (f"it took {seconds:.1f} s" if seconds > LONGEST else "")


_slowest: list[float] = []


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for those that were not taken well")
    arguments = parser.parse_args()
    faults = 0
    for number, mutation in enumerate(mutations(arguments.count, arguments.seed)):
        fault = _guarded(mutation)
        if fault:
            faults += 1
            sys.stderr.write(f"{number} ({mutation.kind}): {fault}\n")
            if arguments.keep:
                (arguments.keep / f"{number}.yaml").write_bytes(mutation.data)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = {
        "checked": arguments.count,
        "faults": faults,
        "slowest_seconds": round(max(_slowest, default=0), 3),
        "megabytes": round(megabytes),
    }
    sys.stdout.write(json.dumps(result) + "\n")
    return 1 if faults or megabytes > LARGEST else 0


if __name__ == "__main__":
    sys.exit(_main())
