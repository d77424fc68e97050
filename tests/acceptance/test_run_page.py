"""The page of a run in a real browser: it loads nothing, runs nothing foreign, and reads well."""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agency_cli.events import Event, Notice, RunError, RunStarted, TextDelta
from agency_cli.rendering.html import run_page
from agency_runs import message
from browsing import Shown, browsing, shown
from command_line import agency
from fake_server import FakeServer, ToolCall

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "rendering"))
import replays

TEAM = """\
version: 1
name: team
models: {home: {model: home-made}}
agents:
  boss: {instructions: You are the boss., model: gpt-5}
  left: {instructions: You are left., model: gpt-5-mini}
  right: {instructions: You are right., model: home}
  deep: {instructions: You are deep., model: gpt-5-mini}
flows: [boss > left, boss > right, right > deep]
"""
ATTACK = (
    "</pre></script><script>window.taken = 1; alert('taken')</script>"
    "<img src=https://example.org/x onerror='window.taken = 1'>"
    "\"><a href='javascript:window.taken=1'>here</a> ![x](https://example.org/y.png)"
    " [z](javascript:alert(1)) <style>body{display:none}</style> \u202egnidaelsim \x1b[31m"
)
SEEN = (
    "</pre></script><script>window.taken = 1; alert('taken')</script><img src=https://example.org"
)


@dataclass(frozen=True)
class Written:
    """A page that the command wrote, and the object that it told of the same run."""

    path: Path
    told: dict[str, Any]


