"""The benchmark measures what it says it does; how long anything takes is not asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agency_cli.loading import load_manifest
from measuring import Command, Timing, Unavailable, served, take_turns
from past_runs import listing, replay

BENCH = Path(__file__).parent
PYTHON = sys.executable


@pytest.mark.parametrize("path", sorted(BENCH.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_manifest_of_the_benchmark_is_sound(path):
    assert load_manifest(path).manifest.name == path.stem


@pytest.mark.parametrize(
    ("line", "output", "reason"),
    [
        (["no-such-program"], None, "No such file"),
        ([PYTHON, "-c", "raise SystemExit('no key')"], None, "exit code 1: no key"),
        ([PYTHON, "-c", "print('Sorry.')"], "Done.", "answered 'Sorry.'"),
    ],
)
def test_a_command_that_cannot_be_measured_says_why(tmp_path, line, output, reason):
    with pytest.raises(Unavailable, match=reason):
        Command("the command", line, output).run(str(tmp_path))


def test_commands_take_turns_and_one_that_fails_leaves_the_others(tmp_path):
    log = tmp_path / "log"

    def noting(name, then=""):
        code = f"open({str(log)!r}, 'a').write({name!r}); {then}"
        return Command(name, [PYTHON, "-c", code])

    timings, missing = take_turns(
        [noting("a"), noting("b"), noting("c", "raise SystemExit(1)")], runs=2
    )
    assert log.read_text() == "abc" + "ab" + "ab"
    assert {name: len(timing.seconds) for name, timing in timings.items()} == {"a": 2, "b": 2}
    assert list(missing) == ["c"]


def test_the_median_is_not_moved_by_one_slow_run():
    timing = Timing((0.2, 9.0, 0.3))
    assert (timing.median, timing.fastest) == (0.3, 0.2)


def test_keys_of_whoever_measures_do_not_reach_the_commands(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    code = "import os; print(os.environ.get('OPENAI_API_KEY'))"
    Command("without", [PYTHON, "-c", code], "None").run(str(tmp_path))
    Command("with", [PYTHON, "-c", code], "x", {"OPENAI_API_KEY": "x"}).run(str(tmp_path))


def test_the_bare_script_asks_three_workers_at_the_same_time(tmp_path, fake_server):
    workers = fake_server.when(instructions="Do your part").after(0.5)
    workers.says("My part is done.")
    asked = fake_server.when(instructions="You are the manager", turn=0)
    for name in ("alpha", "beta", "gamma"):
        asked.calls(f"ask_{name}", input="Do your part.")
    fake_server.when(instructions="You are the manager", tool_results=3).says("All done.")
    line = [PYTHON, str(BENCH / "bare_sdk.py"), "Do the work"]
    Command("bare", line, "All done.", fake_server.env).run(str(tmp_path))
    assert fake_server.max_in_flight == 3
    assert all(request.stream for request in fake_server.requests)


def test_a_served_scenario_answers_the_bare_script(tmp_path):
    with served("one_answer", latency=0) as env:
        line = [PYTHON, str(BENCH / "bare_single.py"), "Do the work"]
        Command("bare", line, "Done.", env).run(str(tmp_path))


def test_everybody_who_is_asked_in_parallel_answers(tmp_path):
    Command("twelve", [PYTHON, str(BENCH / "parallel.py"), "12"]).run(str(tmp_path))
    Command("none", [PYTHON, str(BENCH / "parallel.py"), "0"]).run(str(tmp_path))


def test_the_results_are_one_line_of_json():
    done = subprocess.run(
        [PYTHON, str(BENCH / "run.py"), "--json", "--runs", "1", "--only", "commands"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    printed = json.loads(done.stdout)
    assert len(printed["results"]) + len(printed["not_available"]) == 3
    assert done.returncode == (1 if printed["not_available"] else 0)
    assert len(done.stderr.splitlines()) == 3
    for result in printed["results"]:
        assert result["reference"] == "the imports"
        assert result["ratio"] > 0


def test_a_replay_asks_for_nothing_that_is_recorded_and_a_list_has_every_run():
    with served("one_answer", latency=0) as env:
        assert replay(env, 30).median > 0, "it looks by itself what was asked for"
    assert len(listing(20, 3).seconds) == 3
