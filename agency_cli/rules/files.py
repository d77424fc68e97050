"""What can be wrong with the files that a manifest is made of."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="missing-file",
        what="A file that is named does not exist, or a folder or pattern leads to no file.",
        why="What the file says is part of the agency, so nothing can be run without it.",
        mend="Correct the name; paths resolve against the folder of the file that names them.",
    ),
    Rule(
        code="not-a-file",
        what="What is named as a file is a folder, a pipe, a socket or a device.",
        why="Reading such a thing can fail, or never end.",
        mend="Name the file itself, such as `agency.yaml` in the folder.",
    ),
    Rule(
        code="unreadable-file",
        what="A file is there but cannot be read.",
        why="The system refuses it, most often for lack of permission.",
        mend="Change who may read the file, or correct the name.",
    ),
    Rule(
        code="file-too-large",
        what="A manifest, or a file that it names, has more than 1 MB.",
        why="Nobody writes that much by hand; it is most often the wrong file.",
        mend="Name the right file, or split this one and `include` its parts.",
    ),
    Rule(
        code="binary-file",
        what="A file holds a character that no text file does, such as a NUL.",
        why="It is most often the wrong file, or one that was damaged.",
        mend="Name the right file, or remove the character.",
    ),
    Rule(
        code="not-utf-8",
        what="A file is not text in UTF-8.",
        why="Any other encoding would turn names and instructions into something else.",
        mend="Save the file as UTF-8; every editor can.",
    ),
    Rule(
        code="bad-file",
        what=(
            "A file of values for params, given by `--params`, is no YAML or JSON with names and "
            "values."
        ),
        why="No value can be taken from it.",
        mend="Write `name: value` lines.",
    ),
    Rule(
        code="include-loop",
        what="Files include each other in a circle.",
        why="There would be no end to reading them.",
        mend="Remove the `include` of one of the files in the circle.",
    ),
    Rule(
        code="too-many-files",
        what="A manifest includes more than 100 files, those that they include counted in.",
        why="A pattern most often fits more than was meant.",
        mend="Narrow the pattern, or put several parts into one file.",
    ),
    Rule(
        code="not-in-an-include",
        what="A file that is included says what only a manifest can say.",
        why=(
            "It adds agents, tools, models, providers, guardrails and flows; the rest belongs to "
            "the whole agency."
        ),
        mend="Move the key to the manifest.",
    ),
    Rule(
        code="duplicate-name",
        what="Two files declare something by the same name.",
        why="It would depend on their order which of the two is meant.",
        mend="Give one of them another name, or remove one.",
    ),
)
