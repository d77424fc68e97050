"""What can be wrong with flows, and with what they say together."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="bad-flow",
        what="A flow in one line is not of the form `sender > recipient`.",
        why="It cannot be told who may ask whom.",
        mend=(
            "Write `ceo > developer`, `ceo > developer, assistant` or `ceo > developer > "
            "assistant`."
        ),
    ),
    Rule(
        code="self-flow",
        what="A flow leads from an agent to itself.",
        why="An agent that waits for its own answer waits for ever.",
        mend="Remove it.",
    ),
    Rule(
        code="duplicate-flow",
        what="The same pair of agents has the same kind of flow by the same tool twice.",
        why="One of them has no effect; which, would depend on their order.",
        mend="Remove one, or give one a `tool_name` of its own.",
    ),
    Rule(
        code="no-outbound",
        what="An agent with `outbound: false` is the sender of a flow.",
        why="One of the two is not so.",
        mend="Remove the flow, or the key.",
    ),
    Rule(
        code="too-many-flows",
        what="The flows connect more than 100,000 pairs of agents.",
        why="Lists in chains multiply; this is most often not meant.",
        mend="Name fewer agents in one line.",
    ),
    Rule(
        code="param-clash",
        what="An extra param has a name that messages have already.",
        why="The two could not be told apart.",
        mend="Rename it.",
    ),
    Rule(
        code="no-entry",
        what="Every agent is reached by a flow, and `entry` does not say which one begins.",
        why="Nobody would get the user's message.",
        mend="Add `entry`.",
    ),
    Rule(
        code="ambiguous-entry",
        what="Several agents are reached by no flow, and `entry` does not say which one begins.",
        why="It is not known who gets the user's message, or a flow is missing.",
        mend="Add `entry`, or the flow.",
    ),
)
