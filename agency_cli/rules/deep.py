"""What `agency validate --deep` finds, and what stops a run before it begins."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="broken-tool",
        what="The Python code of a tool, or a hosted tool's options, cannot be used.",
        why="It cannot be imported, or is no tool.",
        mend="Do what the message says; it names the error and its line.",
    ),
    Rule(
        code="broken-message-class",
        what="The Python class of a flow's messages cannot be used.",
        why="It cannot be imported, or is no subclass of `agency_cli.SendMessage`.",
        mend="Do what the message says.",
    ),
    Rule(
        code="broken-schema",
        what="The Python class of an agent's output cannot be used.",
        why="It cannot be imported, or no schema can be made of it.",
        mend="Do what the message says.",
    ),
    Rule(
        code="broken-guardrail",
        what="The Python function of a guardrail cannot be used.",
        why="It cannot be imported, or does not take what it is given.",
        mend="Do what the message says.",
    ),
    Rule(
        code="cannot-be-built",
        what="The agents cannot be built, for a reason that has no place in the manifest.",
        why="A run would stop at the same point.",
        mend="Do what the message says; most often a variable or a package is missing.",
    ),
)
