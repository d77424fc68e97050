"""`validate --deep` builds what a manifest names; plain `validate` executes nothing of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import agency

HEAD = """\
version: 1
name: demo
entry: boss
agents:
  boss: {instructions: You lead., description: Leads., tools: [t]}
  worker: {instructions: You work., description: Works.}
"""
TRACE = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\nprint('hello')\n"
FLOW = "flows: [boss > worker]\n"


def write(folder: Path, rest: str, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "agency.yaml"
    path.write_text(HEAD + rest)
    return path


def test_plain_validate_executes_nothing_and_deep_does(tmp_path):
    text = TRACE + "def add(a: int) -> int:\n    return a\n"
    path = write(tmp_path, 'tools: {t: {python: "tools.py"}}\n' + FLOW, tools=text)
    assert agency("validate", path, folder=tmp_path).code == 0
    assert not (tmp_path / "ran").exists()
    done = agency("validate", "--deep", path, folder=tmp_path)
    assert (done.code, done.err.strip()) == (0, "hello")
    assert "ok (2 agents, 1 flow)" in done.out
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("rest", "files", "expected"),
    [
        (
            'tools: {t: {python: "tools.py:add"}}\n' + FLOW,
            {"tools": "1 / 0\n"},
            "agency.yaml:7:21: error: tools.t.python: importing tools.py failed: ZeroDivisionError",
        ),
        (
            'tools: {t: {python: "tools.py:ad"}}\n' + FLOW,
            {"tools": "def add(): return 1\n"},
            "agency.yaml:7:21: error: tools.t.python: tools.py has no 'ad'",
        ),
        (
            (
                'tools: {t: {python: "json:dumps"}}\n'
                'flows: [{from: boss, to: worker, send_message: "messages.py:Ask"}]\n'
            ),
            {"messages": "class Ask: pass\n"},
            "agency.yaml:8:48: error: flows[0].send_message: ",
        ),
        (
            'tools: {t: {python: "tools.py"}, u: {python: "tools.py:one"}}\n' + FLOW,
            {"tools": "def one(): return 1\n\n\ndef send_message(): return 2\n"},
            "boss would have two tools named 'send_message'",
        ),
    ],
)
def test_deep_finds_what_only_building_can_find_at_its_place(tmp_path, rest, files, expected):
    path = write(tmp_path, rest, **files)
    plain = agency("validate", path.name, folder=tmp_path)
    assert plain.code == 0, plain.out
    done = agency("validate", "--deep", path.name, folder=tmp_path)
    assert done.code == 2
    assert expected in done.out
    assert "Traceback" not in done.out + done.err
    found = json.loads(agency("validate", "--deep", path, "--format", "json", folder=tmp_path).out)
    assert found["errors"] >= 1
    assert all(problem["line"] for problem in found["problems"])


def test_deep_does_not_build_what_plain_validate_refuses(tmp_path):
    path = write(tmp_path, 'tools: {t: {python: "tools.py"}}\nflows: [boss > wrker]\n', tools=TRACE)
    done = agency("validate", "--deep", path, folder=tmp_path)
    assert done.code == 2
    assert "did you mean 'worker'?" in done.out
    assert not (tmp_path / "ran").exists()


def test_deep_needs_no_value_for_params_and_no_key(tmp_path):
    path = write(
        tmp_path,
        'params: {city: {type: string}}\ntools: {t: {python: "json:dumps"}}\n'
        'flows: [boss > worker]\nshared_instructions: "In ${param.city}."\n',
    )
    assert agency("validate", "--deep", path, folder=tmp_path).code == 0


def test_every_agency_of_the_repository_is_sound_in_depth(tmp_path):
    root = Path(__file__).parents[2]
    done = agency("validate", "--deep", *root.glob("agencies/*/agency.yaml"), folder=tmp_path)
    assert done.code == 0, done.out
