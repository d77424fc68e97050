"""Files that a manifest includes: what they add, where their problems are, what may go wrong."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from agency_cli.loading import check_manifest, load_manifest
from command_line import agency

MAIN = """\
version: 1
name: whole
include: [parts/*.yaml]
agents:
  lead: {instructions: You lead.}
entry: lead
flows:
  - lead > clerk
"""
PART = """\
agents:
  clerk:
    description: Files.
    instructions_file: clerk.md
    tools: [stamp, files]
tools:
  stamp: {python: "tools.py:stamp"}
  files: {builtin: files, root: papers, read_only: true}
flows:
  - from: lead
    to: clerk
    tool_name: ask_twice
    send_message: messages.py:Ask
"""
FILES = {
    "agency.yaml": MAIN,
    "parts/clerk.yaml": PART,
    "parts/clerk.md": "You file.",
    "parts/tools.py": "def stamp(what: str) -> str:\n    return f'stamped {what}'\n",
    "parts/messages.py": (
        "from agency_cli import SendMessage\n\n\nclass Ask(SendMessage):\n    'Ask.'\n"
    ),
}


def write(folder: Path, **changed: str) -> Path:
    files = {**FILES, **{name.replace("__", "/"): text for name, text in changed.items()}}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "agency.yaml"


def found(folder: Path) -> list[str]:
    problems = check_manifest(folder / "agency.yaml", environ={})
    return [str(problem).replace(f"{folder}/", "") for problem in problems]


def test_an_agency_in_parts_runs_as_one(tmp_path, fake_server):
    path = write(tmp_path)
    (tmp_path / "parts" / "papers").mkdir()
    (tmp_path / "parts" / "papers" / "a.txt").write_text("paper")
    when = fake_server.when
    when(instructions="You lead.", turn=0).calls(
        "ask_twice", recipient_agent="clerk", message="go", additional_instructions=""
    )
    when(instructions="You lead.").says("All filed.")
    when(instructions="You file.", turn=0).calls("stamp", what="it").calls(
        "read_file", path="a.txt"
    )
    when(instructions="You file.").says("Filed.")
    done = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert json.loads(done.out)["final_output"] == "All filed."
    told = [r for r in fake_server.requests if "You file." in r.instructions][-1].tool_outputs
    assert list(told) == ["stamped it", "paper"]
    assert agency("validate", "--deep", path, folder=tmp_path).code == 0
    assert "clerk" in agency("graph", path, folder=tmp_path).out


def test_problems_are_told_in_the_file_where_they_stand(tmp_path):
    bad = PART.replace("tools: [stamp, files]", "tools: [stamp, fils]\n    modle: x")
    bad = bad.replace("    to: clerk", "    to: clrk").replace("clerk.md", "gone.md")
    write(tmp_path, **{"parts__clerk.yaml": bad})
    problems = found(tmp_path)
    assert any(
        p.startswith("parts/clerk.yaml:5:20: error: agents.clerk.tools[1]: no tool named 'fils'")
        for p in problems
    )
    assert any(p.startswith("parts/clerk.yaml:6:5: error: agents.clerk.modle") for p in problems)
    assert any(
        p.startswith("parts/clerk.yaml:12:9: error: flows[1].to: no agent named 'clrk'")
        and "did you mean 'clerk'" in p
        for p in problems
    )
    assert any("parts/clerk.yaml:4:24: error:" in p and "gone.md" in p for p in problems)


def test_a_name_twice_is_told_with_both_places(tmp_path):
    write(
        tmp_path,
        **{
            "agency.yaml": MAIN.replace("  lead:", "  clerk: {instructions: C.}\n  lead:"),
            "parts__more.yaml": "tools:\n  stamp: {builtin: ask_user}\n",
        },
    )
    problems = found(tmp_path)
    assert (
        "parts/clerk.yaml:2:3: error: agents.clerk is declared in agency.yaml:5 too; give one of"
        " them another name  [duplicate-name]" in problems
    )
    assert any(
        p.startswith("parts/more.yaml:2:3: error: tools.stamp is declared in parts/clerk.yaml:7")
        for p in problems
    )


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            "include: [clerk.yaml]\n",
            "parts/clerk.yaml:1:11: error: files include each other in",
        ),
        ("include: [../agency.yaml]\n", "circle: agency.yaml > clerk.yaml > agency.yaml"),
        ("include: [gone.yaml]\n", "parts/clerk.yaml:1:11: error: the file"),
        ("include: [gone/*.yaml]\n", "parts/clerk.yaml:1:11: error: no file fits 'gone/*.yaml'"),
        ("include: gone.yaml\n", "parts/clerk.yaml:1:10: error: write a list"),
        ("include: [5]\n", "parts/clerk.yaml:1:11: error: name a file"),
        ("entry: lead\n", "parts/clerk.yaml:1:1: error: a file that is included has no 'entry'"),
        ("agnets: {}\n", "no 'agnets' (did you mean 'agents'?)"),
        ("agents: []\n", "parts/clerk.yaml:1:9: error: agents must be a mapping"),
        ("flows: {}\n", "parts/clerk.yaml:1:8: error: flows must be a list"),
        ("- a\n", "parts/clerk.yaml:1:1: error: a manifest is a mapping"),
        ("agents: {a: [\n", "parts/clerk.yaml:2:1: error:"),
        ("", "parts/clerk.yaml:1:1: error: the file is empty"),
    ],
)
def test_what_an_included_file_may_not_be_is_told_at_its_place(tmp_path, part, expected):
    write(tmp_path, **{"parts__clerk.yaml": part})
    assert any(expected in problem for problem in found(tmp_path)), found(tmp_path)


def test_a_file_that_two_include_is_taken_once(tmp_path):
    main = MAIN.replace("[parts/*.yaml]", "[parts/clerk.yaml, ./parts/clerk.yaml, parts/b.yaml]")
    write(tmp_path, **{"agency.yaml": main, "parts__b.yaml": "include: [clerk.yaml]\n"})
    assert found(tmp_path) == []


def test_a_change_in_an_included_file_changes_the_manifest(tmp_path):
    path = write(tmp_path)
    before = load_manifest(path, environ={}).digest
    (tmp_path / "parts" / "clerk.yaml").write_text(PART.replace("Files.", "Files all."))
    assert load_manifest(path, environ={}).digest != before


def test_params_stand_in_included_files_too(tmp_path):
    main = MAIN.replace("agents:", "params: {who: {default: world}}\nagents:")
    write(tmp_path, **{"agency.yaml": main, "parts__clerk.md": "Hello ${param.who}."})
    loaded = load_manifest(tmp_path / "agency.yaml", environ={}, params={"who": "moon"})
    assert loaded.instructions["clerk"] == "Hello moon."


def test_json_tells_the_file_of_each_problem(tmp_path):
    write(tmp_path, **{"parts__clerk.yaml": textwrap.dedent(PART).replace("read_only", "readonly")})
    done = agency("validate", "agency.yaml", "--format", "json", folder=tmp_path)
    (problem,) = json.loads(done.out)["problems"]
    assert (problem["file"], problem["line"]) == ("parts/clerk.yaml", 8)
