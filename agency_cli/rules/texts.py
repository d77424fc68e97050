"""What can be wrong with references in texts, and with what they stand for."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="undefined-variable",
        what="`${env.NAME}` stands for a variable that is not set, and has no default.",
        why="Something would be empty that must not be.",
        mend=(
            "Set the variable, or write `${env.NAME:-default}`. Credentials need no value until a "
            "run."
        ),
    ),
    Rule(
        code="env-in-prompt",
        what="`${env.NAME}` stands where a model reads it.",
        why="Secrets live in the environment, and must not reach a prompt.",
        mend="Use a param, or let a tool read the variable.",
    ),
    Rule(
        code="unknown-param",
        what="`${param.NAME}` stands for a param that is not declared.",
        why="It stands for nothing, and is most often misspelt.",
        mend="Correct it, or declare it under `params`. Write `$${` for a plain `${`.",
    ),
    Rule(
        code="bad-param",
        what=(
            "The declaration of a param contradicts itself, such as by a default that is not "
            "allowed."
        ),
        why="No value, or not the default, could ever be taken.",
        mend="Correct the declaration.",
    ),
    Rule(
        code="too-large",
        what="With all references replaced, the texts have more than 10 million characters.",
        why="No model reads that much.",
        mend="Give shorter values, or refer to them less often.",
    ),
)
