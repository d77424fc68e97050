"""What can be wrong with agents, tools, models and guardrails, each for itself."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="similar-agents",
        what="The keys of two agents differ only by case.",
        why="A model, and a person, would take one for the other.",
        mend="Rename one.",
    ),
    Rule(
        code="missing-instructions",
        what="An agent has no instructions.",
        why="It would not know what to do.",
        mend="Add `instructions`, or `instructions_file`.",
    ),
    Rule(
        code="not-of-one-tool",
        what="A `name` or `description` stands beside a reference to all tools of a file.",
        why="It would be that of each of them.",
        mend="Name one object, `file.py:name`, or remove the key.",
    ),
    Rule(
        code="reserved-name",
        what="A tool has a name that the program gives to tools of its own.",
        why="Two tools of an agent could have the same name.",
        mend="Choose another name.",
    ),
    Rule(
        code="tool-name-clash",
        what="An agent would offer two tools of one name to its model.",
        why="Providers refuse such calls, and nobody could tell which is meant.",
        mend="Rename one tool, or take it from the agent.",
    ),
    Rule(
        code="needs-responses",
        what=(
            "An agent has a tool that the provider runs, and a model that is not reached by the "
            "Responses API."
        ),
        why="Such tools exist nowhere else.",
        mend="Give the agent another model, or take the tool away.",
    ),
    Rule(
        code="fallback-cycle",
        what="The fallbacks of models lead in a circle.",
        why="A model would stand in for itself.",
        mend="Remove one of the fallbacks in the circle.",
    ),
    Rule(
        code="bad-regex",
        what="The expression of a guardrail is no regular expression.",
        why="It could not be held against any text.",
        mend="Correct it; in YAML, single quotes keep each backslash.",
    ),
    Rule(
        code="retry-of-input",
        what="A guardrail asks again for an input.",
        why="Only an answer can be asked for again: nobody puts the same question better.",
        mend="Write `action: block` or `action: warn`.",
    ),
)
