"""Names of servers' tools: as the SDK gives them, sound everywhere, and never two the same."""

from __future__ import annotations

import re

from agents.mcp import MCPServerStdio, MCPUtil
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import Tool

from agency_cli.tools.mcp.naming import Choice, public_name

KEYS = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,63}", fullmatch=True)


def test_a_usual_name_is_the_one_that_the_sdk_gives():
    client = MCPServerStdio({"command": "x"}, name="git-hub")
    tool = Tool(name="search_code", input_schema={"type": "object"})
    names = MCPUtil._build_prefixed_tool_name_overrides([(0, client, [tool])], reserved_names=set())
    assert list(names.values()) == [public_name("git-hub", "search_code")]
    assert public_name("git-hub", "search_code") == "mcp_git-hub__search_code"


@given(st.lists(st.tuples(KEYS, st.text(min_size=1, max_size=90)), unique=True, max_size=20))
def test_names_are_sound_and_no_two_tools_have_the_same(pairs):
    names = [public_name(server, tool) for server, tool in pairs]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert len(set(names)) == len(names)


@given(
    st.sampled_from(["a", "a_", "a__b", "a.b", "a_b"]), st.sampled_from(["b", "_b", "b__c", "c"])
)
def test_a_name_does_not_depend_on_where_its_parts_meet(server, tool):
    others = {
        public_name(other, each)
        for other in ("a", "a_", "a__b", "a.b", "a_b")
        for each in ("b", "_b", "b__c", "c")
        if (other, each) != (server, tool)
    }
    assert public_name(server, tool) not in others


def test_deny_is_stronger_than_allow():
    choice = Choice(["read_*"], ["read_secret*"])
    taken = [name for name in ("read_a", "read_secret", "write") if choice.takes(name)]
    assert taken == ["read_a"]
