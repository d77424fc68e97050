"""`agency validate`, typed as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOUND = """\
version: 1
name: demo
agents:
  ceo: {instructions: Lead.}
  developer: {instructions: Write., description: Writes.}
flows:
  - ceo > developer
"""
UNKNOWN_AGENT = (
    "bad.yaml:7:11: error: flows[0]: no agent named 'develper' (did you mean 'developer'?)"
    "  [unknown-agent]"
)
MISSING_DESCRIPTION = (
    "warned.yaml:5:3: warning: agents.developer: others may ask this agent, but it has no"
    " `description` to choose it by  [missing-description]"
)
HEAVY = ("agents", "openai", "rich", "sqlalchemy", "genai_prices", "jsonschema")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "crew.yaml").write_text(SOUND, encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(
        SOUND.replace("> developer", "> develper").replace("name: demo", "nmae: demo"),
        encoding="utf-8",
    )
    (tmp_path / "warned.yaml").write_text(SOUND.replace(", description: Writes.", ""))
    return tmp_path


def validate(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "agency_cli", "validate", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_a_sound_manifest_is_counted_and_passes(folder):
    done = validate(folder, "crew.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "crew.yaml: ok (2 agents, 1 flow)\n1 file, 0 errors, 0 warnings\n"


def test_every_problem_of_all_files_is_a_line_on_stdout(folder):
    done = validate(folder, "crew.yaml", "bad.yaml", "warned.yaml", "none.yaml")
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.splitlines() == [
        "crew.yaml: ok (2 agents, 1 flow)",
        "bad.yaml:2:1: error: nmae: unknown key 'nmae' (did you mean 'name'?)  [unknown-key]",
        "  2 | nmae: demo",
        "    | ^^^^",
        UNKNOWN_AGENT,
        "  7 |   - ceo > develper",
        "    |           ^^^^^^^^",
        MISSING_DESCRIPTION,
        "  5 |   developer: {instructions: Write.}",
        "    |   ^^^^^^^^^",
        "none.yaml: error: the file does not exist  [missing-file]",
        "4 files, 3 errors, 1 warning",
    ]


def test_warnings_fail_only_when_asked_to(folder):
    assert validate(folder, "warned.yaml").returncode == 0
    assert validate(folder, "warned.yaml", "--strict").returncode == 2
    assert validate(folder, "crew.yaml", "--strict").returncode == 0


def test_json_is_one_object_with_every_problem(folder):
    done = validate(folder, "bad.yaml", "crew.yaml", "none.yaml", "--format", "json")
    assert done.returncode == 2
    found = json.loads(done.stdout)
    assert found["files"] == ["bad.yaml", "crew.yaml", "none.yaml"]
    assert (found["errors"], found["warnings"]) == (3, 0)
    assert found["problems"][1] == {
        "file": "bad.yaml",
        "line": 7,
        "column": 11,
        "severity": "error",
        "code": "unknown-agent",
        "path": "flows[0]",
        "message": "no agent named 'develper' (did you mean 'developer'?)",
    }
    assert found["problems"][2]["line"] is None


def test_an_unknown_format_is_wrong_usage(folder):
    done = validate(folder, "crew.yaml", "--format", "xml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: no format named 'xml'; there are text, json, github, sarif\n"


def test_no_manifest_is_wrong_usage(folder):
    done = validate(folder)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_quiet_prints_problems_and_nothing_else(folder):
    done = validate(folder, "--quiet", "crew.yaml", "warned.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        MISSING_DESCRIPTION,
        "  5 |   developer: {instructions: Write.}",
        "    |   ^^^^^^^^^",
    ]
    assert validate(folder, "-q", "crew.yaml").stdout == ""


@pytest.mark.parametrize("name", ["agency.yaml\x1b[31m", "a\nb.yaml"])
def test_a_name_cannot_steer_the_terminal(name, folder):
    done = validate(folder, name)
    assert done.returncode == 2
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()) == 2


def test_the_example_agencies_pass_strictly():
    manifests = sorted(str(path) for path in ROOT.glob("agencies/*/agency.yaml"))
    done = validate(ROOT, "--strict", *manifests)
    assert (done.returncode, len(manifests) >= 3) == (0, True), done.stdout


def test_checking_a_sound_manifest_imports_nothing_heavy(folder):
    program = (
        "import sys\n"
        "from agency_cli.cli.app import run_command_line\n"
        "code = run_command_line(['validate', 'crew.yaml'])\n"
        f"print(code, [name for name in {HEAVY} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"
