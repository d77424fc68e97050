"""The place of each problem is the true one: line, column, and what stands there."""

from __future__ import annotations

import pytest

from agency_cli.loading import SourceLines, check_manifest
from agency_cli.rendering.problems.excerpt import span

MANIFEST = """\
version: 1
name: demo
x-base: &base
  description: Works.
  model: smrt
  tools: [fils]
models: {smart: {model: gpt-5}}
tools: {files: {builtin: files, root: out}}
params: {language: {default: Go}}
agents:
  ceo:
    instructions: |
      Lead dev@dev.org.
      Say ${param.langauge}; $${param.langauge} is text.
      Ask @clerk and ${param.langauge}.
    tools: [files]
    model: smart
  dev:
    <<: *base
    instructions: >-
      Write 你好 ${param.nope}
      and ${env.SECRET}.
  clerk: {<<: *base, instructions: "Note \\u0041\\n ${param.lang}", description: N.}
flows:
  - ceo > dev
  - >-
    ceo > dve,
    clerk
entry: ceo
include: [part.yaml]
"""
PART = """\
agents:
  inc:
    description: Inc.
    instructions: |
      Hello
      ask @ceo and ${param.zzz}
    instructions_file: text.md
  inc2: {instructions_file: text.md, description: D., tools: [fles]}
flows:
  - ceo > inc, incc
"""
TEXT = """\
Mail me@ceo.org
with ${param.zzz} and ${param.zzz}
ask @ceo
"""
PLACES = [
    ("unknown-param", "agency.yaml", 14, 11, "${param.langauge}"),
    ("unknown-param", "agency.yaml", 15, 22, "${param.langauge}"),
    ("unknown-param", "agency.yaml", 21, 16, "${param.nope}"),
    ("env-in-prompt", "agency.yaml", 22, 11, "${env.SECRET}"),
    ("unknown-param", "agency.yaml", 23, 51, "${param.lang}"),
    ("unknown-param", "part.yaml", 6, 20, "${param.zzz}"),
    ("unknown-param", "text.md", 2, 6, "${param.zzz}"),
    ("unknown-param", "text.md", 2, 23, "${param.zzz}"),
    ("unknown-param", "text.md", 2, 6, "${param.zzz}"),
    ("unknown-param", "text.md", 2, 23, "${param.zzz}"),
    ("unknown-agent", "agency.yaml", 27, 11, "dve"),
    ("unknown-agent", "part.yaml", 10, 16, "incc"),
    ("unknown-tool", "agency.yaml", 6, 11, "fils"),
    ("unknown-tool", "agency.yaml", 6, 11, "fils"),
    ("unknown-tool", "part.yaml", 8, 63, "fles"),
    ("exclusive-keys", "part.yaml", 7, 5, "instructions_file"),
    ("unreachable-mention", "text.md", 3, 5, "@ceo"),
    ("unreachable-mention", "text.md", 3, 5, "@ceo"),
    ("unused-param", "agency.yaml", 9, 10, "language"),
    ("misspelt-model", "agency.yaml", 5, 10, "smrt"),
    ("misspelt-model", "agency.yaml", 5, 10, "smrt"),
]
"""Code, file, line, column, and the text with marks below it; read by eye from the files."""


def places(folder, monkeypatch, *, newline="\n"):
    monkeypatch.chdir(folder)
    for name, text in (("agency.yaml", MANIFEST), ("part.yaml", PART), ("text.md", TEXT)):
        (folder / name).write_text(text, encoding="utf-8", newline=newline)
    lines = SourceLines()
    found = []
    for problem in check_manifest("agency.yaml", environ={}):
        line = lines.line(problem)
        start, end = span(line, problem)
        found.append((problem.code, problem.file, problem.line, problem.column, line[start:end]))
    return found


def test_problems_of_all_files_stand_where_they_are(tmp_path, monkeypatch):
    assert places(tmp_path, monkeypatch) == PLACES


def test_line_ends_of_windows_move_nothing(tmp_path, monkeypatch):
    assert places(tmp_path, monkeypatch, newline="\r\n") == PLACES


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"])
def test_what_only_yaml_takes_for_the_end_of_a_line_moves_nothing(character, tmp_path):
    path = tmp_path / "agency.yaml"
    odd = f"version: 1\nname: a{character}  b{character}  c\n# {character}\n"
    for rest, code in (
        ("agents:\n  ceo: {instructions: Lead., tols: []}\n", "unknown-key"),
        ("agents: {\n", "yaml-syntax"),
        ("agents: *x\n", "unknown-alias"),
        ("agents: {}\n---\nmore\n", "second-document"),
    ):
        found = []
        for text in (odd + rest, odd.replace(character, " ") + rest):
            path.write_text(text, encoding="utf-8")
            problem = check_manifest(path)[0]
            found.append((problem.code, problem.line, problem.column))
        assert found[0] == found[1]
        assert found[0][0] == code
