"""What is allowed, and yet most often a slip."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="unreachable-agent",
        what="No path of flows leads to an agent from an entry.",
        why="It can never be at work, unless it is chosen by `--agent`.",
        mend="Add a flow to it, list it under `entry`, or remove it.",
        severity="warning",
    ),
    Rule(
        code="unreachable-mention",
        what="Instructions name an agent, as `@name`, that no flow lets their agent reach.",
        why="The model is told to ask somebody whom it cannot ask, and makes something up.",
        mend="Add the flow that the message shows, or name another agent.",
        severity="warning",
    ),
    Rule(
        code="missing-description",
        what="An agent that others may ask says nothing of itself.",
        why="Its description is all that they have to choose it by.",
        mend="Add a `description` of one line.",
        severity="warning",
    ),
    Rule(
        code="handoff-trap",
        what=(
            "Handoffs lead into a circle of agents that can do nothing but hand over to each other."
        ),
        why=(
            "The conversation goes round, and never gets back to who could help: none of them has "
            "tools, asks anybody, or hands over to an agent outside of the circle."
        ),
        mend="Add a handoff out of the circle, or give one of them the tools to answer.",
        severity="warning",
    ),
    Rule(
        code="unused-tool",
        what="A tool is declared, and no agent lists it.",
        why="An agent most often lacks it.",
        mend="List it under an agent's `tools`, or remove it.",
        severity="warning",
    ),
    Rule(
        code="unused-model",
        what="A model is declared, and nobody has it as model, fallback or judge.",
        why="An agent most often uses another model than was meant.",
        mend="Name it, or remove it.",
        severity="warning",
    ),
    Rule(
        code="unused-provider",
        what="A provider is declared, and no model names it.",
        why="A model most often goes to another provider than was meant.",
        mend="Name it as the `provider` of a model, or remove it.",
        severity="warning",
    ),
    Rule(
        code="unused-param",
        what="A param is declared, and no text refers to it.",
        why="Whoever gives it a value would believe that it has an effect.",
        mend="Write `${param.NAME}` where it belongs, or remove it.",
        severity="warning",
    ),
    Rule(
        code="unused-guardrail",
        what="A guardrail is declared, and neither an agent nor `defaults` lists it.",
        why="What it should keep out passes.",
        mend="List it, or remove it.",
        severity="warning",
    ),
    Rule(
        code="unpriced-model",
        what="There is a limit of money, and no price of a model is known.",
        why="What its calls cost is not counted, so `max_cost_usd` cannot be kept.",
        mend="Declare the model under `models` with its `price`.",
        severity="warning",
    ),
    Rule(
        code="misspelt-model",
        what="A model is named that is not declared, and looks like one that is.",
        why="It is taken for a provider's id of a model, which most often does not exist.",
        mend="Write the name as it is declared.",
        severity="warning",
    ),
    Rule(
        code="literal-secret",
        what="A value looks like a key.",
        why="Manifests are kept in git and shown to others.",
        mend=(
            "Keep it in a variable, write `${env.NAME}`, and replace the key if others have seen "
            "it."
        ),
        severity="warning",
    ),
)
