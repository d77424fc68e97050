"""What can be wrong with names that stand for something else."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="unknown-agent",
        what="`entry` or a flow names an agent that is not declared.",
        why="The flow would lead nowhere.",
        mend="Correct the name as suggested, or declare the agent.",
    ),
    Rule(
        code="unknown-tool",
        what="An agent lists a tool that is not declared.",
        why="It would lack the tool.",
        mend="Correct the name as suggested, or declare the tool under `tools`.",
    ),
    Rule(
        code="unknown-guardrail",
        what="An agent or `defaults` lists a guardrail that is not declared.",
        why="What it should keep out would pass.",
        mend="Correct the name as suggested, or declare it under `guardrails`.",
    ),
    Rule(
        code="unknown-provider",
        what="A model names a provider that is neither declared nor `openai`.",
        why="It is not known where to reach it.",
        mend="Correct the name as suggested, or declare it under `providers`.",
    ),
    Rule(
        code="unknown-argument",
        what="A rule of `approval` looks at an argument that the call does not have.",
        why="The rule could never match, so that a call which should be stopped would pass.",
        mend="Name an argument that the message lists.",
    ),
    Rule(
        code="unknown-hosted-tool",
        what="`hosted` names a tool that providers do not have.",
        why="The provider would refuse every call.",
        mend="Write one that the message names.",
    ),
    Rule(
        code="unknown-option",
        what="`options` holds one that the hosted tool does not have.",
        why="It would be refused, or ignored.",
        mend="Write one that the message names.",
    ),
    Rule(
        code="bad-reference",
        what="What should name a Python object has not the form of a name of one.",
        why="It cannot be imported.",
        mend="Write `file.py:name` or `package.module:name`.",
    ),
    Rule(
        code="bad-url",
        what="An address cannot be one of a server.",
        why="Every request to it would fail.",
        mend="Begin with `http://` or `https://`, and name a host.",
    ),
)
