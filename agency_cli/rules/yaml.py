"""What can be wrong with a document before anybody asks what it means."""

from __future__ import annotations

from typing import Final

from agency_cli.rules.rule import Rule

RULES: Final = (
    Rule(
        code="empty-file",
        what="The file holds nothing, or nothing but comments.",
        why="There is no agency in it.",
        mend="Begin with the line `version: 1`, a `name` and `agents`.",
    ),
    Rule(
        code="not-a-mapping",
        what="The document is a list or a single value.",
        why="A manifest consists of `name: value` lines.",
        mend="Remove what stands before the first key, such as a dash.",
    ),
    Rule(
        code="second-document",
        what="A line `---` begins a second document.",
        why="One manifest is one agency; a second document would be ignored.",
        mend="Move the second document to a file of its own.",
    ),
    Rule(
        code="yaml-syntax",
        what="The text is not YAML.",
        why="Nothing behind the place can be read.",
        mend=(
            "Do what the message says; most often a text that holds `: ` or begins with a special "
            "character needs quotes."
        ),
    ),
    Rule(
        code="tab",
        what="A tab stands in the indentation.",
        why="YAML indents with spaces, as tabs are not equally wide everywhere.",
        mend="Replace the tab by spaces.",
    ),
    Rule(
        code="unclosed-quote",
        what="A quote is opened and never closed.",
        why="All that follows would be one text.",
        mend="Close the quote, or double an apostrophe that stands between single quotes.",
    ),
    Rule(
        code="key-not-text",
        what="A key is a number, a truth value, empty, or a list or mapping.",
        why="Every key of a manifest is a name.",
        mend="Put the key in quotes.",
    ),
    Rule(
        code="duplicate-key",
        what="A mapping has the same key twice.",
        why="YAML readers keep one of the two and drop the other without a word.",
        mend="Remove one, or merge the two.",
    ),
    Rule(
        code="unknown-tag",
        what=(
            "A value has a tag, such as `!!python/object`, that means nothing here, or one that "
            "it does not keep."
        ),
        why="Tags could make a document mean something else than it says; none is executed.",
        mend="Remove the tag.",
    ),
    Rule(
        code="unknown-alias",
        what="An alias `*name` stands where no anchor `&name` comes before it.",
        why="It stands for nothing.",
        mend="Set the anchor, or correct the name.",
    ),
    Rule(
        code="alias-loop",
        what="An alias stands inside of what it stands for.",
        why="It would go on without end.",
        mend="Write out what is meant.",
    ),
    Rule(
        code="alias-bomb",
        what="With all aliases expanded, the document has more than 100,000 values.",
        why="Such documents are made to exhaust the memory of whoever reads them.",
        mend="Use fewer aliases of large values.",
    ),
    Rule(
        code="bad-merge",
        what="The value of `<<` is no mapping, and no list of mappings.",
        why="Only the keys of a mapping can be merged.",
        mend="Write `<<: *name`, where `&name` is the anchor of a mapping.",
    ),
    Rule(
        code="too-deep",
        what="Mappings and lists nest deeper than 64 levels.",
        why="Nothing in the format nests ten levels deep.",
        mend="Flatten what is there; a bracket is most often left open.",
    ),
    Rule(
        code="too-many-values",
        what="The document has more than 100,000 values.",
        why="Such a file was not written by hand, and would take long to check.",
        mend="Split the agency.",
    ),
)
