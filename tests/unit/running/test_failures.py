"""Every way in which a provider can fail: its exit code, its one line, its node."""

from __future__ import annotations

import pytest

from agency_cli.errors import ExitCode, ProviderFailed
from agency_runs import build, run
from fake_server import Fault, Reply

ONE = """
agents:
  boss: {instructions: You are the boss.}
"""
APIS = pytest.mark.parametrize("api", ["chat_completions", "responses"])


@APIS
@pytest.mark.parametrize(
    ("fault", "reason", "attempts"),
    [
        (Fault.status(400), "HTTP 400", 1),
        (Fault.status(401), "HTTP 401, The server says 401; check the key", 1),
        (Fault.status(403), "HTTP 403", 1),
        (Fault.status(404), "check the model's id and the address", 1),
        (Fault.status(429, retry_after=0.01), "HTTP 429", 3),
        (Fault.status(429, retry_after=3600), "HTTP 429", 1),
        (Fault.status(500), "HTTP 500", 3),
        (Fault.status(503), "HTTP 503", 3),
        (Fault.cut(after_chunks=4, how="dropped"), "the connection broke", 3),
        (Fault.cut(after_chunks=4, how="reset"), "the connection broke", 3),
        (Fault.cut(after_chunks=4, how="ended"), "stopped before it was finished", None),
        (Fault.not_json(), "the reply is text/html", 1),
        (Fault.garbage(), "the reply is not JSON", None),
        (Fault.empty(), "the reply was empty", None),
        (Fault.hang(0.01), "the connection broke", 3),
    ],
)
def test_a_failing_provider_ends_the_run_with_one_line_that_names_it_and_the_agent(
    tmp_path, fake_server, api, fault, reason, attempts
):
    fake_server.when(instructions="the boss").fails(fault)
    outcome = run(build(tmp_path, fake_server, ONE, api=api))
    assert isinstance(outcome.error, ProviderFailed)
    assert outcome.error.exit_code == ExitCode.PROVIDER
    line = str(outcome.error)
    assert line.startswith("fake (http://127.0.0.1:")
    assert line.endswith("(agent boss)")
    assert reason in line
    assert "\n" not in line
    assert outcome.tree.ended.error.agent == "boss"
    assert outcome.tree.root.status == "error"
    calls = outcome.nodes("model")
    assert attempts is None or len(calls) == attempts
    assert len(calls) == len(fake_server.requests)
    assert all(call.status == "error" and call.usage.requests == 1 for call in calls)


@APIS
@pytest.mark.parametrize(
    "fault",
    [Fault.status(429, times=1, retry_after=0.01), Fault.status(500, times=2)],
)
def test_a_failure_that_goes_away_is_tried_again_and_each_attempt_is_counted(
    tmp_path, fake_server, api, fault
):
    fake_server.when(instructions="the boss").fails(fault)
    fake_server.when(instructions="the boss").says("Here I am.")
    outcome = run(build(tmp_path, fake_server, ONE, api=api))
    assert outcome.output == "Here I am."
    assert [call.status for call in outcome.nodes("model")] == ["error"] * fault.times + ["ok"]
    assert outcome.tree.totals.usage.requests == fault.times + 1


@APIS
def test_an_error_that_is_reported_within_a_stream_fails_the_run(tmp_path, fake_server, api):
    fake_server.when(instructions="the boss").fails(Fault.error_event("no capacity left"))
    outcome = run(build(tmp_path, fake_server, ONE, api=api))
    assert "no capacity left" in str(outcome.error)
    assert outcome.error.exit_code == ExitCode.PROVIDER


@APIS
@pytest.mark.parametrize("how", ["dropped", "reset", "ended"])
def test_tokens_are_counted_wherever_a_stream_is_cut(tmp_path, fake_server, api, how):
    counted = 0
    for chunks in range(1, 12):
        cut = Fault.cut(after_chunks=chunks, how=how, times=1, reply=Reply(text="Hello."))
        fake_server.when(user=f"cut after {chunks},").fails(cut)
        fake_server.when(user=f"cut after {chunks},").says("Hello.")
        outcome = run(build(tmp_path, fake_server, ONE, api=api), f"cut after {chunks},")
        counted += outcome.tree.totals.usage.total_tokens
        assert counted == fake_server.counted.total.total, chunks
        assert outcome.output == "Hello." or how == "ended"
    assert fake_server.counted.failed.total > 0, "some were cut after the tokens were told"


@APIS
def test_an_attempt_that_takes_longer_than_its_timeout_fails_as_any_other(
    tmp_path, fake_server, api
):
    fake_server.when(instructions="the boss").replies(
        Fault.hang(30, times=1), Reply(text="late", delay=30)
    )
    text = ONE.replace("boss.}", "boss., settings: {timeout: 0.2, retry: {max_retries: 1}}}")
    outcome = run(build(tmp_path, fake_server, text, api=api))
    assert outcome.error.exit_code == ExitCode.PROVIDER
    assert "no answer in time (agent boss)" in str(outcome.error)
    assert [call.status for call in outcome.nodes("model")] == ["error", "error"]
    assert outcome.tree.totals.turns == 0


def test_a_server_that_is_not_there_is_named(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, ONE)
    fake_server.stop()
    outcome = run(agency)
    assert "could not be reached" in str(outcome.error)
    assert outcome.error.exit_code == ExitCode.PROVIDER
