"""The text picture says what the manifest says, no more and no less, and looks right."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from diagrams import diagram
from hypothesis import given, settings
from hypothesis import strategies as st
from picture_tracer import Picture
from rich.cells import cell_len

from agency_cli.graph import GRAPH_FORMATS, View

AGENTS = ["ceo", "developer", "assistant", "qa", "security", "writer", "ops", "translator"]
LEGEND = ("──▶ message", "╌╌▷ handoff", "─│─ crossing")

TOPOLOGIES = {
    "an agency of three": ["ceo > developer, assistant", "developer > assistant"],
    "a coordinator": ["coordinator > security, style, tests"],
    "there and back": ["a > b", "b > a"],
    "both kinds at once": ["a > b", "a >> b", "b > a", "b >> a"],
    "a cycle": ["a > b > c > a"],
    "two cycles that share an agent": ["a > b > c > a", "a > d > e > a"],
    "a diamond": ["a > b, c > d"],
    "a diamond of four rows": ["a > b, c > d, e > f"],
    "a fan of eight": ["a > b1, b2, b3, b4, b5, b6, b7, b8"],
    "a fan of thirty": ["a > " + ", ".join(f"worker{n:02}" for n in range(30))],
    "eight into one": ["b1, b2, b3, b4, b5, b6, b7, b8 > a"],
    "a chain of twelve": [" > ".join(f"link{n:02}" for n in range(12))],
    "arrows past rows": ["a > b > c > d > e", "a > c, d, e", "b > d, e", "c > e"],
    "and back past rows": ["a > b > c > d", "d > a", "c > a", "d > b"],
    "a shared recipient of unequal senders": ["a > x", "b > x, y", "c > y, z", "r > a, b, c"],
    "triage": ["triage >> billing, tech", "billing, tech >> triage"],
    "a hub": ["ceo > dev, qa, ops", "dev, qa, ops > ceo"],
    "all to all": ["a, b, c, d > w, x, y, z"],
    "everyone with everyone": [f"{a} > {b}" for a in AGENTS[:5] for b in AGENTS[:5] if a != b],
    "a thicket": [f"{a} > {b}" for a in AGENTS for b in AGENTS if a != b],
    "a thicket of both kinds": [
        f"{a} {sign} {b}" for sign in (">", ">>") for a in AGENTS for b in AGENTS if a < b
    ],
    "two parts": ["a > b, c", "d > e > f"],
}

SMALL = """\
agency (entry: ceo)

        ╔═════╗
        ║ ceo ║
        ╚══╤══╝
      ┌────┴───┐
      ▼        │
