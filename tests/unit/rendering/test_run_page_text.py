"""The page of a run as text: its policy fits it, its times are true, every run has one."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import re
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser

import pytest
import replays

from agency_cli.calltree import CallTree
from agency_cli.errors import UsageError
from agency_cli.events import Event, NodeEnded, NodeStarted, RunEnded, RunStarted, TextDelta
from agency_cli.rendering.html import run_page
from agency_cli.rendering.html.texts import LONGEST_TEXT, drawn_markdown, laid_out
from agency_cli.rendering.html.timeline import timeline_of
from agency_cli.rendering.outline import outline_of
from agency_cli.rendering.past import print_page
from agency_cli.store.killed import left_open

VOID = {"meta", "br", "hr"}


def events_of(recording: replays.Recording) -> list[Event]:
    return [event for event in recording.events if not isinstance(event, TextDelta)]


def timeline(events: list[Event]):
    tree = CallTree.of(events)
    return timeline_of(events, tree, outline_of(tree, replays.NOON, verbose=True))


class Balanced(HTMLParser):
    """Fails where an element is closed that is not the last that was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_startendtag(self, *_):
        """Take in an element that closes itself."""

    def handle_starttag(self, tag, *_):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", replays.REPLAYS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_a_run_has_a_sound_page_however_far_it_came(name, share):
    events = events_of(replays.REPLAYS[name]())
    begun = events[: max(1, round(share * len(events)))]
    ended = [*begun, *left_open(begun)] if not isinstance(begun[-1], RunEnded) else begun
    for told in (begun, ended):
        parser = Balanced()
        parser.feed(run_page(told))
        parser.close()
        assert parser.open == []


def test_the_policy_allows_the_style_and_the_script_of_the_page_and_nothing_else():
    page = run_page(events_of(replays.three_levels()))
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert allowed.pop("default-src") == "'none'"
    for tag in ("style", "script"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert allowed.pop(f"{tag}-src") == f"'sha256-{digest}'"
        assert text.isascii(), "so that it stays the same in every encoding"
    assert set(allowed.values()) == {"'none'"}


def test_on_a_stream_of_another_encoding_the_page_says_the_same():
    events = events_of(replays.wide_characters())
    raw = io.BytesIO()
    narrow = io.TextIOWrapper(raw, encoding="ascii")
    print_page(events, "-", narrow)
    narrow.flush()
    assert html.unescape(raw.getvalue().decode("ascii")) == html.unescape(run_page(events)) + "\n"


def test_a_page_that_cannot_be_written_is_a_clear_error(tmp_path):
    with pytest.raises(UsageError, match="cannot write"):
        print_page(events_of(replays.one_agent()), str(tmp_path / "no" / "x.html"), io.StringIO())


def test_bars_stand_where_their_times_are():
    lanes = timeline(events_of(replays.three_levels())).lanes
    assert [(lane.branch.name, lane.depth) for lane in lanes] == [
        ("ceo", 0),
        ("developer", 1),
        ("assistant", 2),
        ("assistant", 1),
    ]
    work = [lane.bars[0] for lane in lanes]
    whole = 9.1
    assert [round(bar.left * whole / 100, 1) for bar in work] == [0, 1.6, 3.0, 1.6]
    assert [round(bar.width * whole / 100, 1) for bar in work] == [9.1, 4.2, 1.6, 4.6]
    kinds = [bar.kind for bar in lanes[1].bars]
    assert kinds == ["work", "model", "tool", "model"]
    assert lanes[1].bars[1].title == "gpt-5-mini: 1.6s to 2.8s, 1.2s"


def test_who_handed_over_is_at_work_until_then():
    lanes = timeline(events_of(replays.handoffs())).lanes
    ends = [lane.bars[0].left + lane.bars[0].width for lane in lanes]
    begins = [lane.bars[0].left for lane in lanes]
    assert ends[:2] == pytest.approx(begins[1:], abs=0.01)
    assert ends[2] == pytest.approx(100)


def test_the_time_before_a_run_was_resumed_is_left_out_of_the_scale():
    begun = [event for event in events_of(replays.three_levels()) if event.at <= replays.at(4.2)]
    killed = [*begun, *left_open(begun)]
    later = timedelta(days=2)
    again = [
        replace(event, at=event.at + later, **({"resumed": True} if number == 0 else {}))
        for number, event in enumerate(events_of(replays.three_levels()))
    ]
    assert isinstance(again[0], RunStarted)
    told = timeline([*killed, *again])
    (pause,) = told.pauses
    assert pause.label == "resumed after 47h 59m"
    assert pause.at == pytest.approx(100 * 4.1 / (4.1 + 9.1), abs=1)
    first, second = (bar for bar in told.lanes[0].bars if bar.kind == "work")
    assert first.left + first.width == pytest.approx(second.left, abs=0.01)
    assert second.left + second.width == pytest.approx(100)


@pytest.mark.parametrize("seconds", [0, 0.0004, 0.03, 1, 59, 61, 3_600, 90_000, 10_000_000])
def test_a_run_of_any_length_has_a_scale(seconds):
    start = events_of(replays.one_agent())[0]
    end = RunEnded(status="ok", at=start.at + timedelta(seconds=seconds), seconds=seconds)
    ticks = timeline([start, end]).ticks
    assert 1 <= len(ticks) <= 8
    assert ticks[0].label == "0"
    assert len({tick.label for tick in ticks}) == len(ticks)
    assert all(0 <= tick.at <= 97 for tick in ticks)


def test_where_there_are_many_nodes_those_that_lead_to_a_failure_stand_open():
    run = replays.long_run(branches=60)
    events = events_of(run)
    tree = CallTree.of(events)
    last = [node for node in tree.nodes.values() if node.kind == "tool"][-1]
    failed = [
        replace(event, status="error", error="broken")
        if isinstance(event, NodeEnded) and event.id == last.id
        else event
        for event in events
    ]
    assert run_page(events).count(" open>\n<summary class=") == 1
    assert run_page(failed).count(" open>\n<summary class=") == 2


def test_as_deep_as_a_run_may_be_imported_it_has_a_page():
    start, *_, end = events_of(replays.one_agent())
    nodes: list[Event] = []
    for depth in range(300):
        kind = "message" if depth % 2 else "agent"
        above = f"n{depth - 1}" if depth else None
        nodes.append(
            NodeStarted(
                id=f"n{depth}", parent_id=above, kind=kind, name="a", agent="a", at=replays.NOON
            )
        )
    assert run_page([start, *nodes, end]).count('class="node k-agent"') == 150


def test_markdown_is_drawn_and_nothing_in_it_is_a_link_an_image_or_markup():
    text = (
        "# Big\n\n<b>no</b> [a](https://x.example) ![b](https://x.example/y.png)"
        " <https://x.example>\n\n[c]: https://x.example\n\n```html\n<script>\n```\n"
    )
    drawn = str(drawn_markdown(text))
    assert "<h3>Big</h3>" in drawn
    assert "&lt;b&gt;no&lt;/b&gt; [a](https://x.example) ![b]" in drawn
    assert not re.search(r"<(a|img|b|script)\b", drawn)
    assert "&lt;script&gt;" in drawn


def test_json_is_laid_out_and_huge_texts_say_what_is_missing():
    assert laid_out('{"a":[1,"é"]}') == '{\n  "a": [\n    1,\n    "é"\n  ]\n}'
    assert laid_out("{not json") == "{not json"
    assert laid_out("[" * 100_000) == "[" * 100_000
    assert drawn_markdown('{"a": 1}') is None
    assert laid_out("x" * (LONGEST_TEXT + 5)).endswith("\n[5 more characters]")
