"""The agency is sound, and answers. Run `pytest` here; it needs no key and costs nothing."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def agency(*arguments: str, folder: Path = FOLDER) -> subprocess.CompletedProcess[str]:
    """Run the command line as you type it."""
    return subprocess.run(
        [sys.executable, "-m", "agency_cli", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_manifest_has_no_problem() -> None:
    done = agency("validate", "--strict", "agency.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_manifest_is_laid_out_as_fmt_does() -> None:
    done = agency("fmt", "--diff", "--check", "agency.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None,
    reason="the embedded model is not installed: pip install 'agency-cli[local]'",
)
def test_it_answers_on_the_embedded_model(tmp_path: Path) -> None:
    # In a copy, so that nothing that agents write stays here.
    copy = tmp_path / "agency"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns(".agency", "output"))
    line = ["run", "agency.yaml", "Who are you?", "--model", "local", "--yes", "--json"]
    done = agency(*line, "--store", f"sqlite:///{tmp_path / 'agency.db'}", folder=copy)
    if done.returncode == 6 and "embedded model is not available" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["final_output"].strip()
