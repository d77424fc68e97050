"""Diagrams from manifests, and the formats that programs read: JSON and Mermaid."""

from __future__ import annotations

import html
import json
import re

import pytest
from diagrams import diagram

from agency_cli.graph import GRAPH_FORMATS, Arrow, Box, View, diagram_of
from agency_cli.manifest import Manifest

MANIFEST = {
    "version": 1,
    "name": "desk",
    "models": {
        "smart": {"model": "gpt-5.6", "fallback": ["gpt-5", "home"]},
        "home": {"model": "h"},
    },
    "defaults": {"model": "smart"},
    "tools": {"files": {"builtin": "files", "root": "output"}},
    "agents": {
        "manager": {"name": "The Manager", "description": "Plans.", "instructions": "Plan."},
        "analyst": {"instructions": "Analyse.", "model": "gpt-5-mini", "tools": ["files"]},
        "writer": {"instructions": "Write."},
    },
    "entry": "manager",
    "flows": [
        "manager > analyst, writer",
        {
            "from": "manager",
            "to": ["writer"],
            "tool_name": "send_urgent",
            "extra_params": {"priority": {"type": "string"}},
        },
        {"from": "writer", "to": "manager", "kind": "handoff"},
    ],
}

NAMES = [
    'say "hi"',
    "[square] {curly} (round) |pipe|",
    "<b>bold</b> & co; #1 #quot;",
    "`code` *star* $x$ %% no comment",
    "back\\slash",
    "总经理 👩‍💻",
    "end",
    "subgraph",
    "x" * 60,
]
NODE = re.compile(r'    (a\d+)(?:\(\["(.*)"\]\):::entry|\["(.*)"\])')
EDGE = re.compile(r'    (a\d+) (-->|-\.->)(?:\|"(.*)"\|)? (a\d+)')


def flow(sender, recipient, *, kind="message", tool_name=None, extra_params=()):
    contract = {"tool_name": tool_name, "send_message": None, "extra_params": list(extra_params)}
    return {"from": sender, "to": recipient, "kind": kind, **contract}


def drawn(picture, form, **view):
    return GRAPH_FORMATS[form](picture, View(**view))


def read_mermaid(text):
    """Return labels by id, entry ids, and edges; every line must be one of the known kinds."""
    header, title, ruler, kind, *lines = text.split("\n")
    assert (header, ruler, kind) == ("---", "---", "flowchart TD")
    assert title.startswith('title: "')
    labels, entries, edges = {}, [], []
    for line in lines:
        if node := NODE.fullmatch(line):
            labels[node[1]] = unescaped(node[2] or node[3])
            entries += [node[1]] if node[2] else []
        elif edge := EDGE.fullmatch(line):
            edges.append((edge[1], edge[2], unescaped(edge[3] or ""), edge[4]))
        else:
            assert line == "    classDef entry stroke-width:3px"
    return labels, entries, edges


def unescaped(label):
    """Undo Mermaid's entities; none of what it would read otherwise may be left."""
    bare = re.sub(r"#(\w+);", "", label.replace("<br/>", ""))
    assert not set('"#&<>%`*\\;$') & set(bare), label
    return html.unescape(re.sub(r"#(\d+);", r"&#\1;", re.sub(r"#([a-z]+);", r"&\1;", label)))


def test_a_diagram_shows_what_the_manifest_says():
    shown = diagram_of(Manifest.model_validate(MANIFEST))
    assert shown.boxes == (
        Box(
            agent="manager",
            name="The Manager",
            description="Plans.",
            model="smart",
            model_id="gpt-5.6",
            fallbacks=("gpt-5", "home"),
            entry=True,
        ),
        Box(
            agent="analyst",
            name="analyst",
            model="gpt-5-mini",
            model_id="gpt-5-mini",
            tools=("files",),
        ),
        Box(
            agent="writer",
            name="writer",
            model="smart",
            model_id="gpt-5.6",
            fallbacks=("gpt-5", "home"),
        ),
    )
    assert shown.arrows == (
        Arrow(sender="manager", recipient="analyst"),
        Arrow(sender="manager", recipient="writer"),
        Arrow(sender="manager", recipient="writer", tool_name="send_urgent", params=("priority",)),
        Arrow(sender="writer", recipient="manager", kind="handoff"),
    )


def test_without_an_entry_in_the_manifest_the_agent_that_no_flow_reaches_is_marked():
    agents = {key: {"instructions": "Work."} for key in ("b", "a")}
    document = {"version": 1, "name": "n", "agents": agents, "flows": ["a > b"]}
    shown = diagram_of(Manifest.model_validate(document))
    assert [box.agent for box in shown.entries] == ["a"]


def test_json_holds_every_agent_and_every_flow():
    document = json.loads(drawn(diagram_of(Manifest.model_validate(MANIFEST)), "json"))
    assert document == {
        "name": "desk",
        "entry": ["manager"],
        "agents": [
            {
                "agent": "manager",
                "name": "The Manager",
                "description": "Plans.",
                "model": "smart",
                "fallback": ["gpt-5", "home"],
                "entry": True,
                "tools": [],
            },
            {
                "agent": "analyst",
                "name": "analyst",
                "description": None,
                "model": "gpt-5-mini",
                "fallback": [],
                "entry": False,
                "tools": ["files"],
            },
            {
                "agent": "writer",
                "name": "writer",
                "description": None,
                "model": "smart",
                "fallback": ["gpt-5", "home"],
                "entry": False,
                "tools": [],
            },
        ],
        "flows": [
            flow("manager", "analyst"),
            flow("manager", "writer"),
            flow("manager", "writer", tool_name="send_urgent", extra_params=["priority"]),
            flow("writer", "manager", kind="handoff"),
        ],
    }


def test_json_is_sound_in_an_encoding_without_the_names_characters():
    text = drawn(diagram("a > b", names={"a": "总经理"}), "json", encoding="ascii")
    assert text.isascii()
    assert json.loads(text)["agents"][0]["name"] == "总经理"


def test_mermaid_has_a_node_for_every_agent_and_an_edge_for_every_flow():
    text = drawn(diagram_of(Manifest.model_validate(MANIFEST)), "mermaid", tools=True, models=True)
    assert read_mermaid(text) == (
        {
            "a1": "The Manager<br/>(manager)<br/>model smart (gpt-5.6)<br/>else gpt-5, home",
            "a2": "analyst<br/>model gpt-5-mini<br/>tools files",
            "a3": "writer<br/>model smart (gpt-5.6)<br/>else gpt-5, home",
        },
        ["a1"],
        [
            ("a1", "-->", "", "a2"),
            ("a1", "-->", "", "a3"),
            ("a1", "-->", "send_urgent(priority)", "a3"),
            ("a3", "-.->", "handoff", "a1"),
        ],
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_mermaid_can_show_any_name(name, encoding):
    text = drawn(diagram("a > b", names={"a": name}), "mermaid", encoding=encoding)
    assert read_mermaid(text)[0]["a1"] == f"{name}<br/>(a)"
    text.encode(encoding)


def test_a_name_cannot_break_out_of_its_mermaid_label():
    text = drawn(diagram("a > b", names={"a": 'x"]\n    evil --> a2["'}), "mermaid")
    labels, _, edges = read_mermaid(text)
    assert len(labels) == 2
    assert len(edges) == 1
