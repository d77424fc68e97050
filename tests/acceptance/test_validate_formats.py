"""The formats of `agency validate`, and the files, folders and patterns that it takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft4Validator

from command_line import agency

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "tests/data/sarif/sarif-2.1.0-rtm.5.json").read_text())
SOUND = """\
version: 1
name: demo
agents:
  ceo: {instructions: Lead.}
  developer: {instructions: Write., description: Writes.}
flows:
  - ceo > developer
"""
BAD = SOUND.replace("> developer", "> develper")
KEY = "sk-abcdefghijklmnopqrstuvwx"


@pytest.fixture
def folder(tmp_path):
    for name, text in {
        "crew.yaml": SOUND,
        "teams/one/agency.yaml": BAD,
        "teams/two/agency.yml": SOUND,
        "teams/two/other.yaml": SOUND,
        "teams/two/notes.yaml": "notes: 1\n",
        "teams/two/agents.txt": SOUND,
        "teams/.hidden/agency.yaml": BAD,
        "teams/node_modules/x/agency.yaml": BAD,
        "whole/agency.yaml": SOUND + "include: [part.yaml]\n",
        "whole/part.yaml": "version: 1\nagents:\n  clerk: {instructions: Note.}\n"
        "flows: [ceo > clerk]\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def files(folder, *arguments):
    done = agency("validate", *arguments, "--format", "json", folder=folder)
    found = json.loads(done.out)
    return done.code, found["files"], [problem["code"] for problem in found["problems"]]


def sarif(folder, *arguments, stdin=None):
    done = agency("validate", *arguments, "--format", "sarif", folder=folder, stdin=stdin)
    log = json.loads(done.out)
    assert list(Draft4Validator(SCHEMA).iter_errors(log)) == []
    return done.code, log["runs"][0]


def test_a_folder_stands_for_the_manifests_below_it(folder):
    code, names, codes = files(folder, "teams")
    assert (code, codes) == (2, ["unknown-agent"])
    assert names == ["teams/one/agency.yaml", "teams/two/agency.yml", "teams/two/other.yaml"]


def test_what_a_manifest_includes_is_checked_with_it_and_not_alone(folder):
    code, names, codes = files(folder, "whole")
    assert (names, codes) == (["whole/agency.yaml"], ["missing-description"])
    assert code == 0
    assert files(folder, "whole/part.yaml")[2][:2] == ["missing-key", "unknown-agent"]


def test_a_pattern_is_replaced_where_no_shell_does_it(folder):
    code, names, _ = files(folder, "teams/**/*.yml", "cr*.yaml", "crew.yaml")
    assert (code, names) == (0, ["teams/two/agency.yml", "crew.yaml"])


@pytest.mark.parametrize("argument", ["teams/two/*.json", "empty"])
def test_what_leads_to_no_manifest_fails(argument, folder):
    (folder / "empty").mkdir()
    code, names, codes = files(folder, argument, "crew.yaml")
    assert (code, names, codes) == (2, ["crew.yaml", argument], ["missing-file"])


def test_the_standard_input_is_a_manifest_of_the_current_folder(folder):
    (folder / "ceo.md").write_text("You lead.")
    text = SOUND.replace("instructions: Lead.", "instructions_file: ceo.md")
    done = agency("validate", "-", folder=folder, stdin=text)
    assert (done.code, done.out.splitlines()[0]) == (0, "<stdin>: ok (2 agents, 1 flow)")
    done = agency("validate", "-", folder=folder, stdin=text.replace("ceo.md", "coe.md"))
    assert done.code == 2
    assert done.out.splitlines()[:2] == [
        (
            "<stdin>:4:28: error: agents.ceo.instructions_file: the file 'coe.md' does not exist"
            " (did you mean 'ceo.md'?)  [missing-file]"
        ),
        "  4 |   ceo: {instructions_file: coe.md}",
    ]


def test_the_deep_check_reads_the_standard_input_too(folder):
    (folder / "tools.py").write_text("def add(a: int) -> int:\n    return a\n")
    text = SOUND.replace("{instructions: Lead.}", "{instructions: Lead., tools: [add]}")
    text += "tools: {add: {python: 'tools.py:sub'}}\n"
    done = agency("validate", "--deep", "-", folder=folder, stdin=text)
    assert done.code == 2
    assert done.out.startswith("<stdin>:8:23: error: tools.add.python: ")


def test_a_log_of_sarif_keeps_its_schema_and_has_every_problem(folder):
    code, run = sarif(folder, "teams", "none.yaml", "crew.yaml")
    assert code == 2
    first, second = run["results"]
    location = first["locations"][0]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "teams/one/agency.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 7, "startColumn": 11, "endColumn": 19},
    }
    assert location["logicalLocations"] == [{"fullyQualifiedName": "flows[0]"}]
    assert (first["ruleId"], first["level"]) == ("unknown-agent", "error")
    assert "region" not in second["locations"][0]["physicalLocation"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == [
        "unknown-agent",
        "missing-file",
    ]


@pytest.mark.parametrize("name", ["a b#c?.yaml", "größe,1:2%.yaml", "line\nbreak.yaml"])
def test_odd_names_of_files_are_sound_in_every_format(name, folder):
    (folder / name).write_text(BAD)
    _, run = sarif(folder, name)
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert re.fullmatch(r"[\w%.~/-]+", artifact["uri"], re.ASCII)
    done = agency("validate", name, "--format", "github", "-q", folder=folder)
    assert unescaped(done.out)["file"] == name


def test_sarif_of_a_file_elsewhere_and_of_the_standard_input_keeps_its_schema(folder):
    inner = folder / "teams" / "two"
    _, run = sarif(inner, folder / "teams/one/agency.yaml")
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": (folder / "teams/one/agency.yaml").as_uri()}
    code, run = sarif(inner, "-", stdin=BAD)
    assert (code, len(run["results"])) == (2, 1)
    assert sarif(folder, "crew.yaml") == (0, run | {"results": [], "tool": tool_without(run)})


def tool_without(run):
    return {"driver": run["tool"]["driver"] | {"rules": []}}


def unescaped(line):
    """Read a workflow command as GitHub's runner does."""
    head, message = re.fullmatch(r"::\w+ (.*?)::(.*)\n", line).groups()
    properties = dict(pair.split("=", 1) for pair in head.split(","))
    result = {}
    for key, value in (properties | {"message": message}).items():
        text = value
        for code, sign in {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}.items():
            text = text.replace(code, sign)
        result[key] = text
    return result


