"""The built-in `shell` tool: what a command does to the run, and what rules say of it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

import pytest

from agency_cli.foreign import ToolRefused
from agency_cli.manifest import ApprovalRule, ShellTool
from agency_cli.manifest.commands import answer_to_command, parts_of
from agency_cli.tools.builtin.shell import MOST_KEPT, environment, run, shell_tools


def done(folder: Path, command: str, seconds: float = 20) -> str:
    return asyncio.run(run(command, folder, seconds, os.environ))


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("echo out; echo err >&2", "out\nerr"),
        ("echo no; exit 3", "no\n[exit code 3]"),
        ("true", "[it wrote nothing; exit code 0]"),
        ("false", "[exit code 1]"),
        ("cat", "[it wrote nothing; exit code 0]"),
        ("no_such_program_at_all", "[exit code 127]"),
        ("printf 'ab\\377c'", "ab\ufffdc"),
        ("kill -9 $$", "[exit code -9]"),
    ],
)
def test_output_and_exit_code_come_back(tmp_path, command, told):
    assert done(tmp_path, command).endswith(told)


def test_it_runs_in_its_folder_which_is_made(tmp_path):
    assert done(tmp_path / "new", "pwd") == str(tmp_path / "new")
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolRefused, match="cannot be started"):
        done(tmp_path / "file", "pwd")


def test_of_a_long_output_the_beginning_and_the_end_are_kept(tmp_path):
    program = "print('first'); print('x' * 50_000_000); print('last')"
    text = done(tmp_path, f'{sys.executable} -c "{program}"')
    assert text.startswith("first\nxxx")
    assert text.endswith("xxx\nlast")
    assert "[cut here: 49," in text
    assert len(text) < 2 * MOST_KEPT + 100


def test_a_command_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path):
    text = done(tmp_path, "echo begun; (sleep 77; touch late) & sleep 77", 0.4)
    assert text == "begun\n[it was stopped after 0.4 s, before it had ended]"
    assert not running("sleep 77")


def test_what_is_left_in_the_background_holds_nothing_up_and_is_ended(tmp_path):
    began = time.monotonic()
    assert done(tmp_path, "sleep 78 & echo started") == "started"
    assert time.monotonic() - began < 15
    assert not running("sleep 78")


def test_a_call_that_is_cancelled_ends_its_command(tmp_path):
    async def main() -> None:
        task = asyncio.create_task(run("touch begun; sleep 79", tmp_path, 60, os.environ))
        while not (tmp_path / "begun").exists():  # noqa: ASYNC110 - a file is what there is
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert not running("sleep 79")


def running(command: str) -> bool:
    """Look whether a process with this command line is there; ends take a moment to be seen."""
    for _ in range(100):
        if not any(command in line for line in command_lines()):
            return False
        time.sleep(0.02)
    return True


def command_lines() -> list[str]:
    lines = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(place.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return [line for line in lines if line.startswith("sleep")]


def test_secrets_of_the_environment_are_given_only_where_they_are_named():
    variables = {"OPENAI_API_KEY": "k", "GITHUB_TOKEN": "t", "DB_PASSWORD": "p", "PATH": "/bin"}
    assert environment(variables, []) == {"PATH": "/bin"}
    assert environment(variables, ["GITHUB_TOKEN"]) == {"GITHUB_TOKEN": "t", "PATH": "/bin"}


def test_its_calls_are_asked_about_unless_the_manifest_says_otherwise(tmp_path):
    spec = ShellTool(builtin="shell")
    (tool,) = shell_tools(spec, tmp_path)
    assert (tool.name,) == spec.known_names
    assert tool.needs_approval is True
    assert json.dumps(tool.params_json_schema)
    assert spec.answer_to("run_command", {"command": "ls"}) == "ask"
    free = ShellTool(builtin="shell", approval="never")
    assert free.answer_to("run_command", {"command": "rm -r /"}) == "never"


RULES = [
    ApprovalRule(when={"command": "git push*"}, then="deny"),
    ApprovalRule(when={"command": "git *"}, then="never"),
    ApprovalRule(when={"command": "ls*"}, then="never"),
    ApprovalRule(then="ask"),
]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("git status", "never"),
        ("  git status  ", "never"),
        ("git push origin", "deny"),
        ("git status; git log", "never"),
        ("git status && ls -l | ls", "never"),
        ("git status; rm -rf /", "ask"),
        ("git status\nrm -rf /", "ask"),
        ("git status & rm x", "ask"),
        ("git log | sh", "ask"),
        ("git status; git push", "deny"),
        ("ls && git push --force", "deny"),
        ("git log > ~/.bashrc", "ask"),
        ("git log $(rm x)", "ask"),
        ("git log `rm x`", "ask"),
        ('git log "$(rm x)"', "ask"),
        ("git log <(rm x)", "ask"),
        ("git commit -m 'a; b & c > d'", "never"),
        ("git commit -m 'not closed", "ask"),
        ("git log ${IFS}x", "ask"),
        ("git status ;; rm x", "ask"),
        ("git status # ; rm x", "ask"),
        ("", "ask"),
    ],
)
def test_a_rule_for_one_command_lets_no_other_through(command, answer):
    assert answer_to_command(RULES, "run_command", command) == answer


def test_rules_that_look_at_no_command_hold_for_all():
    rules = [ApprovalRule(when={"command": "rm *"}, then="deny"), ApprovalRule(then="never")]
    assert answer_to_command(rules, "run_command", "a > b; c") == "never"
    assert answer_to_command(rules, "run_command", "a; rm x > b") == "deny"
    assert parts_of("a 'b; c'; d") == (["a b; c", "d"], True)
