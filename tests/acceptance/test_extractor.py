"""The extractor: a note in, JSON out, as a part of a shell pipe; and files for final outputs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import agency, environment
from fake_server import Reply

EXTRACTOR = Path(__file__).parents[2] / "agencies" / "extractor" / "agency.yaml"
CONTACT = {"name": "Ada", "email": "ada@example.org", "phone": None, "topic": "support"}
FILED = """
version: 1
name: filed
params: {{day: {{default: monday}}}}
agents: {{clerk: {{instructions: You write., model: gpt-5-mini}}}}
output_file: {file}
"""


def test_a_note_becomes_json_in_a_shell_pipe(fake_server, tmp_path):
    fake_server.when(user="Reach Ada").says(json.dumps(CONTACT))
    reads = 'import json, sys; print(json.load(sys.stdin)["email"])'
    line = f'{sys.executable} -m agency_cli run {EXTRACTOR} --quiet | {sys.executable} -c "$READS"'
    done = subprocess.run(
        ["sh", "-c", line],
        input="Reach Ada at ada@example.org",
        capture_output=True,
        env={**environment(tmp_path, fake_server.env), "READS": reads},
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "ada@example.org"), done.stderr


def test_json_carries_the_object_also_when_a_past_run_is_shown(fake_server, tmp_path):
    fake_server.when().says(json.dumps(CONTACT))
    done = agency("run", EXTRACTOR, "x", "--json", folder=tmp_path, environ=fake_server.env)
    result = json.loads(done.out)
    assert result["final_output"] == CONTACT
    shown = agency("runs", "show", result["run_id"], "--json", folder=tmp_path)
    assert json.loads(shown.out)["final_output"] == CONTACT


def test_an_answer_that_does_not_fit_ends_with_5_and_prints_nothing(fake_server, tmp_path):
    fake_server.when().says("Ada.")
    done = agency("run", EXTRACTOR, "x", folder=tmp_path, environ=fake_server.env)
    assert (done.code, done.out) == (5, "")
    assert done.err.splitlines()[-1].startswith("error: the final output of clerk does not fit")
    told = json.loads(
        agency("run", EXTRACTOR, "x", "--json", folder=tmp_path, environ=fake_server.env).out
    )
    assert (told["final_output"], told["error"]["kind"]) == (None, "refused")


def test_a_refused_run_that_is_resumed_asks_nobody_again(fake_server, tmp_path):
    fake_server.when().says("Ada.")
    done = agency("run", EXTRACTOR, "x", "--json", folder=tmp_path, environ=fake_server.env)
    run_id, asked = json.loads(done.out)["run_id"], len(fake_server.requests)
    again = agency("runs", "resume", run_id, folder=tmp_path, environ=fake_server.env)
    assert again.code == 5
    assert len(fake_server.requests) == asked == 2


def test_it_works_on_the_embedded_model(tmp_path):
    line = ("run", EXTRACTOR, "--model", "local", "--json")
    done = agency(*line, folder=tmp_path, stdin="Ada (ada@example.org) cannot log in.")
    if done.code == 6 and os.environ.get("AGENCY_REQUIRE_LOCAL") != "1":
        pytest.skip(done.err)
    assert set(json.loads(done.out)["final_output"]) == set(CONTACT)


def filed(folder: Path, server, file: str, *options: str):
    path = folder / "agency.yaml"
    path.write_text(FILED.format(file=file))
    return agency("run", path, "go", *options, folder=folder, environ=server.env)


def test_the_final_output_is_written_to_its_file_too(fake_server, tmp_path):
    fake_server.when().says("It is done.")
    done = filed(tmp_path, fake_server, "out/${param.day}.md")
    assert (done.code, done.out) == (0, "It is done.\n")
    assert (tmp_path / "out" / "monday.md").read_text() == "It is done.\n"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["monday.md"]
    fake_server.when()
    done = filed(tmp_path, fake_server, "out/${param.day}.md", "--param", "day=friday")
    assert (tmp_path / "out" / "friday.md").exists()


def test_a_file_that_cannot_be_written_is_told_before_anything_is_sent(fake_server, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for file, reason in (("folder", "it is a folder"), ("file/x.md", "File exists")):
        done = filed(tmp_path, fake_server, file)
        assert done.code == 2
        assert f"agency.yaml:6: output_file: {file}: {reason}" in done.err
    assert fake_server.requests == []


def test_a_run_that_fails_leaves_the_file_as_it_was(fake_server, tmp_path):
    (tmp_path / "answer.md").write_text("before")
    done = filed(tmp_path, fake_server, "answer.md", "--max-seconds", "0.01")
    assert done.code in {3, 6}
    assert (tmp_path / "answer.md").read_text() == "before"


def test_an_output_that_cannot_be_kept_is_shown_all_the_same(fake_server, tmp_path):
    folder = tmp_path / "out"

    def remove(_request):
        shutil.rmtree(folder)
        return Reply(text="It is done.")

    fake_server.when().replies(remove)
    done = filed(tmp_path, fake_server, "out/answer.md")
    assert (done.code, done.out.strip()) == (1, "It is done.")
    assert "could not be written to output_file" in done.err
