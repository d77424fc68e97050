"""What changed in a manifest is told by places and values, as a person would say it."""

from __future__ import annotations

import textwrap

import pytest

from agency_cli.loading import load_manifest
from agency_cli.loading.changes import MOST_TOLD, changes, facts_of

BEFORE = """\
version: 1
name: shop
providers: {own: {base_url: "http://localhost:1/v1", api_key: "${env.KEY}"}}
models: {small: {model: gpt-5-mini, provider: own}}
defaults: {model: small}
limits: {max_turns: 5}
agents:
  ceo: {instructions_file: ceo.md}
  dev: {instructions: You build., description: Builds., max_turns: 3}
flows:
  - ceo > dev
"""


@pytest.fixture
def facts(tmp_path):
    """Return what tells the facts of a manifest and its one file of instructions."""

    def facts(text: str = BEFORE, ceo: str = "Lead.\nListen.\n", key: str = "sk-1234567"):
        path = tmp_path / "agency.yaml"
        path.write_text(textwrap.dedent(text))
        (tmp_path / "ceo.md").write_text(ceo)
        return facts_of(load_manifest(path, environ={"KEY": key}))

    return facts


def test_the_same_manifest_has_no_changes(facts):
    assert changes(facts(), facts()) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("max_turns: 5", "max_turns: 6", "limits.max_turns was 5 and is 6"),
        ("gpt-5-mini", "gpt-5", 'models.small.model was "gpt-5-mini" and is "gpt-5"'),
        (", max_turns: 3", "", "agents.dev.max_turns is gone (3)"),
        ("  - ceo > dev", "  - ceo > dev\n  - dev > ceo", 'flows[1] is new ("dev > ceo")'),
        ("You build.", "You test.", "agents.dev.instructions: from line 1 on, which is You test."),
    ],
)
def test_each_change_names_its_place_and_both_values(facts, old, new, told):
    text = BEFORE.replace(old, new)
    if "dev > ceo" in new:
        text += "entry: ceo\n"
    assert told in changes(facts(), facts(text))


def test_a_changed_file_of_instructions_is_told_by_its_first_changed_line(facts):
    (told,) = changes(facts(), facts(ceo="Lead.\nListen well.\n"))
    assert told.startswith("agents.ceo.instructions: from line 2 on")


def test_facts_hold_no_secret(facts):
    assert not any("sk-1234567" in value for value in facts().values())


def test_many_changes_are_counted(facts):
    agents = "".join(f"  a{n}: {{instructions: x}}\n" for n in range(30))
    told = changes(facts(), facts(BEFORE.replace("flows:", f"{agents}entry: ceo\nflows:")))
    assert len(told) == MOST_TOLD + 1
    assert told[-1] == f"and {31 - MOST_TOLD} more"
