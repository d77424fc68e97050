"""`agency graph`, as it is typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from agency_cli.graph import GRAPH_FORMATS

MANIFEST = """\
version: 1
name: dev_shop
params:
  language: {type: string}
tools:
  files: {builtin: files, root: output}
agents:
  ceo: {description: Plans., instructions: "You plan in ${param.language}."}
  developer: {description: Writes code., instructions: Write., tools: [files], model: gpt-5-mini}
  assistant: {name: 助理, description: Writes mails., instructions: Write.}
entry: ceo
flows:
  - ceo > developer, assistant
  - developer > assistant
"""

PICTURE = """\
dev_shop (entry: ceo)

        ╔═════╗
        ║ ceo ║
        ╚══╤══╝
      ┌────┴───┐
      ▼        │
┌───────────┐  │
│ developer │  │
└─────┬─────┘  │
      └────┬───┘
           ▼
    ┌─────────────┐
    │    助理     │
    │ (assistant) │
    └─────────────┘
"""


@pytest.fixture
def manifest(tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(MANIFEST, encoding="utf-8")
    return path


def agency(*words, encoding="utf-8", **variables):
    environment = {**os.environ, "PYTHONIOENCODING": encoding, **variables}
    return subprocess.run(
        [sys.executable, "-m", "agency_cli", *map(str, words)],
        capture_output=True,
        check=False,
        encoding=encoding,
        env=environment,
    )


def test_the_picture_comes_by_itself(manifest):
    done = agency("graph", manifest)
    assert (done.returncode, done.stdout, done.stderr) == (0, PICTURE, "")


def test_tools_and_models_are_drawn_on_request(manifest):
    done = agency("graph", manifest, "--tools", "--models")
    assert "tools files" in done.stdout
    assert "model gpt-5-mini" in done.stdout


def test_a_file_gets_the_picture_instead_of_the_terminal(manifest, tmp_path):
    done = agency("graph", manifest, "-o", tmp_path / "picture.txt", encoding="ascii")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "picture.txt").read_text(encoding="utf-8") == PICTURE


def test_a_file_that_cannot_be_written_is_named(manifest, tmp_path):
    done = agency("graph", manifest, "-o", tmp_path / "nowhere" / "picture.txt")
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_and_mermaid_come_on_request(manifest):
    document = json.loads(agency("graph", manifest, "--format", "json").stdout)
    assert document["flows"][2] == {
        "from": "developer",
        "to": "assistant",
        "kind": "message",
        "tool_name": None,
        "send_message": None,
        "extra_params": [],
    }
    chart = agency("graph", manifest, "--format", "mermaid").stdout
    assert "flowchart TD\n" in chart
    assert "助理" in chart


def test_an_unknown_format_is_refused_with_the_known_ones(manifest):
    done = agency("graph", manifest, "--format", "png")
    assert done.returncode == 2
    assert "'png'" in done.stderr
    assert "text, mermaid, dot, svg, json" in done.stderr


def test_every_format_is_named_in_the_help():
    done = agency("graph", "--help")
    assert all(name in done.stdout for name in GRAPH_FORMATS)


def test_a_width_is_kept_and_one_that_is_too_small_refused(manifest):
    narrow = agency("graph", manifest, "--width", "24").stdout
    assert max(map(len, narrow.split("\n"))) <= 24
    assert agency("graph", manifest, "--width", "3").returncode == 2


def test_a_terminal_without_box_characters_gets_ascii(manifest):
    done = agency("graph", manifest, encoding="ascii")
    assert done.returncode == 0
    assert "# ceo #" in done.stdout


def test_a_manifest_with_problems_is_not_drawn(manifest):
    manifest.write_text(MANIFEST.replace("developer, assistant", "develper"), encoding="utf-8")
    done = agency("graph", manifest)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'developer'?" in done.stderr
    assert done.stderr.startswith(f"{manifest}:13:")


def test_a_missing_manifest_is_one_clear_problem(tmp_path):
    done = agency("graph", tmp_path / "nothing.yaml")
    assert done.returncode == 2
    assert "nothing.yaml" in done.stderr
    assert "Traceback" not in done.stderr


def test_drawing_imports_nothing_that_only_running_needs(manifest):
    program = (
        "import sys; from agency_cli.cli.app import run_command_line;"
        f"code = run_command_line(['graph', {str(manifest)!r}]);"
        "heavy = {'agents', 'openai', 'rich', 'sqlalchemy', 'genai_prices'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
