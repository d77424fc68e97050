"""The SVG in a real browser: texts stay in their boxes, lines end at boxes, both themes read."""

from __future__ import annotations

import re

import pytest
from diagrams import diagram

from agency_cli.graph import GRAPH_FORMATS, Box, Diagram, Load, View
from browsing import browsing

SEEN = """() => {
    const box = each => {
        const {x, y, width, height} = each.getBoundingClientRect();
        return {x, y, right: x + width, bottom: y + height};
    };
    const all = query => [...document.querySelectorAll(query)];
    return {
        page: box(document.querySelector('svg')),
        boxes: all('rect.box').map(box),
        texts: all('rect.box').map(rect => [...rect.parentNode.querySelectorAll('text')].filter(
            text => text.textContent !== 'entry').map(box)),
        everything: all('text, rect, path').map(box),
        lines: all('path.flow').map(box),
        ink: getComputedStyle(document.querySelector('text.strong')).fill,
        paper: getComputedStyle(document.querySelector('rect.page')).fill,
    };
}"""
LONG = {"b": "Senior Principal Staff Reviewer Of All WWWWWWWWWWWWWW", "c": "iiiiii lllll"}
TEAMS = {
    "a tree": diagram("a > b, c, d", "b > e, f", "d > g", names=LONG),
    "a circle": diagram("a > b > c > d > a", "a >> d", "c >> a"),
    "back and forth": diagram("a > b, c", "b > a", "c >> a", "b > c", "c > d, e, f"),
    "lone agents": diagram(agents=[f"agent_{number}" for number in range(30)]),
    "everybody to everybody": diagram(
        *(f"{a} > {b}" for a in "abcdefghij" for b in "abcdefghij" if a != b)
    ),
    "a hundred": diagram(
        "root > " + ", ".join(f"lead_{n}" for n in range(9)),
        *(f"lead_{n} > " + ", ".join(f"worker_{n}_{m}" for m in range(10)) for n in range(9)),
    ),
}


@pytest.fixture(scope="module")
def browser():
    with browsing() as browser:
        yield browser


def svg(picture: Diagram, **view: bool) -> str:
    return GRAPH_FORMATS["svg"](picture, View(**view))


def seen(browser, tmp_path, text, scheme="light"):
    path = tmp_path / "picture.svg"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page(color_scheme=scheme)
    page.goto(path.as_uri())
    found = page.evaluate(SEEN)
    page.close()
    return found


def overlap(one, other):
    apart = (
        one["right"] <= other["x"] + 0.5
        or other["right"] <= one["x"] + 0.5
        or one["bottom"] <= other["y"] + 0.5
        or other["bottom"] <= one["y"] + 0.5
    )
    return not apart


def inside(one, other, slack=1.0):
    return (
        one["x"] >= other["x"] - slack
        and one["y"] >= other["y"] - slack
        and one["right"] <= other["right"] + slack
        and one["bottom"] <= other["bottom"] + slack
    )


@pytest.mark.parametrize("team", TEAMS)
def test_everything_has_its_place(browser, tmp_path, team):
    found = seen(browser, tmp_path, svg(TEAMS[team]))
    boxes = found["boxes"]
    assert len(boxes) == len(TEAMS[team].boxes)
    assert not any(overlap(a, b) for n, a in enumerate(boxes) for b in boxes[:n])
    for box, texts in zip(boxes, found["texts"], strict=True):
        assert texts
        assert all(inside(text, box) for text in texts)
    assert not any(overlap(line, box) for line in found["lines"] for box in boxes)
    assert all(inside(each, found["page"]) for each in found["everything"])


def test_tools_models_and_what_a_run_did_stay_in_their_boxes(browser, tmp_path):
    load = Load(12, 3, 9.5, None, "12 turns, 3 failed, ≥ $1,234.56 + unknown")
    box = Box("a", "a", model="provider/some-long-model-name-2026", tools=("x" * 40, "y"))
    picture = diagram("a > b")._replace(boxes=(box._replace(load=load), Box("b", "b", load=load)))
    found = seen(browser, tmp_path, svg(picture, tools=True, models=True))
    for place, texts in zip(found["boxes"], found["texts"], strict=True):
        assert len(texts) > 1
        assert all(inside(text, place) for text in texts)


def test_light_and_dark_pages_each_get_letters_that_can_be_read(browser, tmp_path):
    text = svg(TEAMS["a circle"])
    light, dark = (seen(browser, tmp_path, text, scheme) for scheme in ("light", "dark"))
    for found in (light, dark):
        assert contrast(found["ink"], found["paper"]) >= 7
    assert luminance(light["paper"]) > luminance(dark["paper"])


def test_handoffs_and_contracts_are_told_apart_and_entries_marked():
    base = diagram("a > b, c", "c >> a")
    arrows = tuple(
        arrow._replace(tool_name="send_urgent", params=("priority",))
        if arrow.recipient == "b"
        else arrow
        for arrow in base.arrows
    )
    text = svg(base._replace(arrows=arrows))
    assert re.search(r'class="flow s-handoff dashed"', text)
    assert re.search(r'class="flow s-line"', text)
    assert text.count(">1</text>") == 2, "on the line, and in the table"
    assert ">send_urgent(priority)</text>" in text
    assert text.count(">entry</text>") == 1


def test_where_lines_would_be_a_thicket_each_agent_names_whom_it_reaches():
    text = svg(TEAMS["everybody to everybody"])
    assert 'class="flow' not in text
    assert ">→ b, c, d, e, f, g, h, i, j</text>" in text


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
