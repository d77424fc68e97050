"""Which watcher is chosen, and the live tree on a terminal."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from threading import Thread

import pytest
from replays import HOSTILE, REPLAYS, failing, hostile, long_run, three_levels
from rich.console import Console, Group
from terminals import AsciiTerminal, Pipe, Terminal, environ, widest

from agency_cli.calltree import CallTree
from agency_cli.rendering.live import LiveWatcher
from agency_cli.rendering.plain import PlainWatcher
from agency_cli.rendering.watching import make_watcher


def watcher_on(stderr, given, *, kind="tree", tree=None, stdout=None, verbose=False):
    return make_watcher(
        kind,
        tree=CallTree() if tree is None else tree,
        stderr=stderr,
        stdout=stdout or Pipe(),
        environ=given,
        verbose=verbose,
    )


def watched(recording, stderr, given, **options):
    with watcher_on(stderr, given, **options) as watcher:
        for event in recording.events:
            watcher.on_event(event)
    return stderr


def final_tree(terminal):
    """Return the lines after the last frame was taken away."""
    return terminal.getvalue().rpartition("\x1b[?25h")[2].splitlines()


@pytest.mark.parametrize(
    ("stream", "given", "chosen"),
    [
        (Terminal, environ(), LiveWatcher),
        (Pipe, environ(), PlainWatcher),
        (Terminal, environ(NO_COLOR="1"), PlainWatcher),
        (Terminal, environ() | {"TERM": "dumb"}, PlainWatcher),
    ],
)
def test_the_tree_is_drawn_where_it_can_be_and_written_elsewhere(stream, given, chosen):
    assert isinstance(watcher_on(stream(), given), chosen)


@pytest.mark.parametrize("kind", ["tree", "quiet", "jsonl"])
def test_every_watcher_folds_the_events_into_the_tree(kind):
    tree = CallTree()
    watched(failing(), Pipe(), {}, kind=kind, tree=tree)
    assert tree == CallTree.of(failing().events)


def test_quiet_writes_nothing():
    stdout = Pipe()
    assert watched(failing(), Pipe(), {}, kind="quiet", stdout=stdout).getvalue() == ""
    assert stdout.getvalue() == ""


def test_jsonl_writes_events_on_stdout_and_nothing_on_stderr():
    stdout = Pipe()
    stderr = watched(three_levels(), Terminal(), environ(), kind="jsonl", stdout=stdout)
    assert stderr.getvalue() == ""
    lines = [json.loads(line) for line in stdout.getvalue().splitlines()]
    assert len(lines) == len(three_levels().events)


@pytest.mark.parametrize("name", sorted(REPLAYS))
def test_the_whole_tree_stays_on_the_terminal(name):
    terminal = watched(REPLAYS[name](), Terminal(), environ())
    signs = {"✓", "✗", "⊘", "■"}
    drawn = [line for line in final_tree(terminal) if signs & set(line)]
    tree = CallTree.of(REPLAYS[name]().events)
    shown = [
        node
        for node in tree.nodes.values()
        if node.kind in {"agent", "tool"} or (node.kind == "model" and node.status == "error")
    ]
    refused = [node for node in tree.nodes.values() if node.kind == "message" and not node.children]
    assert len(drawn) == len(shown) + len(refused)


def test_a_frame_is_drawn_at_once_and_taken_away_at_the_end():
    terminal = Terminal()
    watcher = watcher_on(terminal, environ())
    with watcher:
        for event in three_levels().events[:5]:
            watcher.on_event(event)
    assert "\x1b[?25l" in terminal.getvalue()
    assert terminal.getvalue().count("\x1b[?25h") == 1
    assert "dev_shop" in "".join(final_tree(terminal))


def test_what_a_terminal_shows_holds_no_foreign_escape():
    text = watched(hostile(), Terminal(), environ(width=120), verbose=True).getvalue()
    for escape in ("\x1b[31mred", "\x1b]0;", "\x07", "\x9b", "\x08", "\u202e", "\x1b]8;"):
        assert escape not in text
    assert "[bold red]markup[/] [/nothing] :smile:" in text
    assert "\x1b[31mred" in HOSTILE


def test_an_ascii_terminal_gets_the_tree_without_a_crash():
    terminal = watched(REPLAYS["wide"](), AsciiTerminal(), environ())
    assert any(line.startswith("|- ") for line in terminal.shown.splitlines())


def test_the_window_may_change_at_any_time():
    terminal = Terminal()
    watcher = watcher_on(terminal, {"TERM": "xterm-256color"})
    with watcher:
        for event in long_run().until_events(15.5):
            watcher.on_event(event)
        for width, height in ((120, 40), (30, 6), (1, 1)):
            watcher._console.size = (width, height)
            lines = watcher.frame()
            assert len(lines) <= max(height - 1, 1)
            assert widest(line.plain for line in lines) <= width


def test_events_may_come_while_frames_are_drawn():
    tree = CallTree()
    watcher = watcher_on(Terminal(), environ(), tree=tree)
    recording = long_run(branches=60)
    with watcher:
        feeding = Thread(target=lambda: [watcher.on_event(event) for event in recording.events])
        feeding.start()
        while feeding.is_alive():
            Console(file=io.StringIO(), width=80).print(Group(*watcher.frame()))
        feeding.join()
    assert tree == CallTree.of(recording.events)


def test_rich_is_imported_only_to_draw():
    program = (
        "import sys\n"
        "from agency_cli.calltree import CallTree\n"
        "from agency_cli.rendering.watching import make_watcher\n"
        "from agency_cli.rendering.summary import print_result\n"
        "from agency_cli.rendering.run_json import print_json, run_json\n"
        "for kind in ('tree', 'quiet', 'jsonl'):\n"
        "    make_watcher(kind, tree=CallTree(),\n"
        "                 stderr=sys.stderr, stdout=sys.stdout, environ={})\n"
        "print([name for name in ('rich', 'agents', 'openai') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
