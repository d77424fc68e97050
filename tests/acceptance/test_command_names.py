"""Every command is found by its name, though only the one that is named is prepared."""

from __future__ import annotations

import pytest

from command_line import agency

COMMANDS = [
    "run",
    "chat",
    "validate",
    "graph",
    "diff",
    "plan",
    "doctor",
    "init",
    "fmt",
    "schema",
    "runs",
    "threads",
]


def test_help_names_every_command(tmp_path):
    shown = agency("--help", folder=tmp_path).out.partition("Commands:")[2]
    assert [line.split()[0] for line in shown.splitlines() if line[2:3].isalpha()] == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_tells_its_usage_under_its_whole_name(tmp_path, name):
    done = agency(name, "--help", folder=tmp_path)
    assert done.out.startswith(f"Usage: agency {name} ")


@pytest.mark.parametrize(("written", "meant"), [("grap", "graph"), ("run s", "runs")])
def test_a_misspelt_command_is_compared_with_all_of_them(tmp_path, written, meant):
    done = agency(written, folder=tmp_path)
    assert done.code == 2
    assert f"'{meant}'" in done.err


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("agency ", COMMANDS),
        ("agency va", ["validate"]),
        ("agency runs co", ["costs"]),
        ("agency graph --format m", ["mermaid"]),
    ],
)
def test_a_shell_completes_a_line_and_is_told_nothing_else(tmp_path, line, completed):
    environ = {
        "_AGENCY_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    done = agency(folder=tmp_path, environ=environ)
    assert (done.code, done.out.split(), done.err) == (0, completed, "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("runs list --limit 0", "must be at least 1"),
        ("runs list --status banana", "'banana' is not one of"),
        ("runs costs --by banana", "'banana' is not one of"),
        ("run x.yaml hi --max-turns many", "must be a whole number"),
        ("run x.yaml hi --max-cost-usd much", "must be a number"),
    ],
)
def test_a_value_that_an_option_cannot_have_is_told_in_plain_words(tmp_path, line, words):
    done = agency(*line.split(), folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Value error" not in done.err
    assert "Input should" not in done.err
