"""What the README shows is true: its manifest, its commands, its output."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agency_cli.errors import ExitCode
from command_line import agency

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
CODE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for kind, text in CODE.findall(README) if kind == language]


def shown(command: str) -> str:
    """Return what the README shows below `$ command`."""
    (text,) = [text for text in blocks("") if text.startswith(f"$ {command}\n")]
    return text.split("\n", 1)[1]


@pytest.fixture
def crew(tmp_path: Path) -> Path:
    (manifest,) = blocks("yaml")
    path = tmp_path / "crew.yaml"
    path.write_text(manifest)
    return path


def test_the_manifest_of_the_readme_is_sound(crew, tmp_path):
    done = agency("validate", "--strict", crew, folder=tmp_path)
    assert done.code == 0, done.out


def test_the_problem_of_the_readme_is_what_validate_says(crew, tmp_path):
    crew.write_text(crew.read_text().replace("lead > developer", "lead > develper"))
    done = agency("validate", "crew.yaml", folder=tmp_path)
    assert done.code == 2
    assert done.out == shown("agency validate crew.yaml")


def test_the_picture_of_the_readme_is_what_graph_draws():
    done = agency("graph", "agencies/dev_shop/agency.yaml", folder=ROOT)
    assert done.out.rstrip() == shown("agency graph agencies/dev_shop/agency.yaml").rstrip()


def test_the_options_of_the_readme_exist(tmp_path):
    helped = agency("run", "--help", folder=tmp_path).out
    options = set(re.findall(r"^\| .*?\|", README, re.MULTILINE))
    named = {name for row in options for name in re.findall(r"`(--[a-z-]+)", row)}
    assert len(named) > 8
    assert all(name in helped for name in named)


def test_the_exit_codes_of_the_readme_are_those_of_the_program():
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    assert documented == {code.value for code in ExitCode}


@pytest.mark.parametrize("name", ["main-command", "test-command"])
def test_the_two_commands_are_one_line_each(name):
    (line,) = re.findall(rf"<!-- {name} -->\n```sh\n(.*?)\n```", README, re.DOTALL)
    assert "\n" not in line
    assert line.startswith("python3 -m venv .venv && .venv/bin/pip install")


def test_the_links_of_the_readme_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
    for folder in re.findall(r"`(agencies/\w+)`", README):
        assert (ROOT / folder / "agency.yaml").exists(), folder
