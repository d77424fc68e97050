"""`agency run` as it is typed: outputs, exit codes, and what a person sees when things go wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from agency_cli.calltree import CallTree
from agency_cli.event_json import event_from_json
from agency_cli.rendering.run_json import run_json
from agency_runs import message
from command_line import LONGEST, agency, command, environment
from fake_server import Fault

TEAM = """\
version: 1
name: team
params: {tone: {enum: [dry, warm], default: dry}}
defaults: {model: gpt-5-mini}
agents:
  boss: {instructions: "You are the boss. Be ${param.tone}."}
  worker: {instructions: You are the worker., description: Works.}
flows: [boss > worker]
"""


@pytest.fixture
def team(tmp_path: Path) -> Path:
    path = tmp_path / "agency.yaml"
    path.write_text(TEAM)
    return path


@pytest.fixture
def good(fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "Do it"))
    when(instructions="the boss").says("It is *done*.")
    when(instructions="the worker").says("Did it.")
    return fake_server


def test_the_answer_stands_on_stdout_and_the_rest_on_stderr(team, good, tmp_path):
    done = agency("run", team, "Go", folder=tmp_path, environ=good.env)
    assert (done.code, done.out) == (0, "It is *done*.\n")
    for part in ("boss", "worker", "gpt-5-mini", "total", "thread "):
        assert part in done.err
    assert "\x1b" not in done.err


def test_quiet_says_nothing_but_the_answer(team, good, tmp_path):
    done = agency("run", team, "Go", "--quiet", folder=tmp_path, environ=good.env)
    assert (done.code, done.out, done.err) == (0, "It is *done*.\n", "")


def test_json_is_one_object_whose_sums_agree_with_what_the_server_counted(team, good, tmp_path):
    done = agency("run", team, "Go", "--json", folder=tmp_path, environ=good.env)
    result = json.loads(done.out)
    assert list(result) == [
        "run_id", "thread_id", "status", "final_output", "final_agent", "error", "usage",
        "cost_usd", "unpriced_models", "calls_cut_off", "models", "agents", "seconds", "tree",
    ]  # fmt: skip
    assert (result["status"], result["final_output"]) == ("ok", "It is *done*.")
    counted = good.counted.total
    assert result["usage"]["requests"] == 3
    assert result["usage"]["total_tokens"] == counted.total
    for group in ("models", "agents"):
        assert sum(part["total_tokens"] for part in result[group]) == counted.total
        assert sum(part["cost_usd"] for part in result[group]) == pytest.approx(result["cost_usd"])

    def models(node):
        own = [node] if node["kind"] == "model" else []
        return own + [below for child in node["children"] for below in models(child)]

    assert sum(n["usage"]["total_tokens"] for n in models(result["tree"])) == counted.total
    assert sum(n["cost_usd"] for n in models(result["tree"])) == pytest.approx(result["cost_usd"])


def test_jsonl_is_an_event_a_line_from_which_the_same_tree_is_made(team, good, tmp_path):
    done = agency("run", team, "Go", "--jsonl", folder=tmp_path, environ=good.env)
    *lines, last = map(json.loads, done.out.splitlines())
    rebuilt = run_json(CallTree.of(event_from_json(line) for line in lines))
    assert json.loads(json.dumps(rebuilt)) == last
    assert last["final_output"] == "It is *done*."


def test_what_is_piped_in_is_the_message_or_follows_it_in_a_block(team, fake_server, tmp_path):
    fake_server.when(instructions="the boss").says("ok")
    environ = fake_server.env
    agency("run", team, folder=tmp_path, environ=environ, stdin="From a pipe")
    agency("run", team, "Review this", folder=tmp_path, environ=environ, stdin="a ```b``` c\n")
    texts = [request.last_user_text for request in fake_server.requests]
    assert texts == ["From a pipe", "Review this\n\n````\na ```b``` c\n````"]


def test_agent_model_and_param_are_obeyed(team, fake_server, tmp_path):
    fake_server.when(instructions="the worker").says("ok")
    fake_server.when(instructions="Be warm.").says("ok")
    options = ["--model", "gpt-5", "--model", "Boss=gpt-4.1"]
    for extra in (["--agent", "WORKER"], ["--param", "tone=warm"]):
        done = agency("run", team, "x", *options, *extra, folder=tmp_path, environ=fake_server.env)
        assert done.code == 0, done.err
    assert [request.model for request in fake_server.requests] == ["gpt-5", "gpt-4.1"]


def test_a_missing_key_ends_before_any_call_and_names_every_variable(tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(
        TEAM.replace(
            "defaults: {model: gpt-5-mini}",
            'providers: {groq: {base_url: "https://api.groq.com/v1", api_key: "${env.GROQ_KEY}"}}\n'
            "models: {fast: {model: llama, provider: groq}}",
        ).replace("You are the worker.", "You are the worker., model: fast")
    )
    done = agency("run", path, "Go", folder=tmp_path)
    assert done.code == 6
    for part in ("OPENAI_API_KEY", "GROQ_KEY", "boss", "worker", "--model local"):
        assert part in done.err
    assert agency("validate", path, folder=tmp_path).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.yaml", "Go"], "missing.yaml"),
        (["agency.yaml"], "there is no message"),
        (["agency.yaml", "  "], "there is no message"),
        (["agency.yaml", "Go", "--agent", "bos"], "no agent named 'bos'"),
        (["agency.yaml", "Go", "--model", "bos=x"], "no agent named 'bos'"),
        (["agency.yaml", "Go", "--model", "boss="], "names no model"),
        (["agency.yaml", "Go", "--param", "tone"], "has no value"),
        (["agency.yaml", "Go", "--param", "tone=sour"], "dry"),
        (["agency.yaml", "Go", "--param", "ton=dry"], "'tone'"),
        (["agency.yaml", "Go", "--max-turns", "0"], "max-turns"),
        (["agency.yaml", "Go", "--no-such-option"], "--no-such-option"),
    ],
)
def test_wrong_usage_is_one_clear_error_and_code_2(team, tmp_path, arguments, said):
    done = agency("run", *arguments, folder=tmp_path, environ={"OPENAI_API_KEY": "sk-x"})
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_input_that_is_not_text_is_refused(team, tmp_path):
    done = agency("run", team, folder=tmp_path, stdin=b"\xff\xfe\x00bad")
    assert done.code == 2
    assert "not UTF-8" in done.err


@pytest.mark.parametrize("output", [[], ["--json"], ["--jsonl"], ["--quiet"]])
def test_a_provider_that_refuses_ends_with_6_and_shows_what_was_done(
    team, fake_server, tmp_path, output
):
    fake_server.when(instructions="the boss").fails(Fault.status(401))
    done = agency("run", team, "Go", *output, folder=tmp_path, environ=fake_server.env)
    assert done.code == 6
    assert re.search(r"error: openai \(http://127.*HTTP 401.*\(agent boss\)", done.err)
    assert "Traceback" not in done.err
    if output in (["--json"], ["--jsonl"]):
        result = json.loads(done.out.splitlines()[-1] if output == ["--jsonl"] else done.out)
        assert result["status"] == "error"
        assert result["error"]["kind"] == "provider"
        assert result["tree"]["children"][0]["status"] == "error"
    else:
        assert done.out == ""


def test_a_limit_ends_with_3_and_says_where_it_was_set(team, good, tmp_path):
    path = tmp_path / "limited.yaml"
    path.write_text(TEAM + "limits:\n  max_turns: 2\n")
    done = agency("run", path, "Go", folder=tmp_path, environ=good.env)
    assert done.code == 3
    assert "limited.yaml:10" in done.err
    option = agency("run", path, "Go", "--max-turns", "1", folder=tmp_path, environ=good.env)
    assert option.code == 3
    assert "set by --max-turns" in option.err
    assert (
        agency("run", path, "Go", "--max-turns", "9", folder=tmp_path, environ=good.env).code == 0
    )


def interrupt_twice(process: subprocess.Popen[str]) -> None:
    """Press Ctrl-C, and once more when that was taken in."""
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert process.poll() is None, "what is under way comes to its end"
    process.send_signal(signal.SIGINT)


@pytest.mark.parametrize("output", [[], ["--json"]])
def test_a_second_ctrl_c_shows_the_tree_as_it_stands_and_ends_with_130(
    team, fake_server, tmp_path, output
):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "Do it"))
    when(instructions="the worker").says("late").after(60)
    process = subprocess.Popen(
        command("run", team, "Go", *output),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path, fake_server.env),
        cwd=tmp_path,
        text=True,
    )
    deadline = time.monotonic() + LONGEST
    while len(fake_server.requests) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    interrupt_twice(process)
    out, err = process.communicate(timeout=LONGEST)
    assert process.returncode == 130
    assert "error: interrupted" in err
    assert "Traceback" not in err
    if output:
        result = json.loads(out)
        assert result["status"] == "cancelled"
        assert result["usage"]["requests"] == 2
    else:
        assert "worker" in err
        assert "total so far" in err


def test_a_tool_that_hangs_in_a_thread_does_not_keep_a_second_ctrl_c_waiting(fake_server, tmp_path):
    (tmp_path / "tools.py").write_text(
        "import pathlib, time\n"
        "def hang() -> str:\n    'Hang.'\n"
        "    pathlib.Path('hanging').touch()\n    time.sleep(600)\n    return ''\n"
    )
    path = tmp_path / "agency.yaml"
    path.write_text(
        "version: 1\nname: t\ntools: {hang: {python: 'tools.py:hang'}}\n"
        "agents: {a: {instructions: You hang., tools: [hang], model: gpt-5-mini}}\n"
    )
    fake_server.when(instructions="You hang.").calls("hang")
    process = subprocess.Popen(
        command("run", path, "Go", "--json"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path, fake_server.env),
        cwd=tmp_path,
        text=True,
    )
    deadline = time.monotonic() + LONGEST
    while not (tmp_path / "hanging").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    interrupt_twice(process)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "interrupted" in err
    (tool,) = [n for n in json.loads(out)["tree"]["children"] if n["kind"] == "tool"]
    assert tool["status"] == "cancelled"


def test_a_python_tool_that_cannot_be_imported_is_a_located_problem(tmp_path):
    (tmp_path / "tools.py").write_text("import no_such_module_at_all\n")
    path = tmp_path / "agency.yaml"
    path.write_text(
        "version: 1\nname: t\ntools:\n  x: {python: 'tools.py:f'}\n"
        "agents: {a: {instructions: Hi., tools: [x]}}\n"
    )
    done = agency("run", path, "Go", folder=tmp_path, environ={"OPENAI_API_KEY": "sk-x"})
    assert done.code == 2
    assert re.search(r"agency.yaml:4:\d+: error: tools.x.python: .*no_such_module", done.err)


def test_a_thread_goes_on_where_it_was_with_whoever_has_it(fake_server, tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(TEAM.replace("[boss > worker]", "[{from: boss, to: worker, kind: handoff}]"))
    fake_server.when(instructions="the boss").calls("transfer_to_worker")
    fake_server.when(instructions="the worker", user="two").says("second")
    fake_server.when(instructions="the worker").says("first")
    for text, answer in (("one", "first\n"), ("two", "second\n")):
        options = ["--thread", "mine", "--quiet"]
        done = agency("run", path, text, *options, folder=tmp_path, environ=fake_server.env)
        assert (done.code, done.out) == (0, answer)
    assert len(fake_server.requests) == 3
    listed = agency("threads", "list", folder=tmp_path)
    assert re.search(r"mine +team +worker +\d+ ", listed.out)
    shown = agency("threads", "show", "mine", folder=tmp_path)
    assert "boss: calls transfer_to_worker" in shown.out
    assert "worker: second" in shown.out
    assert json.loads(agency("threads", "show", "mine", "--json", folder=tmp_path).out)["items"]
    assert agency("threads", "delete", "mine", folder=tmp_path).code == 0
    gone = agency("threads", "show", "mine", folder=tmp_path)
    assert gone.code == 2
    assert "no thread 'mine'" in gone.err


def test_an_agent_that_is_called_into_a_conversation_is_told_who_it_is(team, good, tmp_path):
    good.when(instructions="the worker").says("Did it.")
    for extra in ([], ["--agent", "worker"]):
        options = ["--thread", "mine", "--quiet", *extra]
        assert agency("run", team, "Go", *options, folder=tmp_path, environ=good.env).code == 0
    last = good.requests[-1]
    assert last.last_user_text.startswith("[You are worker now; until now boss had this")
    assert last.last_user_text.endswith("Go")


def test_a_folder_without_a_store_says_how_to_name_one(tmp_path):
    done = agency("threads", "list", folder=tmp_path)
    assert done.code == 1
    assert "--manifest" in done.err
    assert not (tmp_path / "store").exists()


def test_the_reader_of_the_output_may_go_away(team, good, tmp_path):
    line = f"{' '.join(command('run', team, 'Go', '--jsonl'))} | head -n 1"
    done = subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        env=environment(tmp_path, good.env),
        cwd=tmp_path,
        timeout=LONGEST,
        check=True,
    )
    assert b"Traceback" not in done.stderr
    assert b"bug" not in done.stderr


def test_a_bug_of_ours_is_one_line_and_a_report_without_the_message(tmp_path, fake_server):
    (tmp_path / "sitecustomize.py").write_text(
        "import agency_cli.cli.options as o\n"
        "def broken(*_): raise LookupError('a bug')\n"
        "o.message_of = broken\n"
    )
    (tmp_path / "agency.yaml").write_text(TEAM)
    environ = {"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = agency("run", "agency.yaml", "My secret", folder=tmp_path, environ=environ)
    assert done.code == 70
    assert "Traceback" not in done.err
    report = Path(re.search(r"(\S+agency-bug-\S+)", done.err).group(1)).read_text()
    assert "LookupError: a bug" in report
    assert "My secret" not in report


def test_what_tools_print_does_not_mix_with_the_answer(fake_server, tmp_path):
    (tmp_path / "tools.py").write_text("def talk() -> str:\n    'x'\n    print('noise')\n")
    path = tmp_path / "agency.yaml"
    path.write_text(
        "version: 1\nname: t\ntools: {x: {python: 'tools.py:talk'}}\n"
        "agents: {a: {instructions: You talk., tools: [x], model: gpt-5-mini}}\n"
    )
    fake_server.when(instructions="You talk.", turn=0).calls("talk")
    fake_server.when(instructions="You talk.").says("ok")
    done = agency("run", path, "x", "--json", folder=tmp_path, environ=fake_server.env)
    assert json.loads(done.out)["final_output"] == "ok"
    assert "noise" in done.err


def test_json_is_printed_also_where_no_run_began(team, tmp_path):
    done = agency("run", team, "Go", "--json", folder=tmp_path)
    result = json.loads(done.out)
    assert (done.code, result["status"], result["error"]["kind"]) == (6, "error", "credentials")


def test_an_address_that_is_none_is_told_before_anything_is_sent(team, tmp_path):
    environ = {"OPENAI_BASE_URL": "nonsense", "OPENAI_API_KEY": "x"}
    done = agency("run", team, "go", folder=tmp_path, environ=environ)
    assert done.code == 2
    assert done.err.startswith("error: the environment variable OPENAI_BASE_URL: an address begins")


def test_a_password_in_an_address_is_not_shown(team, tmp_path):
    environ = {"OPENAI_BASE_URL": "http://user:SECRETPW@127.0.0.1:9/v1", "OPENAI_API_KEY": "x"}
    done = agency("run", team, "Go", folder=tmp_path, environ=environ)
    assert done.code == 6
    assert "SECRETPW" not in done.err


def test_a_price_that_nobody_knows_is_named_where_money_is_limited(fake_server, tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(TEAM.replace("gpt-5-mini", "home-made"))
    fake_server.when(instructions="the boss").says("ok")
    options = ["--max-cost-usd", "1"]
    done = agency("run", path, "Go", *options, folder=tmp_path, environ=fake_server.env)
    assert "no price is known for home-made, so limits.max_cost_usd cannot be kept" in done.err


@pytest.mark.parametrize(
    ("redirections", "code"), [(">&-", 0), ("2>&-", 0), (">/dev/full", 1), ("2>/dev/full", 0)]
)
def test_closed_and_full_streams_are_no_bug(team, good, tmp_path, redirections, code):
    line = f"{' '.join(command('run', team, 'Go'))} {redirections}"
    done = subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        env=environment(tmp_path, good.env),
        cwd=tmp_path,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"bug" not in done.stderr
    if redirections.startswith("2"):
        assert done.stdout == b"It is *done*.\n"


def test_the_version_and_the_bare_command_answer(tmp_path):
    assert agency("--version", folder=tmp_path).out.startswith("agency ")
    bare = agency(folder=tmp_path)
    assert bare.code == 0
    assert "Commands:" in bare.out


@pytest.mark.skipif(os.name == "nt", reason="permissions differ")
def test_secrets_are_never_printed(team, good, tmp_path):
    environ = {**good.env, "OPENAI_API_KEY": "sk-very-secret-value"}
    for output in ([], ["--json"], ["--jsonl"], ["--verbose"]):
        done = agency("run", team, "Go", *output, folder=tmp_path, environ=environ)
        assert "very-secret" not in done.out + done.err
