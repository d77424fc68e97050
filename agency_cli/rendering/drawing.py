"""A call tree in lines of Rich text: the tree on the left, its figures in columns on the right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from agency_cli.events import RunStatus
from agency_cli.rendering.figures import cost, duration, tokens
from agency_cli.rendering.fitting import Row
from agency_cli.rendering.glyphs import Glyphs
from agency_cli.rendering.outline import Branch
from agency_cli.rendering.printable import lines_of, one_line
from agency_cli.rendering.sheets import GAP, Sheet, broken

STATUS_STYLES: dict[RunStatus, str] = {
    "running": "cyan",
    "ok": "green",
    "error": "red",
    "limit": "yellow",
    "cancelled": "yellow",
    "paused": "cyan",
    "killed": "red",
}
_LEAST_TREE = 28
_WIDEST_MODEL = 18


@dataclass(frozen=True, slots=True)
class Column:
    """Figures of one kind, one below the other."""

    title: str
    figure: Callable[[Branch], str]
    width: int
    left: bool = False


def columns_for(branches: Sequence[Branch], sheet: Sheet) -> list[Column]:
    """Return the columns that have room beside the tree; the least needed go first."""
    at_least = sheet.glyphs.at_least
    columns = [
        _column("model", lambda b: b.model or "", branches, left=True),
        _column("turns", lambda b: f"{b.totals.turns:,}" if b.totals.turns else "", branches),
        _column("tokens", _tokens, branches),
        _column("cost", lambda b: _cost(b, at_least), branches, least=7),
        _column("time", lambda b: duration(b.seconds), branches, least=6),
    ]
    while columns and sheet.width - sum(GAP + column.width for column in columns) < _LEAST_TREE:
        columns.pop(0)
    return columns


def title_line(left: Text, columns: Sequence[Column], sheet: Sheet) -> Text:
    """Return the line above the tree: `left`, and the titles of the columns."""
    cells = (sheet.cell(column.title, column.width, left=column.left) for column in columns)
    return sheet.line(left, (" " * GAP).join(cells))


def row_line(
    row: Row,
    columns: Sequence[Column],
    sheet: Sheet,
    *,
    tick: int | None = None,
    error: bool = False,
) -> Text:
    """Return the line of one row.

    Args:
        row: The row.
        columns: What stands at the right.
        sheet: What is drawn on.
        tick: Turns the spinners; None where nothing will turn any more.
        error: Tell a failure in the line itself.
    """
    line = Text().append(row.guide, "dim")
    if row.branch is None:
        return sheet.line(line.append(f"{sheet.glyphs.ellipsis} {row.hidden} more"))
    branch = row.branch
    line.append(f"{_sign(branch, sheet.glyphs, tick)} ", STATUS_STYLES[branch.status])
    line.append_text(_name(branch, sheet))
    if branch.model and all(column.title != "model" for column in columns):
        line.append_text(sheet.text(f" {branch.model}", "dim"))
    if row.hidden:
        line.append(f" +{row.hidden}", "dim")
    line.append_text(_about(branch, sheet, error=error))
    cells = (sheet.cell(item.figure(branch), item.width, left=item.left) for item in columns)
    # What has no figures, as a tool call, may use the room of their columns.
    return sheet.line(line, (" " * GAP).join(cells).lstrip(), "" if branch.totals.turns else "dim")


def streamed_lines(row: Row, sheet: Sheet) -> list[Text]:
    """Return the last lines of what the row's branch is writing."""
    if row.branch is None or not row.text_lines:
        return []
    room = max(sheet.width - cell_len(row.below), 1)
    pieces = [
        piece
        for line in lines_of(row.branch.text)
        if line.strip()
        for piece in broken(one_line(line, len(line)), room)
    ]
    return [
        sheet.line(Text().append(row.below, "dim").append_text(sheet.text(piece, "dim italic")))
        for piece in pieces[-row.text_lines :]
    ]


def error_lines(row: Row, sheet: Sheet) -> Iterator[Text]:
    """Yield the whole error of the row's branch."""
    if row.branch is not None and row.branch.error:
        style = STATUS_STYLES[row.branch.status]
        for line in lines_of(row.branch.error.strip()):
            yield from sheet.wrapped(row.below, line, style)


def whole_texts(row: Row, sheet: Sheet) -> Iterator[Text]:
    """Yield what the row's branch was given and what it gave back, in full."""
    if row.branch is None:
        return
    for mark, text in (("> ", row.branch.given), ("< ", row.branch.output)):
        for line in lines_of(text.strip()) if text.strip() else ():
            yield from sheet.wrapped(row.below + mark, line, "dim")


def _sign(branch: Branch, glyphs: Glyphs, tick: int | None) -> str:
    if branch.status != "running":
        return glyphs.statuses[branch.status]
    return glyphs.ellipsis if tick is None else glyphs.spinner[tick % len(glyphs.spinner)]


def _about(branch: Branch, sheet: Sheet, *, error: bool) -> Text:
    if error and branch.error:
        return sheet.text(f"  {one_line(branch.error)}", STATUS_STYLES[branch.status])
    return sheet.text(f"  {branch.about}" if branch.about else "", "dim")


def _name(branch: Branch, sheet: Sheet) -> Text:
    match branch.kind:
        case "agent":
            return sheet.text(branch.name, "bold")
        case "handover":
            return sheet.text(f"{sheet.glyphs.handover}{branch.name}", "bold")
        case "tool" | "model" | "message":
            return sheet.text(one_line(branch.name))


def _column(
    title: str,
    figure: Callable[[Branch], str],
    branches: Sequence[Branch],
    *,
    least: int = 0,
    left: bool = False,
) -> Column:
    """Return a column as wide as what stands in it, so that it does not jump while it grows."""
    widest = max((cell_len(figure(branch)) for branch in branches), default=0)
    return Column(title, figure, min(max(widest, least, len(title)), _WIDEST_MODEL), left)


def _tokens(branch: Branch) -> str:
    count = branch.totals.usage.total_tokens
    return tokens(count) if count else ""


def _cost(branch: Branch, at_least: str) -> str:
    return cost(branch.totals, at_least=at_least) if branch.totals.usage.total_tokens else ""
