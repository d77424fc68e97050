"""The store on a server, as it is typed: every command, what goes wrong, and no password shown."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from command_line import LONGEST, Finished, agency, command, environment
from fake_server import Fault, Reply
from postgres_server import PASSWORD, USER, PostgresServer

ONE = """\
version: 1
name: one
defaults: {model: gpt-5-mini}
agents:
  boss: {instructions: You are the boss.}
"""


@pytest.fixture
def one(tmp_path: Path) -> Path:
    path = tmp_path / "agency.yaml"
    path.write_text(ONE)
    return path


def place_of(url: str) -> str:
    """Return the URL without its password."""
    return url.replace(f":{PASSWORD}@", "@")


def failed_in_one_line(done: Finished, *parts: str) -> None:
    assert (done.code, done.out) == (1, "")
    (line,) = done.err.splitlines()
    assert line.startswith("error: ")
    for part in parts:
        assert part in line
    assert PASSWORD not in line
    assert "INTO" not in line
    assert "FROM" not in line


def test_every_command_works_on_a_server_and_the_password_may_stand_elsewhere(
    one, fake_server, postgres_server, tmp_path
):
    fake_server.when(instructions="the boss").says("Done.")
    url = postgres_server.database()
    pgpass = tmp_path / "pgpass"
    pgpass.write_text(f"127.0.0.1:{postgres_server.port}:*:{USER}:{PASSWORD}\n")
    pgpass.chmod(0o600)
    service = tmp_path / "services"
    service.write_text(
        f"[agencies]\nhost=127.0.0.1\nport={postgres_server.port}\nuser={USER}\n"
        f"password={PASSWORD}\ndbname={url.rpartition('/')[2]}\n"
    )
    ways: list[tuple[list[str], dict[str, str]]] = [
        (["--store", url], {}),
        (["--store", place_of(url)], {"PGPASSWORD": PASSWORD}),
        (["--store", place_of(url)], {"PGPASSFILE": str(pgpass)}),
        (["--store", "postgresql://?service=agencies"], {"PGSERVICEFILE": str(service)}),
        ([], {"AGENCY_STORE": url}),
    ]
    ids = []
    for number, (options, variables) in enumerate(ways):

        def typed(*words: str | Path, options=options, variables=variables) -> Any:
            environ = fake_server.env | variables
            done = agency(*words, *options, "--json", folder=tmp_path, environ=environ)
            assert (done.code, done.err) == (0, ""), done.err
            return json.loads(done.out)

        ids.append(typed("run", one, f"message {number}", "--thread", "t", "--quiet")["run_id"])
        assert [run["run_id"] for run in typed("runs", "list")] == ids[::-1]
        assert typed("runs", "show", ids[0])["final_output"] == "Done."
        assert typed("runs", "costs")["requests"] == number + 1
        assert typed("threads", "list")[0]["items"] == 2 * number + 2
        assert len(typed("threads", "show", "t")["history"]) == 2 * number + 2
    for words in (("runs", "delete", ids[0]), ("threads", "delete", "t")):
        assert agency(*words, "--store", url, folder=tmp_path).code == 0
    (left, *_) = json.loads(agency("runs", "list", "--store", url, "--json", folder=tmp_path).out)
    assert left["run_id"] == ids[-1]
    assert agency("threads", "list", "--store", url, folder=tmp_path).out == "no threads\n"
    assert not (tmp_path / "store").exists(), "nothing is left on this machine"


def test_a_run_that_stopped_says_how_to_go_on_without_the_password(
    one, fake_server, postgres_server, tmp_path
):
    when = fake_server.when
    when(instructions="the boss", turn=0).fails(Fault.status(401, times=1))
    when(instructions="the boss").says("Done.")
    url = postgres_server.database()
    stopped = agency("run", one, "Go", "--store", url, folder=tmp_path, environ=fake_server.env)
    assert stopped.code == 6
    assert PASSWORD not in stopped.out + stopped.err
    hint = next(line for line in stopped.err.splitlines() if line.startswith("to go on"))
    words = shlex.split(hint.partition(": ")[2])
    assert words[-1] == place_of(url)
    assert "leaves the store's password out; set PGPASSWORD" in stopped.err
    without = agency(*words[1:], folder=tmp_path, environ=fake_server.env)
    failed_in_one_line(without, "no password", "PGPASSWORD")
    environ = fake_server.env | {"PGPASSWORD": PASSWORD}
    done = agency(*words[1:], folder=tmp_path, environ=environ)
    assert (done.code, done.out) == (0, "Done.\n")


def test_a_chat_keeps_its_thread_on_a_server_and_does_not_show_the_password(
    one, fake_server, postgres_server, tmp_path
):
    fake_server.when(instructions="the boss").says("Hello.")
    url = postgres_server.database()
    line = ("chat", one, "--store", url, "--thread", "talk")
    done = agency(*line, folder=tmp_path, environ=fake_server.env, stdin="hi\n/retry\nbye\n")
    assert (done.code, done.out.count("Hello.")) == (0, 3)
    assert PASSWORD not in done.out + done.err
    shown = agency("threads", "show", "talk", "--store", url, "--json", folder=tmp_path)
    assert len(json.loads(shown.out)["history"]) == 4


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"password": "Wrong-Sesame"}, ("authentication failed", "PGPASSWORD")),
        ({"password": None}, ("no password", "PGPASSWORD")),
        ({"user": "nobody_at_all"}, ("authentication failed", "nobody_at_all")),
        ({"database": "not_there"}, ('"not_there" does not exist', "createdb")),
    ],
)
def test_who_may_not_in_is_told_why_and_what_to_do(tmp_path, postgres_server, change, parts):
    url = postgres_server.url(**{"database": "postgres", **change})
    done = agency("runs", "list", "--store", url, folder=tmp_path)
    failed_in_one_line(done, *parts)
    assert "Wrong-Sesame" not in done.err


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("postgresql+psycopg://u:Sesame-4711@127.0.0.1:1/db", ("refused", "the server is up")),
        ("postgresql://u:Sesame-4711@nowhere.invalid/db", ("nowhere.invalid", "name")),
        ("postgresql+asyncpg://u:Sesame-4711@h/db", ("is no store", "postgresql+psycopg://")),
        ("mysql://u:Sesame-4711@h/db", ("is no store", "sqlite:///FILE")),
        ("postgresql://u:Sesame-4711@x@h/db", ("%40",)),
        ("postgresql://u:Sesame-4711@h:port/db", ("is no store",)),
        ("postgresql://h/db?password=Sesame-4711&port=x", ("h/db",)),
        ("://u:Sesame-4711@h/db", ("is no store",)),
        ("sqlite://", ("is not a file",)),
        ("sqlite://host:port/db", ("is no store",)),
    ],
)
def test_a_store_that_is_none_or_out_of_reach_is_told_without_the_password(
    one, fake_server, tmp_path, url, parts
):
    for words in (("run", one, "Go"), ("runs", "list")):
        done = agency(*words, "--store", url, folder=tmp_path, environ=fake_server.env)
        failed_in_one_line(done, *parts)


def test_an_empty_database_is_no_store_until_the_first_run(
    one, fake_server, postgres_server, tmp_path
):
    url = postgres_server.database()
    for verb in ("runs", "threads"):
        failed_in_one_line(agency(verb, "list", "--store", url, folder=tmp_path), "no store")
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert postgres_server.psql(tables, url.rpartition("/")[2]) == "0"


def test_a_user_without_rights_is_told_so_and_one_who_may_only_read_can_look(
    one, fake_server, postgres_server, tmp_path
):
    fake_server.when(instructions="the boss").says("Done.")
    url = postgres_server.database()
    name = url.rpartition("/")[2]
    for statement in (
        "DROP ROLE IF EXISTS reader",
        f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    ):
        postgres_server.psql(statement, name)
    reader = postgres_server.url(name, "reader")
    line = ("run", one, "Go", "--store")
    refused = agency(*line, reader, folder=tmp_path, environ=fake_server.env)
    failed_in_one_line(refused, "permission denied for schema public", "granted")
    assert agency(*line, url, folder=tmp_path, environ=fake_server.env).code == 0
    postgres_server.psql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", name)
    listed = agency("runs", "list", "--json", "--store", reader, folder=tmp_path)
    assert [run["status"] for run in json.loads(listed.out)] == ["ok"]
    refused = agency(*line, reader, folder=tmp_path, environ=fake_server.env)
    failed_in_one_line(refused, "permission denied for table threads", "granted")
    postgres_server.psql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    refused = agency(*line, url, folder=tmp_path, environ=fake_server.env)
    failed_in_one_line(refused, "read-only transaction", "takes no writes")


def test_the_schema_of_a_store_may_be_chosen_and_two_schemas_are_two_stores(
    one, fake_server, postgres_server, tmp_path
):
    fake_server.when(instructions="the boss").says("Done.")
    url = postgres_server.database()
    for schema in ("red", "blue"):
        postgres_server.psql(f"CREATE SCHEMA {schema}", url.rpartition("/")[2])
        store = f"{url}?options=-csearch_path%3D{schema}"
        line = ("run", one, "Go", "--store", store)
        assert agency(*line, folder=tmp_path, environ=fake_server.env).code == 0
        listed = agency("runs", "list", "--json", "--store", store, folder=tmp_path)
        assert len(json.loads(listed.out)) == 1


def test_without_the_extra_the_command_that_installs_it_is_told(one, fake_server, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "psycopg.py").write_text("raise ModuleNotFoundError(\"No module named 'psycopg'\")\n")
    environ = fake_server.env | {"PYTHONPATH": str(hidden)}
    line = ("run", one, "Go", "--store", f"postgresql://u:{PASSWORD}@127.0.0.1/db")
    done = agency(*line, folder=tmp_path, environ=environ)
    failed_in_one_line(done, "No module named 'psycopg'", "pip install 'agency-cli[postgres]'")


def test_a_server_that_is_started_anew_stops_the_run_in_order_and_it_can_be_resumed(
    one, fake_server, postgres_server, tmp_path
):
    late, answer = Reply(text="Late.", delay=3), Reply(text="In time.")
    fake_server.when(instructions="the boss").replies(late, answer)
    url = postgres_server.database()
    process = begin(one, url, fake_server.env, tmp_path)
    wait_for_requests(fake_server, 1, process)
    restart(postgres_server)
    _, err = process.communicate(timeout=LONGEST)
    assert process.returncode == 1
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "try again when the server is up" in errors[0]
    assert PASSWORD not in err
    assert "Traceback" not in err
    (run,) = json.loads(agency("runs", "list", "--json", "--store", url, folder=tmp_path).out)
    assert run["status"] == "killed"
    line = ("runs", "resume", run["run_id"], "--store", url)
    done = agency(*line, folder=tmp_path, environ=fake_server.env)
    assert (done.code, done.out) == (0, "In time.\n")


def test_runs_on_one_thread_wait_for_each_other_and_show_as_running_until_killed(
    one, fake_server, postgres_server, tmp_path
):
    fake_server.when(instructions="the boss", user="first").replies(Reply(text="Late.", delay=60))
    fake_server.when(instructions="the boss").says("Second.")
    url = postgres_server.database()
    first = begin(one, url, fake_server.env, tmp_path, "first")
    wait_for_requests(fake_server, 1, first)
    (running,) = json.loads(agency("runs", "list", "--json", "--store", url, folder=tmp_path).out)
    assert running["status"] == "running"
    refused = agency("runs", "delete", running["run_id"], "--store", url, folder=tmp_path)
    assert (refused.code, "is running" in refused.err) == (2, True)
    second = begin(one, url, fake_server.env, tmp_path, "second")
    while "waiting for another run on thread t" not in second.stderr.readline():
        assert second.poll() is None
    first.kill()
    first.communicate()
    out, _ = second.communicate(timeout=LONGEST)
    assert (second.returncode, out) == (0, "Second.\n")
    runs = json.loads(agency("runs", "list", "--json", "--store", url, folder=tmp_path).out)
    assert [run["status"] for run in runs] == ["ok", "killed"]


def begin(
    manifest: Path, url: str, variables: dict[str, str], folder: Path, text: str = "Go"
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command("run", manifest, text, "--thread", "t", "--store", url),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(folder, variables),
        cwd=folder,
        text=True,
    )


def wait_for_requests(server: Any, number: int, process: subprocess.Popen[str]) -> None:
    while len(server.requests) < number:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def restart(server: PostgresServer) -> None:
    server.stop()
    server.start()
