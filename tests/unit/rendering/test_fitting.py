"""What is drawn where there is not room for all."""

from __future__ import annotations

import pytest
from replays import REPLAYS, at, long_run

from agency_cli.rendering.fitting import all_rows, fitted_rows
from agency_cli.rendering.glyphs import UNICODE
from agency_cli.rendering.outline import outline_of

SECONDS = [0.5, 2.2, 3.0, 8.0, 15.5]


def outline(recording, second):
    return outline_of(recording.until(second), at(second))


@pytest.mark.parametrize("name", sorted(REPLAYS))
@pytest.mark.parametrize("second", SECONDS)
def test_every_branch_is_drawn_or_counted_as_left_out(name, second):
    root = outline(REPLAYS[name](), second)
    for height in range(1, 70):
        rows = fitted_rows(root, UNICODE, height)
        assert sum(1 + row.text_lines for row in rows) <= height
        drawn = sum(row.branch is not None for row in rows)
        assert drawn + sum(row.hidden for row in rows) == sum(1 for _ in root.walk())


def test_all_rows_are_drawn_where_they_fit_and_streamed_text_with_them():
    root = outline(long_run(), 15.5)
    rows = fitted_rows(root, UNICODE, 100)
    assert [row.branch for row in rows] == [row.branch for row in all_rows(root, UNICODE)]
    assert sum(row.text_lines for row in rows) == 9


def test_what_runs_stays_as_long_as_anything_finished_is_left():
    root = outline(long_run(), 15.5)
    running = {branch.name for branch in root.walk() if branch.running}
    for height in range(8, 60):
        shown = {row.branch.name for row in fitted_rows(root, UNICODE, height) if row.branch}
        assert running <= shown


def test_the_newest_of_the_finished_branches_stay_longest():
    root = outline(long_run(), 15.5)
    rows = fitted_rows(root, UNICODE, 12)
    kept = [row.branch.about for row in rows if row.branch and row.branch.name == "developer"]
    assert kept == [f"Build part {number} of 12" for number in range(13 - len(kept), 13)]
    assert 0 < len(kept) < 12


def test_one_line_is_the_root():
    rows = fitted_rows(outline(long_run(), 15.5), UNICODE, 1)
    assert [row.branch.name for row in rows] == ["ceo"]
