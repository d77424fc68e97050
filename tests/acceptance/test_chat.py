"""`agency chat` as it is typed on a terminal, and as it is fed through a pipe."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from command_line import LONGEST, agency, command, environment
from talking import DESK

pytest.importorskip("termios", reason="a terminal is needed")
from person import Person

ENTER, CTRL_C, CTRL_D, CTRL_J = "\r", "\x03", "\x04", "\n"


@pytest.fixture
def desk(tmp_path, fake_server):
    (tmp_path / "agency.yaml").write_text(DESK)
    when = fake_server.when
    when(instructions="triage", user="slow").says("Too late.").after(LONGEST)
    when(instructions="triage", user="Bob").calls("transfer_to_bob")
    when(instructions="triage").says("I am *triage*.")
    when(instructions="bob").says("Arr!")
    when(instructions="clerk").says("Stamped.")
    return fake_server


def texts(request):
    return [message.text for message in request.messages if message.text]


def at_terminal(folder, server, *options, **size):
    return Person("chat", "agency.yaml", *options, folder=folder, environ=server.env, **size)


def wait_until(happened):
    deadline = time.monotonic() + LONGEST
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_person_talks_hands_over_retries_and_leaves(tmp_path, desk):
    with at_terminal(tmp_path, desk, "--thread", "mine") as person:
        person.sees("desk: 3 agents, thread mine", "triage >")
        person.type(f"Hello{CTRL_J}there{ENTER}")
        # The tree, the answer as Markdown, what it took, and the next prompt.
        person.sees("✓ triage", "I am triage.", " tokens · $0.0", "triage >")
        person.type(f"/agents{ENTER}")
        person.sees("* triage  Sorts.", "  bob     A pirate.", "triage >")
        person.type(f"@clerk a stamp, please{ENTER}")
        person.sees("✓ clerk", "Stamped.", "triage >")
        person.type(f"I want Bob{ENTER}")
        person.sees("✓ → bob", "Arr!", "bob >")
        person.type(f"How are you?{ENTER}")
        person.sees("✓ bob", "Arr!", "bob >")
        person.type(f"/retry{ENTER}")
        person.sees("✓ bob", "How are you?", "Arr!", "bob >")
        person.type(CTRL_D)
        person.sees("thread mine; to go on with it:", "agency chat agency.yaml --thread mine")
        assert person.leaves() == 0
    last = texts(desk.requests[-1])
    assert last[:2] == ["Hello\nthere", "I am *triage*."]
    assert last.count("How are you?") == 1
    history = (tmp_path / "store" / "chat_history").read_text(encoding="utf-8")
    assert "+Hello\n+there\n" in history


def test_ctrl_c_stops_an_answer_and_the_conversation_goes_on(tmp_path, desk):
    with at_terminal(tmp_path, desk, width=120, height=40) as person:
        person.sees("triage >")
        person.type(f"something slow{ENTER}")
        person.sees("Ctrl-C stops")
        wait_until(lambda: desk.requests)
        person.type("typed ahead")
        person.type(CTRL_C)
        person.sees("interrupted", "⊘ triage", "stopped", "triage >")
        person.type(f"{CTRL_C}Hello{ENTER}")
        person.sees("✓ triage", "I am triage.", "triage >")
        person.type(CTRL_C + CTRL_C)
        person.sees("Ctrl-D leaves the chat", "triage >")
        person.type(CTRL_D)
        assert person.leaves() == 0
    slow, quick = desk.exchanges
    assert slow.client_left
    assert texts(quick.request) == ["something slow", "Hello"]


def test_a_thread_that_is_deleted_under_a_chat_is_told_and_another_can_begin(tmp_path, desk):
    with at_terminal(tmp_path, desk, "--thread", "mine", width=200) as person:
        person.sees("triage >")
        person.type(f"Hello{ENTER}")
        person.sees("I am triage.", "triage >")
        deleted = agency("threads", "delete", "mine", folder=tmp_path)
        assert (deleted.code, deleted.err) == (0, "deleted thread mine\n")
        person.type(f"Still there?{ENTER}")
        person.sees("error: thread mine was deleted", "nothing was sent", "/new", "triage >")
        for line in ("/retry", "/thread", "/agent bob"):
            person.type(f"{line}{ENTER}")
            person.sees("error: thread mine was deleted", " >")
        person.type(f"/new @triage Hello{ENTER}")
        person.sees("a new thread begins", "I am triage.", " >")
        person.type(CTRL_D)
        assert person.leaves() == 0
    assert [texts(request) for request in desk.requests] == [["Hello"], ["Hello"]]


def test_an_agency_that_cannot_be_built_is_told_at_the_prompt(tmp_path, desk):
    (tmp_path / "tools.py").write_text("1/0")
    broken = DESK.replace("You are bob.,", "You are bob., tools: [t],")
    (tmp_path / "agency.yaml").write_text(f'{broken}tools: {{t: {{python: "tools.py:f"}}}}\n')
    with at_terminal(tmp_path, desk, width=200) as person:
        person.sees("triage >", "ZeroDivisionError", "[broken-tool]")
        assert person.leaves() == 2
    assert person.shown.count("ZeroDivisionError") == 1


def test_what_is_piped_in_is_answered_line_by_line(tmp_path, desk):
    lines = "Hello\nI want Bob\r\n/nope\n/agents\nAnd now?"
    done = agency("chat", "agency.yaml", folder=tmp_path, environ=desk.env, stdin=lines)
    agents = "  triage  Sorts.\n* bob     A pirate.\n  clerk\n"
    assert done.out == f"I am *triage*.\nArr!\n{agents}Arr!\n"
    assert done.code == 2
    assert "error: there is no command /nope" in done.err
    assert "\x1b" not in done.err
    (thread,) = json.loads(agency("threads", "list", "--json", folder=tmp_path).out)
    assert f"agency chat agency.yaml --thread {thread['thread_id']}\n" in done.err
    assert thread["active_agent"] == "bob"


def test_nothing_at_all_is_no_chat_and_no_thread(tmp_path, desk):
    done = agency("chat", "agency.yaml", folder=tmp_path, environ=desk.env)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert json.loads(agency("threads", "list", "--json", folder=tmp_path).out) == []


def test_input_that_is_no_text_is_refused_with_its_line(tmp_path, desk):
    given = b"/agents\ncaf\xe9\n"
    done = agency("chat", "agency.yaml", folder=tmp_path, environ=desk.env, stdin=given)
    assert done.code == 2
    assert done.err == "error: line 2 of the input is not UTF-8 text (invalid continuation byte)\n"


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [
        (["agency.yaml", "--agent", "nobody"], 2, "no agent named 'nobody'"),
        (["agency.yaml", "--model", "nobody=gpt-5"], 2, "no agent named 'nobody'"),
        (["agency.yaml", "--store", "nothing"], 1, "sqlite:///FILE"),
        (["missing.yaml"], 2, "missing.yaml"),
        (["agency.yaml"], 6, "OPENAI_API_KEY is not set"),
    ],
)
def test_a_chat_that_cannot_begin_says_why(tmp_path, desk, options, code, reason):
    done = agency("chat", *options, folder=tmp_path, stdin="Hello\n")
    assert (done.code, done.out) == (code, "")
    assert reason in done.err
    assert not desk.requests


def interrupted(folder, server, given, *, after):
    """Interrupt a chat that is fed through a pipe once its stderr or stdout told `after`."""
    process = subprocess.Popen(
        command("chat", "agency.yaml"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=environment(folder, server.env),
        text=True,
    )
    with process:
        process.stdin.write(given)
        process.stdin.flush()
        told = ""
        for line in process.stdout:
            told += line
            if after in line:
                break
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=LONGEST)
    return process.returncode, told + rest


def test_an_interrupt_ends_a_chat_that_is_fed_through_a_pipe(tmp_path, desk):
    code, told = interrupted(tmp_path, desk, "something slow\nHello\n", after="triage starts")
    assert code == 130
    assert "triage cancelled" in told
    assert "I am *triage*." not in told
    assert told.endswith("error: interrupted\n")


def test_an_interrupt_ends_a_chat_that_waits_for_its_next_line(tmp_path, desk):
    code, told = interrupted(tmp_path, desk, "/agents\n", after="clerk")
    assert code == 130
    assert told.endswith("  clerk\nerror: interrupted\n")


def test_the_help_imports_nothing_that_only_a_chat_needs():
    program = (
        "import sys; from agency_cli.cli.app import run_command_line;"
        "run_command_line(['chat', '--help']);"
        "heavy = {'agents', 'prompt_toolkit', 'rich', 'sqlalchemy'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"agency chat agencies/support_desk/agency.yaml" in done.stdout