def test_annotations_have_everything_and_the_log_a_summary(folder):
    done = agency("validate", "./teams/one/agency.yaml", "--format", "github", folder=folder)
    command, summary = done.out.splitlines()
    assert unescaped(command + "\n") == {
        "file": "teams/one/agency.yaml",
        "line": "7",
        "col": "11",
        "title": "unknown-agent",
        "message": "flows[0]: no agent named 'develper' (did you mean 'developer'?)",
    }
    assert summary == "1 file, 1 error, 0 warnings"
    assert done.code == 2


def test_a_message_with_percent_signs_is_read_back_as_it_is(folder):
    (folder / "odd.yaml").write_text(SOUND.replace("> developer", "> 'dev%0Aeloper::x'"))
    done = agency("validate", "odd.yaml", "--format", "github", "-q", folder=folder)
    commands = done.out.splitlines()
    assert len(commands) == 1
    assert "dev%0Aeloper::x" in unescaped(done.out)["message"]


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_no_format_shows_a_secret_that_stands_in_a_manifest(form, folder):
    secrets = ("hunter2", "s3cr3t-words", KEY, "f00ba7f00ba7f00ba7f00ba7f00ba7f0", "pa55w0rd")
    (folder / "leaky.yaml").write_text(
        BAD + "providers:\n"
        f"  x: {{base_url: 'http://me:{secrets[4]}@', api_key: {secrets[0]}, "
        f"headers: {{X-Odd: {KEY}}}}}\n"
        f"  y: {{base_url: x y, api_key: '{secrets[1]}', headers: {{Authorization: 12345678}}}}\n"
        f"models: {{m: {{model: {secrets[3]}, provider: z}}}}\n"
    )
    done = agency("validate", "leaky.yaml", "--format", form, folder=folder)
    assert done.code == 2
    for secret in (*secrets, "12345678"):
        assert secret not in done.out, secret


def test_the_hook_for_pre_commit_passes_what_is_sound_and_stops_the_rest(folder):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *arguments = hook["entry"].split()
    assert program == "agency"
    assert agency(*arguments, "crew.yaml", folder=folder).code == 0
    assert agency(*arguments, "teams/one/agency.yaml", folder=folder).code == 2
    assert re.search(hook["files"], "agencies/dev_shop/agency.yaml")
    assert not re.search(hook["files"], "my-agency.yaml")


def test_the_workflow_of_the_docs_is_yaml_and_its_commands_are_ours(folder):
    page = (ROOT / "docs" / "ci.md").read_text()
    workflow = yaml.safe_load(re.search(r"```yaml\n(# \.github.*?)```", page, re.DOTALL)[1])
    steps = workflow["jobs"]["validate"]["steps"]
    (line,) = [step["run"] for step in steps if step.get("run", "").startswith("agency ")]
    assert agency(*line.split()[1:], folder=ROOT).code == 0
