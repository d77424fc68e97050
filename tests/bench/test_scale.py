"""Checking a manifest takes work in proportion to it; operations are counted, not seconds."""

from __future__ import annotations

import sys

import pytest

from agency_cli.loading import check_manifest
from scale import manifest, measured


def calls(agents, folder):
    """Return how many calls of functions checking takes, and what it found."""
    path = folder / f"{agents}.yaml"
    path.write_text(manifest(agents))
    check_manifest(path)  # what is imported and cached on the way
    count = 0

    def counted(_frame, event, _argument):
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(counted)
    try:
        problems = check_manifest(path)
    finally:
        sys.setprofile(None)
    assert problems == ()
    return count


@pytest.mark.parametrize(("fewer", "more"), [(20, 200), (200, 1_000)])
def test_ten_times_the_agents_take_ten_times_the_work(fewer, more, tmp_path):
    ratio = calls(more, tmp_path) / calls(fewer, tmp_path)
    assert ratio < 1.2 * more / fewer


def test_five_thousand_agents_with_fifty_thousand_flows_are_a_manifest(tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(manifest(5_000))
    assert check_manifest(path) == ()


def test_no_work_hides_that_grows_with_the_square(tmp_path):
    fewer, more = (measured(agents, tmp_path, runs=3) for agents in (400, 4_000))
    # Copying a list is one call however long the list is, so this is seen in time only. Ten times
    # as many take ten times as long, and would take a hundred times.
    assert more.seconds / fewer.seconds < 35


def test_what_is_measured_is_the_manifest(tmp_path):
    result = measured(30, tmp_path, runs=1)
    assert (result.agents, result.flows) == (30, 300)
    assert result.seconds > 0
