"""Killed after any row while one model takes over from another, a run still ends as it should."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agency_cli.store import Runs, open_database
from agency_runs import message
from command_line import environment
from fake_server import FakeServer, Fault

TESTS = Path(__file__).parent.parent
MANIFEST = """\
version: 1
name: test
providers:
  one: {{base_url: "{one}", api: responses, api_key: k}}
  two: {{base_url: "{two}", api_key: k}}
models:
  cheap: {{model: gpt-5-mini, provider: one, fallback: [llama]}}
  llama: {{model: llama3.3, provider: two, price: {{input: 30, output: 70}}}}
defaults: {{model: cheap}}
entry: boss
agents:
  boss: {{instructions: You are the boss.}}
  worker: {{instructions: You are the worker.}}
flows: [boss > worker]
"""


@pytest.fixture
def agency(tmp_path):
    """Give a function that runs a command line, and kills it after some rows of a journal."""
    driver = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(TESTS / "killing.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(tmp_path),
        text=True,
    )

    def run(*arguments, rows=None):
        asked = {"arguments": [*map(str, arguments), "--json"], "rows": rows}
        driver.stdin.write(json.dumps(asked) + "\n")
        driver.stdin.flush()
        return json.loads(driver.stdout.readline())

    yield run
    driver.communicate()


def test_a_run_killed_after_any_row_is_resumed_whichever_model_had_answered(tmp_path, agency):
    rows = 0
    while True:
        rows += 1
        with FakeServer() as one, FakeServer() as two:
            # The first model answers the worker alone, the second one everything else.
            one.when(instructions="the worker").says("Worked.")
            one.when().fails(Fault.status(400))
            two.when(turn=0).calls("send_message", **message("worker", "go"))
            two.when().says("All done.")
            path = tmp_path / f"agency{rows}.yaml"
            path.write_text(MANIFEST.format(one=one.base_url, two=two.base_url))
            store = f"sqlite:///{tmp_path / f'{rows}.db'}"
            killed = agency("run", path, "go", "--store", store, rows=rows)
            assert killed["code"] == -9
            (run,) = Runs(open_database(store)).all()
            if run.status == "ok":
                break
            done = json.loads(agency("runs", "resume", run.id, "--store", store)["out"])
        assert (done["status"], done["final_output"]) == ("ok", "All done."), rows
        used = {part["model"]: part for part in done["models"]}
        for server, label in ((one, "one/gpt-5-mini"), (two, "two/llama3.3")):
            answered = [exchange for exchange in server.exchanges if exchange.completed]
            asked = [str(exchange.request.messages) for exchange in answered]
            once = {
                exchange: answer.usage for exchange, answer in zip(asked, answered, strict=True)
            }
            # What was answered and not yet written down is asked for, and counted, again.
            assert used[label]["total_tokens"] == sum(usage.total for usage in once.values()), rows
    assert rows > 12
