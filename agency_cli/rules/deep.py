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
        code="broken-openapi",
        what="The document that an `openapi:` tool names is no OpenAPI document that can be read.",
        why="It is no JSON or YAML, not of version 3, or says what does not fit together.",
        mend="Correct the document at the place that the message names.",
    ),
    Rule(
        code="missing-base-url",
        what="The document of an `openapi:` tool does not say where its service is.",
        why="Requests need an address.",
        mend="Give it as `base_url` beside `openapi`.",
    ),
    Rule(
        code="unknown-operation",
        what="A pattern under `operations` matches no operation of the document.",
        why="The agents would lack what was meant for them.",
        mend="Write the operation as the message's list has it.",
    ),
    Rule(
        code="unusable-operation",
        what="An operation that is named under `operations` cannot become a tool.",
        why="It needs what no tool can give, such as a body of another kind than JSON.",
        mend="Take it off the list, or change the document as the message says.",
    ),
    Rule(
        code="cannot-be-built",
        what="The agents cannot be built, for a reason that has no place in the manifest.",
        why="A run would stop at the same point.",
        mend="Do what the message says; most often a variable or a package is missing.",
    ),
)
