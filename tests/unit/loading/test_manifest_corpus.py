"""Manifests that are cases by being there: valid ones load, invalid ones say what they expect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agency_cli.errors import ManifestError
from agency_cli.loading import check_manifest, load_manifest

MANIFESTS = Path(__file__).parents[2] / "manifests"
EXPECTATION = re.compile(r"# expect: (\d+:\d+) ([a-z-]+)")
# Only what a case names is set, so that cases do not depend on the machine.
ENVIRON = {"HOME": "/home/demo"}


@pytest.mark.parametrize("path", sorted(MANIFESTS.glob("valid/*.yaml")), ids=lambda path: path.stem)
def test_a_valid_manifest_has_no_problem_and_no_warning(path):
    assert check_manifest(path, environ=ENVIRON) == ()
    loaded = load_manifest(path, params={"ratio": "0.5"} if path.stem == "texts" else {})
    assert set(loaded.instructions) == set(loaded.manifest.agents)


@pytest.mark.parametrize(
    "path", sorted(MANIFESTS.glob("invalid/*.yaml")), ids=lambda path: path.stem
)
def test_an_invalid_manifest_has_exactly_the_problems_that_it_expects(path):
    expected = EXPECTATION.findall(path.read_text(encoding="utf-8"))
    found = check_manifest(path, environ=ENVIRON)
    assert expected
    assert [(f"{problem.line}:{problem.column}", problem.code) for problem in found] == expected
    for problem in found:
        assert problem.file == str(path)
        assert problem.message


@pytest.mark.parametrize(
    "path", sorted(MANIFESTS.glob("invalid/*.yaml")), ids=lambda path: path.stem
)
def test_loading_an_invalid_manifest_raises_what_checking_it_shows(path):
    found = check_manifest(path, environ=ENVIRON)
    if any(problem.severity == "error" for problem in found):
        with pytest.raises(ManifestError) as raised:
            load_manifest(path, environ=ENVIRON)
        assert raised.value.problems == found
    else:
        assert load_manifest(path, environ=ENVIRON).warnings == found
