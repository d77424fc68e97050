"""Damaged manifests, whatever was done to them, are told in problems: soon, and in their places."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from mutating import mutations

PROGRAM = Path(__file__).parents[2] / "mutate.py"
COUNT = os.environ.get("AGENCY_MUTATIONS", "1500")
LONGEST = 3_000
"""Seconds after which all of it hangs; no promise of speed."""


def test_whatever_is_done_to_a_manifest_is_told_in_problems():
    done = subprocess.run(
        [sys.executable, str(PROGRAM), COUNT],
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["checked"] == int(COUNT)
    assert result["megabytes"] < 300


def test_the_mutations_are_of_all_kinds_and_the_same_each_time():
    first, second = list(mutations(60, seed=3)), list(mutations(60, seed=3))
    assert first == second
    assert {one.kind for one in first} == {"bytes", "tokens", "structure"}
    assert len({one.data for one in first}) > 50
    assert all(one.lines[0] for one in first if one.kind == "structure")
