"""What a run belongs to is deleted while it is at work: refused, or noticed and told."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess

import pytest

from agency_cli.store import Runs, Threads, open_database
from command_line import LONGEST, agency, command, environment
from fake_server import Reply

ONE = """\
version: 1
name: one
defaults: {model: gpt-5-mini}
agents:
  boss: {instructions: You are the boss.}
"""
JARGON = ("FOREIGN KEY", "UNIQUE", "no such table", "constraint", "[SQL", "sqlalche")


@pytest.fixture
def one(tmp_path, fake_server):
    (tmp_path / "agency.yaml").write_text(ONE)
    return fake_server


def meanwhile(server, act):
    """Have `act` done while the boss is at work on its first message; return what it returned."""
    done = []

    def answer(_request):
        done.append(act())
        return Reply(text="answered")

    server.when(instructions="the boss").replies(answer, Reply(text="answered"))
    return done


def go(folder, server, *options, message="go"):
    line = ("run", "agency.yaml", message, "--thread", "mine", *options)
    return agency(*line, folder=folder, environ=server.env)


def threads_of(folder):
    return Threads(open_database(f"sqlite:///{folder / 'store' / 'agency.db'}"))


def the_error(done):
    """Return what was said; it must be one line that says nothing of a database's insides."""
    (line,) = [line for line in done.err.splitlines() if line.startswith("error:")]
    assert not [word for word in JARGON if word in done.err]
    assert "nothing that was written is lost" not in done.err
    assert "to go on where it stopped" not in done.err
    return line


def locks(folder):
    return list((folder / "store").glob("*.lock"))


@pytest.mark.parametrize("kind", ["threads", "runs"])
def test_what_a_run_is_at_work_on_cannot_be_deleted(one, tmp_path, kind):
    def delete():
        run = Runs(threads_of(tmp_path).database).all()[0].id
        wanted = {"threads": "mine", "runs": run}[kind]
        return agency(kind, "delete", wanted, folder=tmp_path)

    refused = meanwhile(one, delete)
    assert (go(tmp_path, one).out, refused[0].code) == ("answered\n", 2)
    assert "stop it or wait for its end" in the_error(refused[0])
    shown = json.loads(agency("threads", "show", "mine", "--json", folder=tmp_path).out)
    assert len(shown["history"]) == 2
    assert delete().code == 0, "it can when the run has ended"
    assert locks(tmp_path) == []


@pytest.mark.parametrize("kind", ["threads", "runs"])
def test_what_another_process_resumes_cannot_be_deleted(one, tmp_path, kind):
    started, refused = [], []

    def kill(_request):
        started[0].kill()
        return Reply(text="nobody hears it")

    def delete(_request):
        refused.append(agency(kind, "delete", wanted, folder=tmp_path))
        return Reply(text="answered")

    one.when(instructions="the boss").replies(kill, delete)
    line = command("run", "agency.yaml", "go", "--thread", "mine")
    environ = environment(tmp_path, one.env)
    started.append(subprocess.Popen(line, cwd=tmp_path, env=environ, stdin=subprocess.DEVNULL))
    assert started[0].wait(LONGEST) == -signal.SIGKILL
    (run,) = Runs(threads_of(tmp_path).database).all()
    assert run.status == "killed"
    wanted = {"threads": "mine", "runs": run.id}[kind]
    resumed = agency("runs", "resume", run.id, folder=tmp_path, environ=one.env)
    assert (resumed.code, resumed.out) == (0, "answered\n")
    assert refused[0].code == 2
    assert "stop it or wait for its end" in the_error(refused[0])
    assert locks(tmp_path) == []


def test_a_thread_that_is_gone_under_a_run_is_told_in_one_line(one, tmp_path):
    meanwhile(one, lambda: threads_of(tmp_path).delete("mine"))
    done = go(tmp_path, one)
    assert done.code == 1
    assert the_error(done) == (
        "error: thread mine was deleted while it was in use, and what it remembered is lost; begin"
        " another thread (in a chat: /new)"
    )


def test_a_run_that_is_gone_under_its_process_is_told_in_one_line(one, tmp_path):
    def delete():
        runs = Runs(threads_of(tmp_path).database)
        runs.delete(runs.all()[0].id)

    meanwhile(one, delete)
    done = go(tmp_path, one)
    assert done.code == 1
    assert "another process deleted it; what it did is not stored" in the_error(done)


def remove_the_folder(store):
    shutil.rmtree(store)


def remove_the_file(store):
    (store / "agency.db").unlink()


def replace_the_file(store):
    shutil.rmtree(store)
    open_database(f"sqlite:///{store / 'agency.db'}")


@pytest.mark.parametrize("vanish", [remove_the_folder, remove_the_file, replace_the_file])
def test_a_store_that_is_gone_under_a_run_is_told_beside_the_answer(one, tmp_path, vanish):
    meanwhile(one, lambda: vanish(tmp_path / "store"))
    done = go(tmp_path, one)
    assert (done.code, done.out) == (1, "answered\n")
    assert "what it held is lost, and this run is not stored" in the_error(done)
    assert go(tmp_path, one, message="hello").code == 0, "the next run begins a new store"


def test_json_tells_of_a_store_that_is_gone_beside_the_answer(one, tmp_path):
    meanwhile(one, lambda: remove_the_folder(tmp_path / "store"))
    done = go(tmp_path, one, "--json")
    shown = json.loads(done.out)
    assert done.code == 1
    assert (shown["status"], shown["final_output"]) == ("error", "answered")
    assert shown["error"]["kind"] == "store"
    assert "was removed, or replaced" in shown["error"]["message"]


def test_a_store_that_another_program_changed_is_told_without_its_tables(one, tmp_path):
    def change():
        with sqlite3.connect(tmp_path / "store" / "agency.db") as connection:
            connection.execute("DROP TABLE thread_items")
        connection.close()

    meanwhile(one, change)
    done = go(tmp_path, one)
    assert done.code == 1
    (line,) = [line for line in done.err.splitlines() if line.startswith("error:")]
    assert "another program changed it; keep a copy of it" in line
    assert not [word for word in JARGON if word in done.err]


def test_a_message_that_waited_for_a_thread_which_is_gone_is_not_sent(one, tmp_path):
    waiting = []

    def delete_while_another_waits():
        line = command("run", "agency.yaml", "second", "--thread", "mine")
        environ = environment(tmp_path, one.env)
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        other = subprocess.Popen(line, cwd=tmp_path, env=environ, text=True, **pipes)
        waiting.append(other)
        while "waiting for another run on thread mine" not in other.stderr.readline():
            assert other.poll() is None
        threads_of(tmp_path).delete("mine")

    meanwhile(one, delete_while_another_waits)
    assert go(tmp_path, one).code == 1
    out, err = waiting[0].communicate(timeout=LONGEST)
    assert (waiting[0].returncode, out) == (1, "")
    assert "nothing was sent" in err
    assert len(one.requests) == 1
