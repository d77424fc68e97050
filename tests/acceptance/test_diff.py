"""`agency diff`, as it is typed: files, revisions of a repository, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
from xml.etree import ElementTree as ET

import pytest

from browsing import browsing
from command_line import agency
from drawing_programs import drawn_by_mermaid, graphviz_json, mermaid_page

OLD = """\
version: 1
name: shop
include: [parts/*.yaml]
tools: {add: {python: "tools.py:add"}}
shared_instructions_file: ../shared.md
agents:
  boss: {description: Leads., instructions_file: boss.md}
  dev: {description: Works., instructions: Work., tools: [add]}
flows: [boss > dev, boss > clerk]
"""
CLERK = """\
tools: {stamp: {python: "desk.py:stamp"}, papers: {builtin: files, root: papers}}
agents:
  clerk: {description: Files., instructions_file: clerk.md, tools: [stamp, papers]}
"""
NEW = """\
version: 1
name: shop
include: [parts/*.yaml]
tools: {add: {python: "tools.py:add"}, sh: {builtin: shell, approval: never}}
shared_instructions_file: ../shared.md
agents:
  boss: {description: Leads., instructions_file: boss.md}
  dev: {description: Works., instructions: Work., tools: [add, sh]}
  ops: {description: Runs., instructions: Run.}
flows: [boss > dev > ops, boss > clerk]
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository whose last commit changed the manifest, and its instructions and code."""
    top = tmp_path_factory.mktemp("repository")
    team = top / "team"
    parts = team / "parts"
    parts.mkdir(parents=True)
    (parts / "clerk.yaml").write_text(CLERK)
    (parts / "desk.py").write_text("def stamp() -> str:\n    return 'x'\n")
    (parts / "clerk.md").write_text("File it.")

    def git(*words):
        config = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=no"]
        subprocess.run(["git", *config, *words], cwd=top, check=True, capture_output=True)

    def write(manifest, boss, code):
        (team / "agency.yaml").write_text(manifest)
        (team / "boss.md").write_text(boss)
        (team / "tools.py").write_text(f"def add(a: int) -> int:\n    return {code}\n")
        (top / "shared.md").write_text("Be kind.")
        (top / "large.bin").write_bytes(os.urandom(1_100_000))
        (top / "odd\nname ü.txt").write_text("x")

    git("init", "--initial-branch=trunk")
    write(OLD, "Lead.\nListen.\n", "a")
    git("add", "-A")
    git("commit", "-m", "first")
    write(NEW, "Lead.\nDecide.\n", "a + 1")
    git("add", "-A")
    git("commit", "-m", "second")
    (team / "broken.yaml").write_text(OLD.replace("boss > dev,", "boss > dve,"))
    git("add", "-A")
    git("commit", "-m", "third")
    return top


def difference(repository, *words, code=0):
    done = agency("diff", *words, folder=repository)
    assert done.code == code, done.err
    return done


def test_what_is_newly_permitted_stands_first(repository):
    out = difference(repository, "HEAD~2:team/agency.yaml", "team/agency.yaml").out
    first, permitted, *_ = out.split("\n\n")
    assert first == "HEAD~2:team/agency.yaml → team/agency.yaml"
    assert permitted.split("\n") == [
        "Newly permitted (2)",
        "  ! dev may ask ops  [flows[0]]",
        "  ! dev may use sh (builtin: shell)  [agents.dev.tools]",
    ]


def test_instructions_and_code_are_read_as_they_were_in_the_revision(repository):
    out = difference(repository, "HEAD~2:team/agency.yaml", "HEAD:team/agency.yaml").out
    assert "  ~ boss  1 line added, 1 removed" in out
    assert "      -Listen." in out
    assert "      +Decide." in out
    assert "Code\n  ~ tools.py" in out


def test_a_path_may_begin_where_the_command_is_typed(repository):
    done = agency("diff", "HEAD~2:./agency.yaml", "./agency.yaml", folder=repository / "team")
    assert done.code == 0, done.err
    assert "dev may ask ops" in done.out


def test_nothing_differs_between_a_manifest_and_itself(repository):
    out = difference(repository, "HEAD:team/agency.yaml", "team/agency.yaml").out
    assert out.endswith("\n\nnothing differs\n")


def test_wider_permissions_fail_only_where_that_is_asked_for(repository):
    ends = ["HEAD~2:team/agency.yaml", "team/agency.yaml"]
    difference(repository, *ends)
    difference(repository, *ends, "--fail-on", "widened", code=1)
    difference(repository, *reversed(ends), "--fail-on", "widened")


def test_json_tells_the_same(repository):
    ends = ["HEAD~2:team/agency.yaml", "team/agency.yaml"]
    told = json.loads(difference(repository, *ends, "--json").out)
    assert [each["words"] for each in told["permitted"]] == [
        "may ask ops",
        "may use sh (builtin: shell)",
    ]
    found = {(each["section"], each["name"]): each["change"] for each in told["differences"]}
    assert found == {
        ("agents", "dev"): "changed",
        ("agents", "ops"): "added",
        ("tools", "sh"): "added",
        ("flows", "dev > ops"): "added",
        ("instructions", "boss"): "changed",
        ("code", "tools.py"): "changed",
    }


def test_what_changed_is_coloured_in_each_drawing(repository):
    ends = ["HEAD~2:team/agency.yaml", "team/agency.yaml"]
    drawn = {
        form: difference(repository, *ends, "--format", form).out
        for form in ("mermaid", "svg", "dot")
    }
    assert "linkStyle 1 stroke:#1a7f37" in drawn["mermaid"]
    assert "s-added" in drawn["svg"]
    assert ET.fromstring(drawn["svg"]).tag.endswith("svg")  # noqa: S314 - our own
    assert 'a2 -> a3 [color="#1a7f37"]' in drawn["dot"]


def test_mermaid_itself_draws_what_changed(repository):
    ends = ["HEAD:team/agency.yaml", "HEAD~2:team/agency.yaml"]
    chart = difference(repository, *ends, "--format", "mermaid").out
    with browsing() as browser:
        found = drawn_by_mermaid(mermaid_page(browser), chart)
    assert found["nodes"] == ["boss", "dev", "clerk", "ops"]
    assert found["edges"] == 3


def test_graphviz_itself_reads_what_changed(repository):
    ends = ["HEAD:team/agency.yaml", "HEAD~2:team/agency.yaml"]
    (read,) = graphviz_json([difference(repository, *ends, "--format", "dot").out])
    assert len(json.loads(read)["objects"]) == 4


def test_problems_tell_in_which_of_the_two_they_are(repository):
    done = difference(repository, "HEAD:team/broken.yaml", "team/agency.yaml", code=2)
    assert done.out == ""
    assert done.err.startswith("HEAD:team/broken.yaml:9:16: error: flows[0]: no agent named 'dve'")
    done = difference(repository, "team/agency.yaml", "team/broken.yaml", code=2)
    assert done.err.startswith("team/broken.yaml:9:")


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        ("nope:team/agency.yaml", "Not a valid object name nope"),
        ("HEAD:agency.yaml", "there is no agency.yaml in HEAD (did you mean 'team/agency.yaml'?)"),
        ("--help:agency.yaml", "No such option"),
        (":team/agency.yaml", "'' is no revision of git"),
        ("missing.yaml", "missing.yaml"),
    ],
)
def test_what_is_not_there_is_one_clear_error(repository, old, reason):
    done = agency("diff", old, "team/agency.yaml", folder=repository)
    assert (done.code, done.out) == (2, "")
    assert reason in done.err
    assert done.err.count("\n") == 1


def test_outside_a_repository_a_revision_is_refused(tmp_path):
    (tmp_path / "agency.yaml").write_text("version: 1")
    done = agency(
        "diff",
        "HEAD:agency.yaml",
        "agency.yaml",
        folder=tmp_path,
        environ={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
    )
    assert done.code == 2
    assert "not a git repository" in done.err


KEY = f"sk-{'very-long' * 12}"
WITH_SECRETS = """\
version: 1
name: shop
providers:
  own: {base_url: "https://u:pass-of-url-77@models.example/v1", api_key: "${env.OWN_KEY}"}
models:
  m: {model: x, provider: own, settings: {extra_headers: {X-Api-Key: "${env.OWN_KEY}"}}}
tools:
  web: {builtin: http, hosts: [a.example], headers: {Authorization: "Bearer ${env.OWN_KEY}"}}
agents:
  boss: {instructions: Lead., model: m, tools: [web]}
"""
BARE = """\
version: 1
name: shop
agents:
  boss: {instructions: Lead., model: gpt-5}
"""


@pytest.mark.parametrize("form", ["text", "json", "mermaid", "svg", "dot"])
@pytest.mark.parametrize("ends", [("bare.yaml", "full.yaml"), ("full.yaml", "bare.yaml")])
def test_no_secret_is_shown(tmp_path, form, ends):
    (tmp_path / "full.yaml").write_text(WITH_SECRETS)
    (tmp_path / "bare.yaml").write_text(BARE)
    environ = {"OWN_KEY": KEY}
    done = agency("diff", *ends, "--format", form, folder=tmp_path, environ=environ)
    assert done.code == 0, done.err
    assert "very-long" not in done.out
    assert "pass-of-url-77" not in done.out
