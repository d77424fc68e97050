"""Fallbacks as the command line runs them: the journal, resuming, keys, `--model`."""

from __future__ import annotations

import json

import pytest

from agency_cli.calltree import CallTree
from agency_cli.cli.resuming import ResumeOptions, resume
from agency_cli.errors import CredentialsError, ProviderFailed
from agency_cli.rendering.run_json import run_json
from agency_runs import message
from fake_server import FakeServer, Fault
from journalled import send_to

MANIFEST = """\
version: 1
name: test
providers:
  one: {{base_url: "{one}", api_key: "${{env.ONE_KEY}}"}}
  two: {{base_url: "{two}", api_key: "${{env.TWO_KEY}}"}}
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
def second():
    """Give the server of the second provider."""
    with FakeServer() as server:
        yield server
    assert not server.unexpected


@pytest.fixture
def team(tmp_path, fake_server, second, monkeypatch):
    monkeypatch.setenv("ONE_KEY", "one-secret-key")
    monkeypatch.setenv("TWO_KEY", "two-secret-key")
    path = tmp_path / "agency.yaml"
    path.write_text(MANIFEST.format(one=fake_server.base_url, two=second.base_url))
    return path


def go_on(stopped, capsys):
    capsys.readouterr()
    resume(
        ResumeOptions(
            run_id=stopped.run.id, manifest=None, models=(), limits={}, force=False,
            store=stopped.runs.database.url.render_as_string(), json=True, jsonl=False, quiet=True,
            verbose=False,
        )
    )  # fmt: skip
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_what_a_fallback_answered_is_given_back_to_a_run_that_is_resumed(
    team, fake_server, second, capsys
):
    fake_server.when().fails(Fault.status(401))
    second.when(instructions="the boss", turn=0).calls("send_message", **message("worker", "go"))
    second.when(instructions="the worker").says("Worked.")
    second.when(instructions="the boss").fails(Fault.status(403, times=1))
    second.when(instructions="the boss").says("All done.")
    stopped = send_to(team)
    assert isinstance(stopped.error, ProviderFailed)
    served = len(second.requests)
    done = go_on(stopped, capsys)
    assert (done["status"], done["final_output"]) == ("ok", "All done.")
    assert len(second.requests) == served + 1, "the one call that was missing"
    assert done["usage"]["requests"] == len(second.requests) + len(fake_server.requests)
    assert done["usage"]["total_tokens"] == second.counted.total.total
    assert run_json(CallTree.of(stopped.events)) == done
    used = {part["model"]: part["requests"] for part in done["models"]}
    assert used == {
        "one/gpt-5-mini": len(fake_server.requests),
        "two/llama3.3": len(second.requests),
    }
    ids = [node.id for node in CallTree.of(stopped.events).nodes.values()]
    assert len(ids) == len(set(ids))


def test_keys_of_fallbacks_do_not_get_into_the_journal(team, fake_server, second):
    fake_server.when().fails(Fault.status(401))
    second.when().says("Here: two-secret-key and one-secret-key.")
    done = send_to(team)
    assert done.output == "Here: two-secret-key and one-secret-key."
    written = "".join(map(repr, done.events))
    assert "[secret] and [secret]" in written
    assert "secret-key" not in written


def test_the_first_model_needs_its_key_and_its_fallbacks_do_not(team, second, monkeypatch):
    monkeypatch.delenv("TWO_KEY")
    monkeypatch.delenv("ONE_KEY")
    with pytest.raises(CredentialsError) as raised:
        send_to(team)
    assert "ONE_KEY is not set (needed by boss, worker)" in str(raised.value)
    assert not second.requests


def test_a_model_of_the_command_line_comes_with_its_own_fallbacks_only(team, fake_server, second):
    fake_server.when().fails(Fault.status(401))
    second.when().fails(Fault.status(401))
    own = send_to(team, models=["cheap"])
    assert str(own.error).startswith("all 2 models failed")
    alone = send_to(team, models=["llama"])
    assert str(alone.error).startswith("two (http://127.0.0.1:")


def test_a_key_in_a_header_of_a_models_settings_is_a_key_as_any_other(
    team, fake_server, monkeypatch
):
    header = 'extra_headers: {X-Auth: "Bearer ${env.EXTRA_KEY}"}'
    text = team.read_text().replace("provider: one,", f"provider: one, settings: {{{header}}},")
    team.write_text(text)
    with pytest.raises(CredentialsError, match="EXTRA_KEY is not set"):
        send_to(team)
    monkeypatch.setenv("EXTRA_KEY", "extra-secret-key")
    fake_server.when().says("I know extra-secret-key.")
    done = send_to(team)
    assert done.output == "I know extra-secret-key."
    assert "extra-secret-key" not in "".join(map(repr, done.events))
    assert fake_server.requests[0].headers["x-auth"] == "Bearer extra-secret-key"
