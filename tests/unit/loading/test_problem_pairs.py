"""Every code of a problem has a manifest that has the problem, and one in which it is mended."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from agency_cli.cli.deep import examine_deeply
from agency_cli.errors import ManifestError
from agency_cli.loading import check_manifest, load_manifest
from agency_cli.loading.data_files import read_mapping
from agency_cli.problem_codes import ProblemCode
from agency_cli.rules import RULES, SECTIONS
from agency_cli.rules.__main__ import PAGE, page_text

PAIRS = Path(__file__).parents[2] / "manifests" / "pairs"
EXPECTATION = re.compile(r"# expect: (\d+):(\d+) ([a-z0-9-]+)")
CODES = get_args(ProblemCode)
IN_FILES = sorted(path.name.removesuffix(".bad.yaml") for path in PAIRS.glob("*.bad.yaml"))
ENVIRON = {"HOME": "/home/demo"}
HEAD = "version: 1\nname: demo\nagents:\n  ceo: {instructions: Lead.}\n"
Checked = list[tuple[str, int | None, int | None]]


def checked(path: Path) -> Checked:
    return [(one.code, one.line, one.column) for one in check_manifest(path, environ=ENVIRON)]


def deeply_checked(path: Path) -> Checked:
    return [(one.code, one.line, one.column) for one in examine_deeply(path).problems]


def check_of(code: str) -> Callable[[Path], Checked]:
    return deeply_checked if RULES[code] in SECTIONS["Python code"] else checked


@pytest.mark.parametrize("code", IN_FILES)
def test_the_bad_manifest_of_a_pair_has_its_problem_and_no_other(code):
    bad = PAIRS / f"{code}.bad.yaml"
    expected = [
        (name, int(line), int(column))
        for line, column, name in EXPECTATION.findall(bad.read_text(errors="replace"))
    ]
    assert [name for name, _, _ in expected] == [code]
    assert check_of(code)(bad) == expected


@pytest.mark.parametrize("code", IN_FILES)
def test_the_good_manifest_of_a_pair_has_no_problem_and_no_warning(code):
    good = PAIRS / f"{code}.good.yaml"
    assert check_of(code)(good) == []


@pytest.mark.parametrize("code", IN_FILES)
def test_the_two_of_a_pair_are_alike(code):
    bad, good = (
        set((PAIRS / f"{code}.{kind}.yaml").read_text(errors="replace").splitlines())
        for kind in ("bad", "good")
    )
    differing = {line for line in bad ^ good if not line.startswith("# expect")}
    # An empty file, or a list at the top, has nothing in common with a manifest.
    assert len(differing) <= 8
    assert differing


def test_every_code_has_a_pair():
    assert sorted([*IN_FILES, *BUILT]) == sorted(CODES)


def test_every_code_is_told_once_and_only_codes_are():
    told = [rule.code for rules in SECTIONS.values() for rule in rules]
    assert sorted(told) == sorted(CODES)
    for rule in RULES.values():
        for text in (rule.what, rule.why, rule.mend):
            assert text[0].isupper() or text[0] == "`", rule
            assert text.endswith("."), rule


def test_the_severity_that_is_told_is_the_one_that_problems_have():
    for code in IN_FILES:
        if RULES[code] not in SECTIONS["Python code"]:
            (problem,) = check_manifest(PAIRS / f"{code}.bad.yaml", environ=ENVIRON)
            assert problem.severity == RULES[code].severity, code


def test_the_page_of_problems_is_fresh():
    assert PAGE.read_text(encoding="utf-8") == page_text(), "run: python -m agency_cli.rules"


def large(folder: Path, *, is_bad: bool) -> Checked:
    path = folder / "agency.yaml"
    path.write_text(HEAD + "#" * (1_000_001 if is_bad else 900_000))
    return checked(path)


def locked(folder: Path, *, is_bad: bool) -> Checked:
    path = folder / ("x" * 5000 if is_bad else "agency.yaml")
    if not is_bad:
        path.write_text(HEAD)
    return checked(path)


def many_files(folder: Path, *, is_bad: bool) -> Checked:
    for number in range(101 if is_bad else 100):
        (folder / f"part{number}.part").write_text(f"models: {{m{number}: {{model: x}}}}\n")
    names = ", ".join(f"m{number}" for number in range(1, 100))
    path = folder / "agency.yaml"
    path.write_text(
        HEAD + "include: ['*.part']\ndefaults: {model: m0}\n"
        f"guardrails: {{g: {{applies_to: output, judge: {{instructions: Good?, model: all}}}}}}\n"
        f"models: {{all: {{model: x, fallback: [{names}]}}}}\n"
    )
    found = checked(path)
    return [one for one in found if not one[0].startswith("unused-")]


def many_values(folder: Path, *, is_bad: bool) -> Checked:
    path = folder / "agency.yaml"
    path.write_text(f"{HEAD}x-many:\n" + "- 1\n" * (100_000 if is_bad else 99_000))
    return checked(path)


def many_flows(folder: Path, *, is_bad: bool) -> Checked:
    keys = [f"a{number}" for number in range(320 if is_bad else 300)]
    agents = "".join(f"  {key}: {{instructions: Work., description: Works.}}\n" for key in keys)
    first, second = ", ".join(keys[::2]), ", ".join(keys[1::2])
    chain = f"  - {first} > {second}\n  - ceo > {first}\n"
    more = f"  - {', '.join(keys)} > {', '.join(keys)}\n" if is_bad else ""
    path = folder / "agency.yaml"
    path.write_text(HEAD + agents + "entry: ceo\nflows:\n" + chain + more)
    return checked(path)


def large_texts(folder: Path, *, is_bad: bool) -> Checked:
    path = folder / "agency.yaml"
    times = 30 if is_bad else 3
    text = HEAD.replace("Lead.", '"' + "${param.x}" * times + '"')
    path.write_text(text + f"params: {{x: {{default: {'x' * 400_000}}}}}\n")
    return checked(path)


def many_problems(folder: Path, *, is_bad: bool) -> Checked:
    path = folder / "agency.yaml"
    path.write_text(HEAD + "".join(f"key{number}: 1\n" for number in range(101 if is_bad else 0)))
    return checked(path)[100:]


def params_file(folder: Path, *, is_bad: bool) -> Checked:
    path = folder / "params.yaml"
    path.write_text("- language\n" if is_bad else "language: Go\n")
    try:
        read_mapping(path, str(path))
    except ManifestError as error:
        return [(one.code, one.line, one.column) for one in error.problems]
    return []


def built(folder: Path, *, is_bad: bool) -> Checked:
    path = folder / "agency.yaml"
    path.write_text(HEAD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", "no address" if is_bad else "http://localhost:1/v1")
        return deeply_checked(path)


BUILT = {
    "bad-file": params_file,
    "cannot-be-built": built,
    "file-too-large": large,
    "more-problems": many_problems,
    "too-large": large_texts,
    "too-many-files": many_files,
    "too-many-flows": many_flows,
    "too-many-values": many_values,
    "unreadable-file": locked,
}
"""What is too large for a file here, or lies outside of manifests."""


@pytest.mark.parametrize("code", BUILT)
def test_a_pair_that_is_built_has_its_problem_and_is_mended(code, tmp_path):
    for name, is_bad in (("bad", True), ("good", False)):
        (tmp_path / name).mkdir()
        found = [each[0] for each in BUILT[code](tmp_path / name, is_bad=is_bad)]
        assert found == ([code] if is_bad else []), name


def test_loading_what_only_warns_succeeds_and_what_is_an_error_fails():
    for code in IN_FILES:
        bad = PAIRS / f"{code}.bad.yaml"
        if RULES[code].severity == "warning":
            assert [one.code for one in load_manifest(bad, environ=ENVIRON).warnings] == [code]
        elif RULES[code] not in SECTIONS["Python code"]:
            with pytest.raises(ManifestError):
                load_manifest(bad, environ=ENVIRON)
