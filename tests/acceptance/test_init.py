"""`agency init`: what it makes is sound, runs, and passes its own test; and it spoils nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from agency_cli.new_agency import SCHEMA_FILE, TEMPLATES
from command_line import agency, environment
from diligent import diligent, walk
from person import Person

ROOT = Path(__file__).parents[2]


def everything_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(params=TEMPLATES)
def made(request, tmp_path) -> Path:
    """The folder of a new agency, of each template."""
    done = agency("init", "crew", "--template", request.param, folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    return tmp_path / "crew"


def test_it_is_sound_without_a_warning_and_its_python_is_too(made):
    done = agency("validate", "--strict", "--deep", "agency.yaml", folder=made)
    assert done.code == 0, done.out
    assert " 0 warnings" in done.out


def test_it_is_laid_out_and_has_comments_that_teach(made):
    assert agency("fmt", "--check", ".", folder=made).code == 0
    comments = [line for line in (made / "agency.yaml").read_text().splitlines() if "#" in line]
    assert len(comments) > 7


def test_its_first_line_leads_editors_to_a_schema_that_is_there(made):
    first = (made / "agency.yaml").read_text().splitlines()[0]
    assert first == f"# yaml-language-server: $schema={SCHEMA_FILE}"
    assert (made / SCHEMA_FILE).read_bytes() == (ROOT / "schemas/agency.schema.json").read_bytes()


def test_git_keeps_the_schema_and_nothing_that_runs_leave_behind(made):
    (made / "output").mkdir()
    for place in ("output/page.md", ".agency/agency.db", ".agency/logs/x.log"):
        (made / place).parent.mkdir(exist_ok=True)
        (made / place).write_text("x")
    subprocess.run(["git", "init", "--quiet"], cwd=made, check=True)
    subprocess.run(["git", "add", "."], cwd=made, check=True)
    kept = subprocess.run(["git", "ls-files"], cwd=made, capture_output=True, text=True, check=True)
    names = kept.stdout.splitlines()
    assert {SCHEMA_FILE, "agency.yaml", ".gitignore"} <= set(names)
    assert not [name for name in names if name.endswith((".db", ".log", "page.md"))]


def test_it_has_its_name_and_can_be_drawn(made):
    assert yaml.safe_load((made / "agency.yaml").read_text())["name"] == "crew"
    drawn = agency("graph", "agency.yaml", folder=made)
    assert drawn.out.startswith("crew (entry: ")


def test_everybody_in_it_does_their_job(made, fake_server):
    fake_server.script(diligent)
    done = agency("run", "agency.yaml", "Who are you?", "--json", folder=made,
                  environ=fake_server.env)  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    nodes = list(walk(result["tree"]))
    assert result["final_output"]
    assert not [node for node in nodes if node["status"] != "ok"]
    asked = {node["name"] for node in nodes if node["kind"] == "agent"}
    manifest = yaml.safe_load((made / "agency.yaml").read_text())
    handed = any(flow.get("kind") == "handoff" for flow in manifest.get("flows", ())
                 if isinstance(flow, dict))  # fmt: skip
    assert len(asked) == (2 if handed else len(manifest["agents"]))


def test_its_own_test_passes_and_leaves_nothing_in_it(made, tmp_path):
    before = everything_in(made)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "."],
        cwd=made, capture_output=True, text=True, check=False,
        env={**environment(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    if os.environ.get("AGENCY_REQUIRE_LOCAL") == "1":
        assert "skipped" not in done.stdout
    assert everything_in(made) == before


def test_its_own_test_fails_where_the_agency_is_spoilt(tmp_path):
    agency("init", "crew", folder=tmp_path)
    manifest = tmp_path / "crew/agency.yaml"
    manifest.write_text(manifest.read_text().replace("assistant.md", "nobody.md"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "problem", "."],
        cwd=tmp_path / "crew", capture_output=True, text=True, check=False,
        env=environment(tmp_path),
    )  # fmt: skip
    assert done.returncode == 1
    assert "nobody.md" in done.stdout


def test_two_of_them_side_by_side_are_tested_together(tmp_path):
    for name in ("one", "two"):
        agency("init", name, "--template", "pipeline-with-tools", folder=tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "not embedded", "."],
        cwd=tmp_path, capture_output=True, text=True, check=False, env=environment(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_it_says_what_was_made_and_what_comes_next(tmp_path):
    done = agency("init", "crew", "--folder", "my work/crew", folder=tmp_path)
    assert done.out.startswith("made my work/crew: agency.yaml, ")
    assert "agency graph 'my work/crew/agency.yaml'" in done.out
    for name in ("agency.yaml", "assistant.md", "test_crew.py", ".gitignore", SCHEMA_FILE):
        assert name in done.out.splitlines()[0]
        assert (tmp_path / "my work/crew" / name).is_file()


@pytest.mark.parametrize("model", ["local", "llama3.3:70b", "Qwen: 3 #x", "null", "1", "gpt-5.6"])
def test_its_agents_use_the_model_that_was_given(tmp_path, model):
    done = agency("init", "crew", "--model", model, folder=tmp_path)
    assert done.code == 0, done.err
    manifest = yaml.safe_load((tmp_path / "crew/agency.yaml").read_text())
    assert manifest["defaults"]["model"] == model
    # A price that nobody knows would make a limit of money a warning, or a refusal.
    assert ("max_cost_usd" in manifest["limits"]) == (model == "local")
    assert agency("validate", "--strict", "crew/agency.yaml", folder=tmp_path).code == 0
    assert agency("fmt", "--check", "crew", folder=tmp_path).code == 0


@pytest.mark.parametrize("name", ["null", "true", "on", "No", "e1", "a.b-c_d"])
def test_a_name_that_yaml_takes_for_something_else_stays_a_name(tmp_path, name):
    assert agency("init", name, folder=tmp_path).code == 0
    shown = agency("graph", f"{name}/agency.yaml", folder=tmp_path)
    assert (shown.code, shown.out.split()[0]) == (0, name)


@pytest.mark.parametrize("name", ["", "a b", "../a", "a/b", "1a", "-", ".a", "é", "a" * 65, "a\n"])
def test_a_name_that_cannot_be_is_refused_before_anything_is_made(tmp_path, name):
    done = agency("init", "--", name, folder=tmp_path)
    assert done.code == 2
    assert "is no name for an agency" in done.err
    assert len(done.err.splitlines()) == 1
    assert everything_in(tmp_path) == {}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["crew", "--template", "tema"], "no template named 'tema' (did you mean 'team'?)"),
        (["crew", "--model", " "], "' ' is no name of a model"),
        ([], "the agency needs a name: agency init NAME"),
        (["crew", "--folder", "file"], "file is there, or what is above it, and is no folder"),
        (["crew", "--folder", "file/x"], "is no folder"),
        (["crew", "--folder", "x" * 300], "cannot be used: File name too long"),
        (["crew", "--folder", "nowhere"], "nowhere is a link that leads nowhere"),
        (["crew", "--folder", "/proc/x"], "cannot make /proc/x: "),
    ],
)
def test_what_cannot_be_is_told_in_one_line_and_nothing_is_made(tmp_path, line, told):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "nowhere").symlink_to("gone")
    done = agency("init", *line, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.splitlines()) == 1
    assert everything_in(tmp_path) == {"file": b"mine"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "nowhere"]


def test_a_folder_with_something_in_it_is_left_as_it_is(tmp_path):
    (tmp_path / "crew").mkdir()
    (tmp_path / "crew/agency.yaml").write_text("mine")
    done = agency("init", "crew", folder=tmp_path)
    assert done.code == 2
    assert "crew is there and not empty ('agency.yaml' is in it); nothing was written" in done.err
    assert everything_in(tmp_path) == {"crew/agency.yaml": b"mine"}


def test_an_empty_folder_can_be_filled_and_gives_its_name(tmp_path):
    (tmp_path / "desk").mkdir()
    done = agency("init", "--folder", ".", folder=tmp_path / "desk",
                  environ={"AGENCY_HOME": str(tmp_path / "home")})  # fmt: skip
    assert done.code == 0, done.err
    manifest = yaml.safe_load((tmp_path / "desk/agency.yaml").read_text())
    assert manifest["name"] == "desk"
    assert agency("validate", "desk/agency.yaml", folder=tmp_path).code == 0


def test_where_writing_fails_half_way_nothing_is_left(tmp_path):
    # A limit of the system on the size of files: the schema is larger than what is allowed.
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "from agency_cli.cli.app import run_command_line\n"
        "sys.exit(run_command_line(['init', 'crew', '--folder', 'a/b/crew']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "error: cannot make a/b/crew: File too large; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


def test_the_templates_are_listed(tmp_path):
    done = agency("init", "--list", folder=tmp_path)
    assert [line.split()[0] for line in done.out.splitlines()] == list(TEMPLATES)
    folders = {path.name for path in (ROOT / "agency_cli/templates").iterdir()} - {"shared"}
    assert folders == set(TEMPLATES)


def test_a_person_at_a_terminal_is_asked_for_what_is_missing(tmp_path):
    with Person("init", folder=tmp_path, environ={}) as person:
        person.sees("Name of the agency [my_agency]:")
        person.type("my crew\n")
        person.sees("'my crew' is no name", "Name of the agency [my_agency]:")
        person.type("crew\n")
        person.sees("handoff", "Template [solo]:")
        person.type("tema\n")
        person.sees("did you mean 'team'?", "Template [solo]:")
        person.type("team\n")
        person.sees("Model (local needs no key) [gpt-5-mini]:")
        person.type("local\n")
        person.sees("made crew: ")
        assert person.leaves() == 0
    manifest = yaml.safe_load((tmp_path / "crew/agency.yaml").read_text())
    assert (manifest["name"], manifest["defaults"]["model"]) == ("crew", "local")
    assert "researcher" in manifest["agents"]


def test_enter_takes_what_is_usual(tmp_path):
    with Person("init", "crew", folder=tmp_path, environ={}) as person:
        person.sees("Template [solo]:")
        person.type("\n")
        person.sees("Model")
        person.type("\n")
        person.sees("made crew: ")
        assert person.leaves() == 0
    manifest = yaml.safe_load((tmp_path / "crew/agency.yaml").read_text())
    assert list(manifest["agents"]) == ["assistant"]


@pytest.mark.parametrize("keys", ["\x03", "\x04"])
def test_who_leaves_a_question_leaves_nothing_behind(tmp_path, keys):
    with Person("init", folder=tmp_path, environ={}) as person:
        person.sees("Name of the agency")
        person.type(keys)
        person.sees("interrupted")
        assert person.leaves() == 130
    assert everything_in(tmp_path) == {}


def test_the_wheel_holds_every_template_and_what_it_installs_makes_agencies(tmp_path):
    built = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", tmp_path, ROOT],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if built.returncode and "hatchling" in built.stderr:
        pytest.skip("the build needs hatchling, which cannot be installed here")
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "installed")
    shipped = everything_in(ROOT / "agency_cli/templates")
    packed = everything_in(tmp_path / "installed/agency_cli/templates")
    assert packed == {k: v for k, v in shipped.items() if "__pycache__" not in k}
    program = "import sys; from agency_cli.__main__ import main; sys.exit(main())"
    for template in TEMPLATES:
        done = subprocess.run(
            [sys.executable, "-c", program, "init", f"x-{template}", "--template", template],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**environment(tmp_path), "PYTHONPATH": str(tmp_path / "installed")},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        validated = agency("validate", "--strict", f"x-{template}/agency.yaml", folder=tmp_path)
        assert validated.code == 0, validated.out