@pytest.fixture(scope="module")
def browser():
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Written:
    """A real run of three levels with parallel branches, whose models try to take the page over."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "agency.yaml").write_text(TEAM)
    with FakeServer() as server:
        when = server.when
        ask = [ToolCall("send_message", message(name, ATTACK)) for name in ("left", "right")]
        when(instructions="the boss", tool_results=0).calls_raw(*ask)
        when(instructions="the boss").says(f"# Done\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\n{ATTACK}")
        when(instructions="are left").after(0.6).says(ATTACK)
        when(instructions="are right", tool_results=0).after(0.3).calls(
            "send_message", **message("deep", "Deeper")
        )
        when(instructions="are right").says(ATTACK)
        when(instructions="are deep").after(0.3).says(ATTACK)
        done = agency("run", "agency.yaml", ATTACK, "--json", folder=folder, environ=server.env)
    told = json.loads(done.out)
    page = folder / "page.html"
    wrote = agency("runs", "show", told["run_id"], "--html", page, folder=folder)
    assert (wrote.code, wrote.out) == (0, ""), wrote.err
    return Written(page, told)


@pytest.fixture
def window(browser, written):
    with shown(browser, written.path) as window:
        yield window
        assert_quiet(window, written.path)


def assert_quiet(window: Shown, path: Path) -> None:
    assert [url.partition("#")[0] for url in window.requests] == [path.as_uri()]
    assert window.complaints == []
    assert window.page.evaluate("typeof window.taken") == "undefined"


def test_what_models_wrote_is_shown_as_text_and_never_runs(window):
    page = window.page
    page.get_by_role("button", name="Open all").click()
    for text in page.locator(".text").all():
        text.evaluate("node => node.open = true")
    shown_texts = page.locator("pre").all_inner_texts()
    assert sum(text.startswith(SEEN) for text in shown_texts) >= 6
    assert "\\u202egnidaelsim \\x1b[31m" in page.locator(".message").inner_text()
    assert page.locator(".answer").inner_text().count("onerror='window.taken = 1'") == 1
    assert page.locator(".answer table td").all_inner_texts() == ["1", "2"]
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, embed, form, link, base").count() == 0
    assert page.locator("a:not([href^='#'])").count() == 0


def test_nodes_open_and_close_by_click_and_by_keyboard(window):
    page = window.page
    node = page.locator("details.node", has=page.locator("> summary .name", has_text="deep"))
    node = node.last
    assert node.get_attribute("open") is not None
    answer = node.locator("> ul .text pre")
    leaf = node.locator("> ul > li > details").first
    assert not answer.is_visible()
    leaf.locator("> summary").click()
    assert answer.is_visible()
    assert answer.inner_text().startswith(SEEN)
    page.keyboard.press("Enter")
    assert not answer.is_visible()
    page.keyboard.press("Space")
    assert answer.is_visible()
    node.locator("> summary").click()
    assert not leaf.is_visible()
    page.get_by_role("button", name="Close all").click()
    assert page.locator("details.node[open]").count() == 0
    page.get_by_role("button", name="Open all").press("Enter")
    assert page.locator("details.node:not([open])").count() == 0


def test_every_control_is_reached_by_the_keyboard_alone(window):
    page = window.page
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.tagName"))
    assert {"A", "BUTTON", "SUMMARY"} <= reached


def test_parallel_branches_overlap_on_the_timeline_and_their_lanes_lead_to_them(window):
    page = window.page
    boxes = {}
    for lane in page.locator(".lane").all():
        bar = lane.locator("rect.k-work").bounding_box()
        assert bar is not None
        boxes[lane.locator("b").inner_text()] = bar
    assert list(boxes) == ["boss", "left", "right", "deep"]
    left, right, deep, boss = (boxes[name] for name in ("left", "right", "deep", "boss"))
    assert left["x"] < right["x"] + right["width"]
    assert right["x"] < left["x"] + left["width"]
    assert right["x"] < deep["x"]
    assert deep["x"] + deep["width"] <= right["x"] + right["width"] + 1
    assert boss["width"] == max(box["width"] for box in boxes.values())
    page.get_by_role("button", name="Close all").click()
    page.locator(".lane", has_text="deep").click()
    assert page.locator("details.node:target > summary .name").inner_text() == "deep"
    assert page.locator("details.node:target > summary").is_visible()


def test_the_tables_add_up_to_what_json_tells(window, written):
    page, told = window.page, written.told
    for kind in ("model", "agent"):
        rows = [
            [data.get_attribute("value") for data in row.locator("data").all()]
            for row in page.locator(f"#by-{kind} tbody tr").all()
        ]
        names = page.locator(f"#by-{kind} tbody th").all_inner_texts()
        assert names == [part[kind] for part in told[f"{kind}s"]]
        for column, key in enumerate(
            ("requests", "input_tokens", "cached_input_tokens", "output_tokens")
        ):
            counts = [int(row[column]) for row in rows]
            assert counts == [part[key] for part in told[f"{kind}s"]]
            assert sum(counts) == told["usage"][key]
            total = page.locator(f"#by-{kind} tfoot data").nth(column)
            assert int(total.inner_text().replace(",", "")) == sum(counts)
        costs = [part["cost_usd"] for part in told[f"{kind}s"]]
        assert [float(row[4]) if row[4] else None for row in rows] == costs
    assert told["cost_usd"] is None
    assert "No price is known for home-made" in page.locator(".unpriced").inner_text()
    rows = page.locator("summary .tokens data")
    whole = int(rows.first.get_attribute("value") or "0")
    assert whole == told["usage"]["total_tokens"]
    calls = page.locator(".k-model > summary .tokens data").all()
    assert sum(int(call.get_attribute("value") or "0") for call in calls) == whole


def test_it_reads_well_without_javascript(browser, written):
    with shown(browser, written.path, java_script_enabled=False) as window:
        page = window.page
        names = page.locator("summary .name").all_inner_texts()
        assert {"boss", "left", "right", "deep"} <= set(names)
        assert all(name.is_visible() for name in page.locator(".k-agent > summary .name").all())
        leaf = page.locator("details.k-model > summary").first
        leaf.click()
        assert page.locator("details.k-model[open]").count() == 1
        assert not page.get_by_role("button").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", ["levels", "failing", "interrupted", "handoffs", "hostile"])
def test_no_width_makes_it_scroll_sideways_and_texts_stand_out(
    browser, tmp_path, name, width, scheme
):
    path = tmp_path / "page.html"
    path.write_text(run_page(journalled(replays.REPLAYS[name]().events)), encoding="utf-8")
    size = {"width": width, "height": 900}
    with shown(browser, path, viewport=size, color_scheme=scheme) as window:
        page = window.page
        page.get_by_role("button", name="Open all").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for place in ("h1", ".pill", ".facts dt", ".about", ".kind", ".who .more", "tfoot td"):
            found = page.locator(place)
            if found.count():
                assert found.first.evaluate(CONTRAST) >= 4.5, place
        assert_quiet(window, path)


def test_a_thousand_nodes_open_at_once(browser, tmp_path):
    path = tmp_path / "page.html"
    events = journalled(replays.long_run(branches=130).events)
    path.write_text(run_page(events), encoding="utf-8")
    with shown(browser, path) as window:
        page = window.page
        assert page.locator("details.node[open]").count() == 1, "the first level is seen at once"
        page.get_by_role("button", name="Open all").click()
        assert page.locator("details.node[open]").count() == page.locator("details.node").count()
        assert page.locator("details.node").last.is_visible()
        assert page.locator("details.node").count() > 900
        assert_quiet(window, path)


def test_on_paper_nothing_stays_closed(browser, written):
    with shown(browser, written.path) as window:
        page = window.page
        closed = page.locator("details:not([open])").count()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("details:not([open])").count() == 0
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("details:not([open])").count() == closed > 0
        assert page.pdf().startswith(b"%PDF")
        assert_quiet(window, written.path)


@pytest.mark.parametrize("name", ["levels", "failing", "handoffs"])
def test_no_field_of_any_event_gets_out_of_its_place(browser, tmp_path, name):
    path = tmp_path / "page.html"
    events = [attacked(event) for event in journalled(replays.REPLAYS[name]().events)]
    path.write_text(run_page(events), encoding="utf-8")
    with shown(browser, path) as window:
        page = window.page
        assert page.locator("body").evaluate("body => getComputedStyle(body).display") == "block"
        assert page.locator("script").count() == page.locator("style").count() == 1
        assert page.locator("img, a:not([href^='#'])").count() == 0
        listening = (
            "nodes => nodes.some(n => [...n.attributes].some(a => /^on|^style$/.test(a.name)))"
        )
        assert not page.locator("*").evaluate_all(listening)
        assert "</script>" in page.title()
        assert_quiet(window, path)


def journalled(events: list[Event]) -> list[Event]:
    return [event for event in events if not isinstance(event, TextDelta)]


def attacked(event: Event) -> Event:
    """Return the event with an attack in each of its texts that are not ids or kinds."""
    names = {"agency", "agent", "message", "name", "model", "detail", "output", "text", "run_id"}
    changes: dict[str, Any] = {
        each.name: ATTACK + str(getattr(event, each.name))
        for each in dataclasses.fields(event)
        if each.name in names | {"error", "thread_id", "final_output", "final_agent"}
        and (isinstance(getattr(event, each.name), str) or isinstance(event, RunStarted | Notice))
    }
    if isinstance(getattr(event, "error", None), RunError):
        changes["error"] = RunError(kind=ATTACK, message=ATTACK, agent=ATTACK)
    return dataclasses.replace(event, **changes)


ATTRIBUTES = "nodes => nodes.flatMap(node => node.getAttributeNames())"
CONTRAST = """node => {
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  let behind = node;
  const empty = () => parts(getComputedStyle(behind).backgroundColor)[3] === 0;
  while (empty()) behind = behind.parentElement;
  const levels = [getComputedStyle(node).color, getComputedStyle(behind).backgroundColor]
    .map(parts).map(light).sort((a, b) => b - a);
  return (levels[0] + 0.05) / (levels[1] + 0.05);
}"""
