"""What can be wrong with single keys and values."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="unknown-key",
        what="A key is not one of the format, or not one of this place.",
        why="It would have no effect, and is most often misspelt.",
        mend=(
            "Correct it as the message suggests, remove it, or begin it with `x-` at the top, on "
            "an agent, tool or flow."
        ),
    ),
    Rule(
        code="missing-key",
        what="A key that must be there is not.",
        why="Without it, what is declared cannot be understood or used.",
        mend="Add the key.",
    ),
    Rule(
        code="wrong-type",
        what=(
            "A value is text where a number is wanted, one value where a list is wanted, and so on."
        ),
        why="What it means would have to be guessed.",
        mend="Write what the message says, or put text that looks like a number in quotes.",
    ),
    Rule(
        code="bad-value",
        what="A value is of the right type, but not one that is allowed here.",
        why="It is out of bounds, or not one of the words that the format knows.",
        mend="Write one that the message names.",
    ),
    Rule(
        code="bad-name",
        what="A name holds characters that names cannot have, or is too long.",
        why="Models and providers take only such names for tools and agents.",
        mend=(
            "Use letters, digits, `-` and `_`, and begin with a letter; `name:` of an agent shows "
            "any text."
        ),
    ),
    Rule(
        code="empty",
        what="A list, a mapping or a text is empty where it must say something.",
        why="It would have no effect, and most often something is missing.",
        mend="Fill it, or remove the key.",
    ),
    Rule(
        code="two-kinds",
        what="A tool or guardrail is of two kinds at once.",
        why="Each is of one kind, which its key tells: `python`, `builtin`, `mcp` and so on.",
        mend="Keep one key, and declare the other under a name of its own.",
    ),
    Rule(
        code="unknown-version",
        what="The `version` of the format is not one that this program reads.",
        why="A later version can mean something else by the same words.",
        mend="Write `version: 1`, or install a newer `agency`.",
    ),
    Rule(
        code="exclusive-keys",
        what="Two keys say the same thing in two ways.",
        why="Only one of them could hold.",
        mend="Keep one.",
    ),
    Rule(
        code="key-without-effect",
        what="A key has no effect together with the others around it.",
        why="Whoever reads it would believe something that is not so.",
        mend="Remove the key, or change the kind as the message says.",
    ),
    Rule(
        code="listed-twice",
        what="A list of names holds one twice.",
        why="The second has no effect, and is most often a slip for another name.",
        mend="Remove one, or write the name that was meant.",
    ),
    Rule(
        code="bad-schema",
        what="A JSON Schema is not one, or says what no provider takes for tools or outputs.",
        why="Values could not be checked against it, or a provider would refuse the call.",
        mend="Correct the schema at the place.",
    ),
    Rule(
        code="more-problems",
        what="There are more problems than the 100 that are shown.",
        why="The rest most often follows from the first.",
        mend="Mend those that are shown, and check again.",
    ),
)
