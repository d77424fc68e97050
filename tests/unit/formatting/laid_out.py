"""Manifests to be laid out, and what holds for each that was."""

from __future__ import annotations

import re
from pathlib import Path

from agency_cli.formatting import format_text
from agency_cli.loading.composing import compose

ROOT = Path(__file__).parents[3]
AGENCIES = sorted(ROOT.glob("agencies/*/*.yaml"))
TEMPLATES = sorted(ROOT.glob("agency_cli/templates/*/*.yaml"))
CASES = sorted(ROOT.glob("tests/manifests/**/*.yaml"))
UNTIDY = """\


# head

version:   1    # the version
name: 'crew'


x-thing:   # about thing
    # before a
    a: 1
    # before b
    b:    [1,2,   # one two
       3, # three
       { c : 4 ,d: 'five' } ]
    # behind b
# before agents
agents:
      lead:   {instructions: "You lead.",
               description: 'it''s'}
      # before writer
      writer: # the writer
        instructions: |
            You write.

              indented more

            # not a comment
        # behind the text
        description: A plain text
          on two lines
        tools:
        - a   # a
        # before b
        -   b
      folded: >-
         one
         two\t
      quoted: 'say "this"'
      null:
flows:
-   from: lead
    to: writer
    # behind writer
- [lead,writer]
# the end


"""
TIDY = """\
# head

version: 1    # the version
name: "crew"

x-thing:   # about thing
  # before a
  a: 1
  # before b
  b: [1, 2,   # one two
    3,  # three
    {c: 4, d: "five"}]
  # behind b
# before agents
agents:
  lead: {instructions: "You lead.",
         description: "it's"}
  # before writer
  writer:   # the writer
    instructions: |
      You write.

        indented more

      # not a comment
    # behind the text
    description: A plain text
      on two lines
    tools:
      - a   # a
      # before b
      - b
  folded: >-
    one
    two\t
  quoted: 'say "this"'
  null:
flows:
  - from: lead
    to: writer
    # behind writer
  - [lead, writer]
# the end
"""


def holds(before: str, after: str) -> None:
    """Hold what is true of every text that was laid out."""
    assert data(after) == data(before)
    assert inked(after) == inked(before)
    assert format_text(after, "agency.yaml") == after
    assert after.endswith("\n")
    assert "\r" not in after


def data(text: str) -> str:
    # By their looks, so that 1 and 1.0, and the order of keys, count.
    return repr(compose(text, "agency.yaml")[0].data())


def inked(text: str) -> str:
    """Return all characters but spaces, quotes, and what says how a block of text ends."""
    return re.sub(r"[\s'\"]|(?<=[|>])[-+0-9]+(?=\s)", "", text)
