"""Every agency that is shipped is sound, and does its job on a server that behaves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from command_line import agency
from diligent import diligent, walk
from petstores import service_beside

AGENCIES = sorted((Path(__file__).parents[2] / "agencies").glob("*/agency.yaml"))


@pytest.fixture(params=AGENCIES, ids=lambda path: path.parent.name)
def shipped(request, tmp_path: Path) -> Path:
    """A copy, so that what the agency writes does not stay."""
    folder = tmp_path / request.param.parent.name
    skipped = shutil.ignore_patterns("output", ".agency", "__pycache__")
    shutil.copytree(request.param.parent, folder, ignore=skipped)
    return folder / "agency.yaml"


def test_it_is_sound_without_a_warning(shipped, tmp_path):
    done = agency("validate", "--strict", shipped, folder=tmp_path)
    assert done.code == 0, done.out
    assert " 0 warnings" in done.out


def test_its_first_line_tells_editors_the_schema(shipped):
    assert shipped.read_text().startswith("# yaml-language-server: $schema=")


def test_it_can_be_drawn(shipped, tmp_path):
    for kind in ("text", "mermaid", "json"):
        assert agency("graph", shipped, "--format", kind, folder=tmp_path).code == 0


@pytest.fixture
def services(shipped):
    """The environment in which an agency finds the service that is shipped beside it, if any."""
    with service_beside(shipped.parent) as environ:
        yield environ


def test_it_runs_and_everybody_who_is_asked_answers(shipped, services, fake_server, tmp_path):
    fake_server.script(diligent)
    done = agency("run", shipped, "Build a REST API", "--json", "--yes", folder=tmp_path,
                  environ={**fake_server.env, **services})  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["final_output"]
    nodes = list(walk(result["tree"]))
    assert not [node for node in nodes if node["status"] != "ok"]
    asked = {node["name"] for node in nodes if node["kind"] == "agent"}
    alone = len(yaml.safe_load(shipped.read_text())["agents"]) == 1
    assert len(asked) == 1 if alone else len(asked) > 1
    assert result["usage"]["total_tokens"] == fake_server.counted.total.total
