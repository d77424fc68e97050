"""What the terminal shows of a run: a frame while it goes on, the whole tree at its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from agency_cli.calltree import Totals
from agency_cli.events import STOPPING, RunStatus
from agency_cli.rendering.drawing import (
    STATUS_STYLES,
    columns_for,
    error_lines,
    row_line,
    streamed_lines,
    title_line,
    whole_texts,
)
from agency_cli.rendering.figures import counted, duration, tokens, whole_cost
from agency_cli.rendering.fitting import all_rows, fitted_rows
from agency_cli.rendering.outline import Branch
from agency_cli.rendering.printable import one_line
from agency_cli.rendering.sheets import Sheet

NOTICES_SHOWN = 2
_WHOLE = 2_000
_LEAST_HEIGHT = 5
"""Below this many lines there is room for the tree alone."""

_ENDINGS: dict[RunStatus, str] = {
    "error": "failed",
    "limit": "stopped by a limit",
    "cancelled": "interrupted",
    "paused": "paused",
    "killed": "killed",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """A run at one moment; nothing in it changes while it is drawn.

    Attributes:
        agency: The agency's name; empty before the run has started.
        run_id: The run.
        status: How the run stands.
        root: The branch of the agent that got the message, once there is one.
        totals: What the run used so far.
        notices: What a person should know, oldest first.
    """

    agency: str
    run_id: str
    status: RunStatus
    root: Branch | None
    totals: Totals
    notices: Sequence[str] = ()


def frame_lines(moment: Moment, sheet: Sheet, *, height: int, tick: int) -> list[Text]:
    """Return at most `height` lines (1 at least) of a run that goes on; `tick` turns spinners."""
    notices = [sheet.line(_notice(notice, sheet)) for notice in moment.notices[-NOTICES_SHOWN:]]
    if moment.root is None:
        return [*notices, _starting(sheet, tick)][-height:]
    columns = columns_for(list(moment.root.walk()), sheet)
    roomy = height >= _LEAST_HEIGHT + len(notices)
    tree: list[Text] = []
    for row in fitted_rows(
        moment.root, sheet.glyphs, height - len(notices) - 2 if roomy else height
    ):
        tree.append(row_line(row, columns, sheet, tick=tick, error=True))
        tree += streamed_lines(row, sheet)
    if not roomy:
        return tree
    heading = title_line(_heading(moment, sheet), columns, sheet)
    return [*notices, heading, *tree, _footer(moment, moment.root, sheet)]


def final_lines(moment: Moment, sheet: Sheet, *, verbose: bool = False) -> Iterator[Text]:
    """Yield the lines of a whole run, errors in full; with `verbose`, all texts in full."""
    for notice in moment.notices:
        yield from sheet.wrapped("", f"note: {one_line(notice, _WHOLE)}", "dim")
    if moment.root is None:
        return
    columns = columns_for(list(moment.root.walk()), sheet)
    yield title_line(_heading(moment, sheet), columns, sheet)
    for row in all_rows(moment.root, sheet.glyphs):
        yield row_line(row, columns, sheet)
        yield from error_lines(row, sheet)
        if verbose:
            yield from whole_texts(row, sheet)


def _heading(moment: Moment, sheet: Sheet) -> Text:
    heading = Text().append_text(sheet.text(one_line(moment.agency), "bold"))
    if moment.status not in {"running", "ok"}:
        heading.append(sheet.glyphs.dot, "dim")
        heading.append(_ENDINGS[moment.status], STATUS_STYLES[moment.status])
    heading.append(f"{sheet.glyphs.dot}run {moment.run_id}", "dim")
    return heading


def _starting(sheet: Sheet, tick: int) -> Text:
    sign = sheet.glyphs.spinner[tick % len(sheet.glyphs.spinner)]
    return sheet.line(Text().append(sign, "cyan").append(" starting", "dim"))


def _notice(notice: str, sheet: Sheet) -> Text:
    return sheet.text(f"note: {one_line(notice)}", "dim")


def _footer(moment: Moment, root: Branch, sheet: Sheet) -> Text:
    totals = moment.totals
    busy = sum(1 for branch in root.walk() if branch.running and branch.kind != "model")
    parts = [f"{busy} running"]
    if totals.turns:
        parts.append(counted(totals.turns, "turn"))
    if totals.usage.total_tokens:
        parts.append(f"{tokens(totals.usage.total_tokens)} tokens")
        parts.append(whole_cost(totals, at_least=sheet.glyphs.at_least))
    parts.append(duration(root.seconds))
    way_out = "Ctrl-C again stops at once" if STOPPING in moment.notices else "Ctrl-C stops"
    return sheet.line(Text(sheet.glyphs.dot.join(parts), "dim"), way_out)