┌───────────┐  │
│ developer │  │
└─────┬─────┘  │
      └───┬────┘
          ▼
    ┌───────────┐
    │ assistant │
    └───────────┘"""


def drawn(picture, **view):
    return GRAPH_FORMATS["text"](picture, View(**view))


def body(text):
    """Return the picture without heading and legend."""
    blocks = text.split("\n\n")[1:]
    return "\n\n".join(blocks[:-1] if blocks[-1].startswith(LEGEND) else blocks)


def traced(picture, **view):
    """Read the picture of a diagram back; it must say each flow, and each exactly once."""
    text = drawn(picture, **view)
    lines = text.split("\n")
    assert all(cell_len(line) <= view.get("width", 80) for line in lines), text
    assert all(line == line.rstrip() for line in lines)
    seen = Picture(body(text), [box.agent for box in picture.boxes])
    declared = {(arrow.sender, arrow.recipient, arrow.kind) for arrow in picture.arrows}
    assert sorted(seen.flows()) == sorted(declared), text
    entries = {agent for agent, box in seen.boxes.items() if box.entry}
    assert entries == {box.agent for box in picture.entries}
    return seen


def random_diagram(dice):
    agents = AGENTS[: dice.randint(2, 8)]
    likely = dice.choice([0.1, 0.2, 0.35, 0.6])
    flows = [
        f"{sender} {sign} {recipient}"
        for sign, share in ((">", likely), (">>", likely * 0.3))
        for sender in agents
        for recipient in agents
        if sender != recipient and dice.random() < share
    ]
    entries = dice.sample(agents, dice.choice([1, 1, 1, 2]))
    return diagram(*flows, agents=agents, entry=entries)


@pytest.mark.parametrize("width", [20, 40, 80, 132])
@pytest.mark.parametrize("flows", TOPOLOGIES.values(), ids=TOPOLOGIES.keys())
def test_every_flow_can_be_followed_from_its_sender_to_its_recipient(flows, width):
    traced(diagram(*flows), width=width)


@pytest.mark.parametrize("batch", range(10))
def test_random_agencies_are_drawn_as_they_are(batch):
    dice = random.Random(batch)  # noqa: S311 - repeatable, not secret
    for _ in range(30):
        traced(random_diagram(dice), width=dice.choice([40, 80, 80, 120]))


@settings(max_examples=60, deadline=None)
@given(
    pairs=st.lists(
        st.tuples(st.sampled_from(AGENTS), st.sampled_from([">", ">>"]), st.sampled_from(AGENTS)),
        max_size=14,
    ),
    width=st.integers(24, 140),
    tools=st.booleans(),
    models=st.booleans(),
)
def test_any_agency_in_any_width_is_drawn_as_it_is(pairs, width, tools, models):
    flows = [f"{sender} {sign} {to}" for sender, sign, to in pairs if sender != to]
    picture = diagram(*flows, agents=["ceo"])
    boxes = [
        box._replace(tools=("files", "web search", "shell")[:number], model="smart")
        for number, box in enumerate(picture.boxes)
    ]
    traced(picture._replace(boxes=tuple(boxes)), width=width, tools=tools, models=models)


def test_the_picture_is_the_same_every_time():
    program = (
        "from test_graph_text import TOPOLOGIES, diagram, drawn\n"
        "for flows in TOPOLOGIES.values(): print(drawn(diagram(*flows)).encode())"
    )
    pictures = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(pictures) == 1


def test_a_small_agency_looks_like_this():
    assert drawn(diagram("ceo > developer, assistant", "developer > assistant")) == SMALL


def test_entry_agents_stand_at_the_top():
    seen = traced(diagram("helper > ceo > developer", "developer > ceo", entry=["ceo"]))
    assert seen.boxes["ceo"].top == min(box.top for box in seen.boxes.values())


def test_a_parent_stands_over_the_middle_of_its_children():
    seen = traced(diagram("lead > alpha, gamma, omega"))
    parent, left, right = (seen.boxes[agent] for agent in ("lead", "alpha", "omega"))
    assert abs((parent.left + parent.right) - (left.left + right.right)) <= 2


def test_a_row_that_is_too_wide_goes_on_below():
    seen = traced(diagram("a > b1, b2, b3, b4, b5, b6, b7, b8"), width=40)
    assert len({seen.boxes[f"b{n}"].top for n in range(1, 9)}) == 2


def test_lone_agents_and_separate_parts_stand_side_by_side():
    seen = traced(diagram("a > b", "c > d", agents=["a", "b", "c", "d", "lone"]))
    assert {seen.boxes[agent].top for agent in ("a", "c", "lone")} == {0}


def test_an_agency_without_flows_shows_its_agents():
    seen = traced(diagram(agents=["solo", "other"]))
    assert set(seen.boxes) == {"solo", "other"}


def test_a_thicket_becomes_arrows_to_names():
    text = drawn(diagram(*TOPOLOGIES["a thicket"]))
    assert "─▶ translator" in text


@pytest.mark.parametrize(
    "name",
    [
        "总经理",
        "👩‍💻 Developer",
        "Cafe\u0301 ❤️",
        "日本語のとても長い名前のエージェント一号",
        "👍🏽🇩🇪",
    ],
)
def test_names_of_any_script_keep_the_borders_aligned(name):
    text = drawn(diagram("ceo > developer, qa", names={"developer": name}))
    shown = Picture(body(text), ["ceo", text_of(name), "qa"])
    assert len(shown.flows()) == 2


def text_of(name):
    """Return how the tracer sees the box of a developer of this name."""
    return name.replace("e\u0301", "é").replace(" ", "") + "(developer)"


def test_control_characters_of_a_name_do_not_reach_the_terminal():
    text = drawn(diagram("a > b", names={"b": "evil\x1b[31m\nname\u202e\x07"}))
    assert "evil[31m name" in text
    assert not set("\x1b\x07\u202e") & set(text)


def test_a_long_name_takes_several_lines_and_is_cut_in_the_third():
    key = "security_reviewer_for_payment_and_refund_services"
    seen = traced(diagram(f"ceo > {key}"))
    assert seen.boxes[key].bottom - seen.boxes[key].top > 2
    text = drawn(diagram("a > b", names={"b": "word " * 40}))
    assert "…" in text
    assert max(map(len, text.split("\n"))) < 80


def test_tools_and_models_are_shown_on_request_only():
    picture = diagram("ceo > qa")
    boxes = (
        picture.boxes[0]._replace(model="smart", model_id="gpt-5.6", fallbacks=("gpt-5", "home")),
        picture.boxes[1]._replace(tools=("files", "shell")),
    )
    picture = picture._replace(boxes=boxes)
    plain, full = drawn(picture), drawn(picture, tools=True, models=True)
    assert "smart" not in plain
    assert "files" not in plain
    assert "model smart (gpt-5.6)" in full
    assert "else gpt-5, home" in full
    assert "model (default)" in full
    assert "tools files, shell" in full


def test_a_legend_that_is_wider_than_the_picture_has_more_lines():
    flows = ("ceo > assistant", "ceo > qa", "developer > assistant", "developer >> qa")
    lines = drawn(diagram(*flows), width=26).split("\n")
    assert lines[-2:] == ["──▶ message   ╌╌▷ handoff", "─│─ crossing"]


def test_a_legend_is_shown_only_where_it_is_needed():
    assert "message" not in drawn(diagram("a > b"))
    assert drawn(diagram("a > b >> c")).endswith("──▶ message   ╌╌▷ handoff")
    assert drawn(diagram("a >> b")).endswith("╌╌▷ handoff")


def test_without_box_characters_the_picture_is_the_same_in_ascii():
    picture = diagram("ceo > developer, assistant", "developer >> assistant > ceo")
    text, rich = drawn(picture, encoding="ascii"), drawn(picture)
    assert text.isascii()
    assert len(text) == len(rich)
    assert [len(line) for line in text.split("\n")] == [len(line) for line in rich.split("\n")]
    assert "ceo" in text
    assert "?" in drawn(diagram("a > b", names={"b": "总"}), encoding="ascii")
