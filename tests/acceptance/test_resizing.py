"""The live tree on a real terminal, tmux, whose window changes its size while a run goes on."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time

import pytest

from agency_runs import message
from command_line import LONGEST, command, environment

if shutil.which("tmux") is None and not os.environ.get("AGENCY_REQUIRE_TMUX"):
    pytest.skip("tmux is needed", allow_module_level=True)

WORKERS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
MANIFEST = f"""\
version: 1
name: market
defaults: {{model: gpt-5-mini}}
entry: boss
agents:
  boss: {{instructions: You are the boss.}}
{"".join(f"  {name}: {{instructions: You are a worker.}}{chr(10)}" for name in WORKERS)}
flows:
  - boss > {", ".join(WORKERS)}
"""


class Window:
    """A window of tmux, with a shell in it."""

    def __init__(self, folder, environ, width, height):
        self._socket = folder / "tmux"
        self._environ = environ
        line = ("new-session", "-d", "-c", folder, "-x", str(width), "-y", str(height), "sh")
        self.tmux("-f", os.devnull, *line)

    def tmux(self, *arguments):
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments],
            env=self._environ,
            capture_output=True,
            timeout=LONGEST,
            check=True,
        )
        return done.stdout.decode()

    def type(self, text):
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def lines(self, *, with_history=False):
        """Return what stands in the window, without what is blank."""
        options = ("-S", "-") if with_history else ()
        return [line for line in self.tmux("capture-pane", "-p", *options).splitlines() if line]

    def comes_to(self, happened):
        """Wait until what stands in the window is right; return it."""
        deadline = time.monotonic() + LONGEST
        while not happened(lines := self.lines()):
            assert time.monotonic() < deadline, "\n".join(lines)
            time.sleep(0.05)
        return lines


@pytest.fixture
def window(tmp_path, fake_server):
    (tmp_path / "agency.yaml").write_text(MANIFEST)
    asked = fake_server.when(instructions="the boss", turn=0)
    for name in WORKERS:
        asked.calls("send_message", **message(name, "A long piece of work, please. " * 4))
    fake_server.when(instructions="a worker").says("Too late.").after(9 * LONGEST)
    environ = {**environment(tmp_path, fake_server.env), "TERM": "xterm-256color", "PS1": "$ "}
    for name in ("COLUMNS", "LINES", "NO_COLOR", "TMUX", "ENV"):
        environ.pop(name, None)
    opened = Window(tmp_path, environ, 100, 30)
    try:
        opened.type("clear; echo first; echo last")
        opened.comes_to(lambda lines: lines[:2] == ["first", "last"])
        opened.type(f"clear; echo before; {shlex.join(command('run', 'agency.yaml', 'go'))}")
        opened.comes_to(lambda lines: whole_frame(lines, 100, 30))
        yield opened
    finally:
        opened.tmux("kill-server")


def headings(lines):
    return [line for line in lines if line.startswith("market")]


def whole_frame(lines, width, height):
    """Tell whether a frame of this size, and nothing of any other, stands in the window."""
    tree = [line for line in lines if line != "before"]
    if height < 6:
        # There is room for the tree alone.
        return len(tree) == height - 1 and "boss" in tree[0]
    return (
        len(headings(lines)) == 1
        and tree[0].startswith("market")
        and len(tree) == min(height - 1, len(WORKERS) + 3)
        and tree[-1].endswith("Ctrl-C stops")
        and len(tree[-1]) == width
    )


SIZES = {
    "narrower": [(50, 30), (100, 30)],
    "narrower, step by step": [(90, 30), (71, 30), (60, 30), (34, 30)],
    "lower": [(100, 8), (100, 30)],
    "lower than the tree": [(100, 4), (100, 30)],
    "both": [(45, 7), (100, 30), (40, 12), (120, 40)],
    "wider and higher": [(118, 45), (100, 30)],
}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_a_window_of_any_size_shows_the_tree_once_and_nothing_of_earlier_sizes(window, sizes):
    for width, height in sizes:
        window.resize(width, height)
        window.comes_to(lambda lines, size=(width, height): whole_frame(lines, *size))


def test_what_stood_above_the_tree_stays_and_the_whole_tree_comes_after_it(window):
    for size in [(52, 30), (100, 12), (100, 30)]:
        window.resize(*size)
        window.comes_to(lambda lines, size=size: whole_frame(lines, *size))
    window.tmux("send-keys", "C-c")
    window.comes_to(lambda lines: any("Ctrl-C again stops at once" in line for line in lines))
    window.tmux("send-keys", "C-c")
    window.comes_to(lambda lines: any(line.startswith("to go on") for line in lines))
    lines = window.lines(with_history=True)
    assert lines.count("before") == 1
    # What the terminal moved out of sight itself, nobody can take away; the run is whole below it.
    assert len([line for line in headings(lines) if "interrupted" in line]) == 1
    assert len([line for line in lines if "⊘" in line]) == 1 + len(WORKERS)
    assert not [line for line in lines if "Ctrl-C stops" in line]
    assert not headings(window.lines())[1:]


def test_frames_leave_nothing_in_the_history_of_the_window(window):
    before = len(window.lines(with_history=True))
    window.resize(100, 9)
    window.comes_to(lambda lines: whole_frame(lines, 100, 9))
    time.sleep(1)  # some eight frames, each from the first row on
    # What was out of sight when the window became lower is there, once.
    assert len(window.lines(with_history=True)) <= before + 9
