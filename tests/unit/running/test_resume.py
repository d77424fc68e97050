"""Resuming: a run goes on where it stopped, and nothing that is recorded happens again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from agency_cli.calltree import CallTree
from agency_cli.cli.answering import Answers
from agency_cli.cli.resuming import ResumeOptions, resume
from agency_cli.errors import AgencyError, LimitReached, ProviderFailed, UsageError
from agency_cli.event_json import event_from_json
from agency_cli.rendering.run_json import run_json
from agency_cli.store import Threads, tables
from agency_runs import message
from fake_server import FakeServer, Fault
from journalled import Journalled, send_to, store_of, write

TEAM = """
entry: boss
agents:
  boss: {instructions: You are the boss.}
  worker: {instructions: You are the worker., tools: [buy]}
tools: {buy: {python: "tools.py:buy"}}
flows: [boss > worker]
"""
TOOLS = """
from pathlib import Path

BOUGHT = Path(__file__).with_name("bought.txt")


def buy(what: str) -> str:
    with BOUGHT.open("a") as bought:
        bought.write(what)
    return f"bought {what}"
"""


@pytest.fixture
def team(tmp_path, fake_server, each_store):
    (tmp_path / "tools.py").write_text(TOOLS)
    return write(tmp_path, fake_server, TEAM)


def rules(server: FakeServer, *, last: Any = None, ask: int = 1) -> None:
    """The boss asks the worker, who buys milk; `last` is what the boss gets in the end."""
    when = server.when
    for turn in range(ask):
        when(instructions="the boss", turn=turn).calls(
            "send_message", **message("worker", f"Buy {turn}")
        )
    if last is not None:
        when(instructions="the boss", turn=ask).fails(last)
    when(instructions="the boss").says("All is bought.")
    when(instructions="the worker", tool_results=0).calls("buy", what="m")
    when(instructions="the worker").says("I bought it.")


def go_on(stopped: Journalled, capsys, **given: Any) -> dict[str, Any]:
    """Resume a run; return what is printed."""
    options: dict[str, Any] = {
        "manifest": None,
        "models": (),
        "limits": {},
        "answers": Answers(),
        "yes": False,
        "force": False,
        "json": True,
        "jsonl": False,
        "quiet": True,
        "verbose": False,
        **given,
    }
    url = stopped.runs.database.url.render_as_string(hide_password=False)
    capsys.readouterr()
    resume(ResumeOptions(run_id=stopped.run.id, store=url, **options))
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def bought(team: Path) -> str:
    return (team.parent / "bought.txt").read_text()


def test_a_run_whose_provider_failed_goes_on_with_the_call_that_failed(team, fake_server, capsys):
    rules(fake_server, last=Fault.status(401, times=1))
    failed = send_to(team)
    assert isinstance(failed.error, ProviderFailed)
    served = len(fake_server.requests)
    done = go_on(failed, capsys)
    assert (done["status"], done["final_output"]) == ("ok", "All is bought.")
    assert len(fake_server.requests) == served + 1, "the one call that was missing"
    assert bought(team) == "m"
    assert done["usage"]["requests"] == len(fake_server.requests)
    assert done["usage"]["total_tokens"] == fake_server.counted.total.total
    assert done["run_id"] == failed.run.id
    assert failed.run.status == "ok"
    assert float(failed.run.totals.cost_usd) == pytest.approx(done["cost_usd"])


def test_the_journal_of_a_resumed_run_tells_what_its_watchers_saw(team, fake_server, capsys):
    rules(fake_server, last=Fault.status(401, times=1))
    failed = send_to(team)
    done = go_on(failed, capsys)
    assert run_json(CallTree.of(failed.events)) == done
    statuses = [node["status"] for node in done["tree"]["children"]]
    assert statuses == ["ok", "ok", "error", "ok"], "the call that failed keeps its node"


def test_the_lines_of_a_resumed_run_tell_its_whole_tree(team, fake_server, capsys):
    rules(fake_server, last=Fault.status(401, times=1))
    failed = send_to(team)
    url = failed.runs.database.url.render_as_string(hide_password=False)
    capsys.readouterr()
    resume(
        ResumeOptions(
            run_id=failed.run.id, manifest=None, models=(), limits={}, store=url, force=False,
            answers=Answers(), yes=False,
            json=False, jsonl=True, quiet=True, verbose=False,
        )
    )  # fmt: skip
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert run_json(CallTree.of(event_from_json(line) for line in lines)) == last
    assert last["status"] == "ok"


def test_conversations_hold_everything_once_after_a_run_was_resumed(team, fake_server, capsys):
    rules(fake_server, last=Fault.status(401, times=1), ask=2)
    stopped = send_to(team)
    before = Threads(stopped.runs.database).history(stopped.run.thread_id)
    go_on(stopped, capsys)
    after = Threads(stopped.runs.database).history(stopped.run.thread_id)

    def told(history, name):
        return [(item.author, item.item) for item in history if item.conversation == name]

    assert told(after, "boss>worker") == told(before, "boss>worker")
    assert told(after, "")[: len(told(before, ""))] == told(before, "")
    assert len(told(after, "")) == len(told(before, "")) + 1


def test_a_limit_that_is_raised_lets_the_run_go_on(team, fake_server, capsys):
    rules(fake_server, ask=2)
    limited = send_to(team, limits={"max_turns": 3})
    assert isinstance(limited.error, LimitReached)
    with pytest.raises(LimitReached):
        go_on(limited, capsys)
    served = len(fake_server.requests)
    done = go_on(limited, capsys, limits={"max_turns": 9})
    assert done["final_output"] == "All is bought."
    assert served == 3
    assert done["usage"]["requests"] == len(fake_server.requests) == 7
    assert limited.run.options["limits"] == {"max_turns": 9}


def test_what_was_spent_before_counts_against_the_limits(team, fake_server, capsys):
    rules(fake_server, ask=2)
    limited = send_to(team, limits={"max_turns": 3})
    with pytest.raises(LimitReached, match="4 model calls"):
        go_on(limited, capsys, limits={"max_turns": 4})
    with pytest.raises(LimitReached, match="max_seconds"):
        go_on(limited, capsys, limits={"max_turns": 9, "max_seconds": 0.001})


def test_who_could_not_be_asked_is_asked_again_where_the_sender_has_not_gone_on_without(
    team, fake_server, capsys
):
    """A provider that is down fails the recipient, then the sender that is to be told so."""
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x"))
    when(instructions="the boss", tool_output="Not answered").fails(Fault.status(401))
    when(instructions="the boss").says("All is bought.")
    when(instructions="the worker", tool_results=1).fails(Fault.status(403, times=1))
    when(instructions="the worker", tool_results=0).calls("buy", what="m")
    when(instructions="the worker").says("I bought it.")
    failed = send_to(team)
    assert isinstance(failed.error, ProviderFailed)
    served = len(fake_server.requests)
    done = go_on(failed, capsys)
    assert (done["status"], done["final_output"]) == ("ok", "All is bought.")
    assert len(fake_server.requests) == served + 2, "the worker's call that failed, and the boss"
    assert bought(team) == "m"
    assert done["usage"]["total_tokens"] == fake_server.counted.total.total
    assert "Not answered" not in str(fake_server.requests[-1].messages)


def test_a_failure_after_which_the_sender_went_on_is_not_tried_again(team, fake_server, capsys):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x"))
    when(instructions="the boss", turn=1).calls("send_message", **message("worker", "y"))
    when(instructions="the boss", turn=2).fails(Fault.status(401, times=1))
    when(instructions="the boss").says("One of the two.")
    when(instructions="the worker").fails(Fault.status(403, times=1))
    when(instructions="the worker").says("Done.")
    failed = send_to(team)
    served = len(fake_server.requests)
    assert go_on(failed, capsys)["final_output"] == "One of the two."
    assert len(fake_server.requests) == served + 1
    outputs = fake_server.requests[-1].tool_outputs
    assert ["Not answered" in output for output in outputs] == [True, False]


def test_a_call_of_a_tool_that_is_not_there_is_told_once(team, fake_server, capsys):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("no_such_tool", x=1)
    when(instructions="the boss", turn=1).fails(Fault.status(401, times=1))
    when(instructions="the boss").says("Then without it.")
    failed = send_to(team)
    done = go_on(failed, capsys)
    assert done["final_output"] == "Then without it."
    tools = [node for node in done["tree"]["children"] if node["kind"] == "tool"]
    assert [(node["name"], node["status"]) for node in tools] == [("no_such_tool", "error")]
    before, after = fake_server.requests[-2:]
    assert after.messages == before.messages


def test_max_calls_of_a_flow_counts_the_calls_before(tmp_path, fake_server, capsys):
    (tmp_path / "tools.py").write_text(TOOLS)
    text = TEAM.replace("[boss > worker]", "[{from: boss, to: worker, max_calls: 1}]")
    path = write(tmp_path, fake_server, text)
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "milk"))
    when(instructions="the boss", turn=1).fails(Fault.status(401, times=1))
    when(instructions="the boss", turn=1).calls("send_message", **message("worker", "more"))
    when(instructions="the boss", tool_output="1 messages were sent").says("Enough.")
    when(instructions="the worker").says("Here is milk.")
    failed = send_to(path)
    assert go_on(failed, capsys)["final_output"] == "Enough."


def test_a_picture_that_a_tool_gave_back_is_given_back_as_a_picture(tmp_path, fake_server, capsys):
    (tmp_path / "tools.py").write_text(
        "from agents import ToolOutputImage\n\n\n"
        "def buy() -> ToolOutputImage:\n"
        '    return ToolOutputImage(image_url="data:image/png;base64,iVBORw0KGgo=")\n'
    )
    text = TEAM.replace("[boss > worker]", "[]").replace("entry: boss", "entry: worker")
    path = write(tmp_path, fake_server, text, api="responses")
    when = fake_server.when
    when(instructions="the worker", turn=0).calls("buy")
    when(instructions="the worker", turn=1).fails(Fault.status(401, times=1))
    when(instructions="the worker").says("I see it.")
    failed = send_to(path)
    assert go_on(failed, capsys)["final_output"] == "I see it."
    before, after = fake_server.requests[-2:]
    assert after.messages == before.messages


@pytest.mark.parametrize("kept", ['{"media": {"type": "image", "image_url": 5}}', '{"other": 1}'])
def test_where_a_journal_has_no_sound_picture_its_text_is_given_back(
    tmp_path, fake_server, capsys, kept
):
    text = TEAM.replace("[boss > worker]", "[]").replace("entry: boss", "entry: worker")
    (tmp_path / "tools.py").write_text(TOOLS)
    path = write(tmp_path, fake_server, text)
    when = fake_server.when
    when(instructions="the worker", turn=0).calls("buy", what="milk")
    when(instructions="the worker", turn=1).fails(Fault.status(401, times=1))
    when(instructions="the worker").says("I read it.")
    failed = send_to(path)
    with failed.runs.database.transaction() as connection:
        told = (tables.journal.c.kind == "node_ended") & tables.journal.c.kept.is_(None)
        connection.execute(update(tables.journal).where(told).values(kept=kept))
    assert go_on(failed, capsys)["final_output"] == "I read it."
    before, after = fake_server.requests[-2:]
    assert after.messages == before.messages


def test_a_changed_manifest_is_refused_unless_forced(team, fake_server, capsys):
    rules(fake_server, last=Fault.status(401, times=1))
    failed = send_to(team)
    team.write_text(team.read_text() + "# changed\n")
    with pytest.raises(UsageError, match=r"changed since run \w+ began \(not in what it means\)"):
        go_on(failed, capsys)
    team.write_text(team.read_text().replace("You are the boss.", "You are the boss here."))
    with pytest.raises(UsageError, match=r"agents.boss.instructions: from line 1 on, which is You"):
        go_on(failed, capsys)
    assert go_on(failed, capsys, force=True)["status"] == "ok"


def test_only_a_run_that_is_not_done_can_be_resumed(team, fake_server, capsys):
    rules(fake_server)
    done = send_to(team)
    with pytest.raises(UsageError, match="is done"):
        go_on(done, capsys)


def test_a_run_whose_thread_went_on_or_is_gone_cannot_be_resumed(team, fake_server, capsys):
    rules(fake_server, last=Fault.status(401, times=1))
    failed = send_to(team, thread="t")
    later = send_to(team, thread="t")
    with pytest.raises(UsageError, match=f"went on with run {later.run.id}"):
        go_on(failed, capsys)
    failed.runs.delete(later.run.id)
    Threads(failed.runs.database).delete("t")
    with pytest.raises(UsageError, match="was deleted"):
        go_on(failed, capsys)


def test_another_model_may_do_the_rest(team, fake_server, capsys):
    rules(fake_server, last=Fault.status(401, times=1))
    done = go_on(send_to(team), capsys, models=["boss=big"])
    assert [part["model"] for part in done["models"]] == ["fake/gpt-5-mini", "fake/gpt-5"]
    assert [request.model for request in fake_server.requests[-2:]] == ["gpt-5-mini", "gpt-5"]


@pytest.mark.parametrize("api", ["chat_completions", "responses"])
def test_the_model_is_asked_the_same_to_the_letter(tmp_path, fake_server, capsys, api):
    (tmp_path / "tools.py").write_text(TOOLS)
    team = write(tmp_path, fake_server, TEAM, api=api)
    rules(fake_server, last=Fault.status(401, times=1))
    failed = send_to(team)
    assert isinstance(failed.error, AgencyError)
    go_on(failed, capsys)
    before, after = fake_server.requests[-2:]
    assert (after.instructions, after.messages, after.tools) == (
        before.instructions,
        before.messages,
        before.tools,
    )
    assert store_of(team).find(failed.run.id).status == "ok"
