"""Params: given one by one or in a file, listed on request, refused before anything is sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import agency

MANIFEST = """\
version: 1
name: writer
params:
  language: {type: string, enum: [Python, Go], default: Python, description: Language to write in}
  count: {type: integer, description: How many}
  brief: {type: file, default: brief.md}
  tags: {type: list, required: false}
  kinds: {type: list, enum: [a, b], default: [a]}
agents:
  one:
    instructions: >-
      ${param.count} in ${param.language}; ${param.brief}; ${param.tags}; ${param.kinds}
    model: gpt-5-mini
    tools: [seen]
tools: {seen: {python: "tools.py:seen"}}
"""
TOOLS = """
from agents import RunContextWrapper


def seen(context: RunContextWrapper) -> str:
    return repr(dict(context.context.params))
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "brief.md").write_text("Be brief.")
    path = tmp_path / "agency.yaml"
    path.write_text(MANIFEST)
    return path


def run(manifest: Path, server, *options: str, folder: Path | None = None):
    server.when().says("ok")
    line = ("run", manifest, "go", *options)
    return agency(*line, folder=folder or manifest.parent, environ=server.env)


def told(server) -> str:
    return server.requests[-1].instructions


def test_every_type_stands_in_the_instructions(manifest, fake_server):
    (manifest.parent / "other.md").write_text("Take your time.")
    options = ["--param", "count=3", "--param", "brief=other.md", "--param", "kinds=b"]
    lists = ["--param", "tags=x, y", "--param", "tags=z", "--param", "kinds=a"]
    done = run(manifest, fake_server, *options, *lists)
    assert done.code == 0, done.err
    assert told(fake_server) == "3 in Python; Take your time.; x, y, z; b, a"


def test_defaults_hold_and_a_file_is_seen_from_the_manifest(manifest, fake_server, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = run(manifest, fake_server, "--param", "count=1", folder=elsewhere)
    assert done.code == 0, done.err
    assert told(fake_server) == "1 in Python; Be brief.; ; a"


def test_tools_get_them_as_data(manifest, fake_server):
    fake_server.when(tool_results=0).calls("seen")
    run(manifest, fake_server, "--param", "count=2", "--param", 'tags=["x, y", 5]')
    (output,) = fake_server.requests[-1].tool_outputs
    assert "'count': 2" in output
    assert "'tags': ['x, y', '5']" in output
    assert "'brief': 'Be brief.'" in output


@pytest.mark.parametrize("name", ["values.yaml", "values.json"])
def test_a_file_gives_many_and_an_option_comes_before_it(manifest, fake_server, name):
    values = {"count": 7, "language": "Go", "tags": ["x", "y"]}
    (manifest.parent / name).write_text(json.dumps(values))
    done = run(manifest, fake_server, "--params", name, "--param", "language=Python")
    assert done.code == 0, done.err
    assert told(fake_server) == "7 in Python; Be brief.; x, y; a"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([], "the param 'count' (How many) has no value; give it with --param count=VALUE"),
        (["--param", "count=many"], "--param count=many: must be a whole number"),
        (["--param", "cuont=1"], "no such param (did you mean 'count'?)"),
        (["--param", "count=1", "--param", "language=C"], "must be one of Python, Go"),
        (["--param", "count=1", "--param", "kinds=c"], "must be one of a, b"),
        (
            ["--param", "count=1", "--param", "brief=gone.md"],
            "brief=gone.md: the file does not exist",
        ),
        (["--param", "count=1", "--param", "brief=."], "brief=.:"),
        (["--params", "gone.yaml"], "gone.yaml"),
        (["--params", "list.yaml"], "list.yaml:1:1: error: this must be names with values"),
        (["--params", "broken.yaml"], "broken.yaml:2:1: error: not JSON or YAML"),
        (["--params", "nested.yaml"], "nested.yaml: count: a param is a text, a number"),
    ],
)
def test_what_does_not_fit_is_told_before_anything_is_sent(manifest, fake_server, options, reason):
    folder = manifest.parent
    (folder / "list.yaml").write_text("- count\n")
    (folder / "broken.yaml").write_text("count: [1\n")
    (folder / "nested.yaml").write_text("count: {a: 1}\n")
    done = run(manifest, fake_server, *options)
    assert done.code == 2
    assert reason in done.err
    assert fake_server.requests == []


def test_params_are_listed_on_request(manifest, tmp_path):
    for command in ("run", "chat"):
        done = agency(command, manifest, "--help-params", folder=tmp_path)
        assert (done.code, done.err) == (0, "")
        lines = done.out.splitlines()
        assert lines[0].split() == ["PARAM", "TYPE", "DEFAULT", "WHAT", "IT", "IS"]
        assert lines[1].split() == [
            *("language", "string", "Python", "Language", "to", "write", "in"),
            *("(one", "of", "Python,", "Go)"),
        ]
        assert lines[2].split() == ["count", "integer", "required", "How", "many"]
        assert lines[4].split() == ["tags", "list", "(empty)"]


def test_a_default_that_is_no_file_is_a_problem_at_its_place(manifest, tmp_path):
    (tmp_path / "brief.md").unlink()
    done = agency("validate", manifest.name, folder=tmp_path)
    assert done.code == 2
    assert "agency.yaml:6:32: error: params.brief.default: " in done.out
    assert "brief.md: the file does not exist  [missing-file]" in done.out


def test_a_run_is_resumed_with_the_same_values_and_a_changed_file_is_told(
    manifest, fake_server, tmp_path
):
    (tmp_path / "own.md").write_text("My own.")
    fake_server.when(tool_results=0).calls("seen")
    options = ["--param", "count=2", "--param", "brief=own.md", "--max-turns", "1", "--json"]
    done = run(manifest, fake_server, *options)
    run_id = json.loads(done.out)["run_id"]
    line = ["runs", "resume", run_id, "--max-turns", "5"]
    elsewhere = {**fake_server.env, "AGENCY_STORE": f"sqlite:///{tmp_path / 'store' / 'agency.db'}"}
    (tmp_path / "own.md").write_text("Another.")
    refused = agency(*line, folder=tmp_path, environ=elsewhere)
    assert refused.code == 2, refused.out
    assert "changed since run" in refused.err
    (tmp_path / "own.md").write_text("My own.")
    done = agency(*line, folder=tmp_path, environ=elsewhere)
    assert (done.code, done.out.strip()) == (0, "ok"), done.err
    assert told(fake_server) == "2 in Python; My own.; ; a"
