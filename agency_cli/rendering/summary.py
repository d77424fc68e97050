"""What stands at the end of a run: the final output, and what each model and agent cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from agency_cli.calltree import CallTree, Totals
from agency_cli.rendering.answer import print_answer
from agency_cli.rendering.figures import cost, counted, duration, tokens, whole_cost
from agency_cli.rendering.glyphs import Glyphs, glyphs_for
from agency_cli.rendering.output import print_text
from agency_cli.rendering.printable import one_line
from agency_cli.rendering.watching import can_draw

_TITLES = ("requests", "input", "cached", "output", "cost")
_GAP = "  "
_LONGEST_NAME = 32


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the summary; `style` is how Rich draws it where there are colours."""

    text: str
    style: str = ""


def print_result(
    tree: CallTree,
    *,
    stdout: TextIO,
    stderr: TextIO,
    environ: Mapping[str, str],
    quiet: bool = False,
) -> None:
    """Write the final output, if there is one, and then the summary unless it is `quiet`."""
    output = tree.ended.final_output if tree.ended else None
    apart = stderr.isatty() and not quiet
    if output is not None:
        if apart:
            print_text("", stderr)
            stderr.flush()
        print_answer(output, stdout, environ)
        stdout.flush()
    if quiet:
        return
    lines = list(summary_lines(tree, glyphs_for(stderr.encoding or "utf-8")))
    if apart and lines:
        print_text("", stderr)
    print_lines(lines, stderr, environ)


def summary_lines(tree: CallTree, glyphs: Glyphs) -> Iterator[Line]:
    """Yield what a run used, by model and by agent; in one line where there is one of each."""
    models, agents = tree.by_model(), tree.by_agent()
    if len(models) == len(agents) == 1:
        yield Line(_short(tree, next(iter(models)), glyphs))
    elif models:
        ended = tree.ended
        whole = "total" if ended is not None and ended.status == "ok" else "total so far"
        yield from table_lines(models, agents, glyphs, whole=whole, time=_seconds(tree))
    yield from _missing(tree.totals)
    if tree.started is not None:
        ids = [f"run {tree.started.run_id}"]
        if tree.started.thread_id:
            ids.append(f"thread {tree.started.thread_id}")
        yield Line(glyphs.dot.join(ids), "dim")


def cost_lines(
    models: Mapping[str, Totals], agents: Mapping[str, Totals], glyphs: Glyphs
) -> Iterator[Line]:
    """Yield what several runs used together, by model and by agent."""
    yield from table_lines(models, agents, glyphs, whole="total")
    yield from _missing(sum(models.values(), Totals()))


def table_lines(
    models: Mapping[str, Totals],
    agents: Mapping[str, Totals],
    glyphs: Glyphs,
    *,
    whole: str,
    time: str = "",
) -> Iterator[Line]:
    """Yield a table by model, one by agent, and the total, which is called `whole`."""
    by_model = [_row(name, part, glyphs) for name, part in models.items()]
    by_agent = [_row(name, part, glyphs) for name, part in agents.items()]
    total = _row(whole, sum(models.values(), Totals()), glyphs)
    rows = [("model", *_TITLES), *by_model, ("agent", *_TITLES), *by_agent, total]
    widths = [max(len(row[column]) for row in rows) for column in range(len(total))]
    yield Line(_aligned(("model", *_TITLES), widths), "dim")
    yield from (Line(_aligned(row, widths)) for row in by_model)
    yield Line("")
    yield Line(_aligned(("agent", *_TITLES), widths), "dim")
    yield from (Line(_aligned(row, widths)) for row in by_agent)
    yield Line("")
    yield Line(f"{_aligned(total, widths)}{_GAP}{time}".rstrip(), "bold")


def share_lines(title: str, parts: Mapping[str, Totals], glyphs: Glyphs) -> Iterator[Line]:
    """Yield one table: what each of the parts used, and all of them."""
    rows = [(title, *_TITLES), *(_row(name, part, glyphs) for name, part in parts.items())]
    whole = sum(parts.values(), Totals())
    rows.append(_row("total", whole, glyphs))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row, style in zip(rows, ("dim", *("" for _ in parts), "bold"), strict=True):
        yield Line(_aligned(row, widths), style)
    yield from _missing(whole)


def print_lines(lines: Iterable[Line], stream: TextIO, environ: Mapping[str, str]) -> None:
    """Write lines, with their styles where the stream can show them."""
    if not can_draw(stream, environ):
        for line in lines:
            print_text(line.text, stream)
        return
    from rich.text import Text  # noqa: PLC0415 - only for a terminal, as it takes long

    from agency_cli.rendering.live import terminal  # noqa: PLC0415 - see above

    console = terminal(stream, environ)
    for line in lines:
        console.print(Text(line.text, line.style), soft_wrap=True)


def _short(tree: CallTree, model: str, glyphs: Glyphs) -> str:
    usage = tree.totals.usage
    cached = f" ({tokens(usage.cached_input_tokens)} cached)" if usage.cached_input_tokens else ""
    parts = [
        one_line(model),
        counted(usage.requests, "request"),
        f"{tokens(usage.input_tokens)} tokens in{cached}",
        f"{tokens(usage.output_tokens)} out",
        whole_cost(tree.totals, at_least=glyphs.at_least)
        if usage.total_tokens or tree.totals.cut_off
        else "",
        _seconds(tree),
    ]
    return glyphs.dot.join(part for part in parts if part)


def _missing(totals: Totals) -> Iterator[Line]:
    """Yield what the costs do not tell."""
    if totals.cut_off:
        calls = counted(totals.cut_off, "model call")
        yield Line(f"{calls} ended before telling what was used, which is not counted", "yellow")
    if totals.unpriced_models:
        names = ", ".join(one_line(name) for name in totals.unpriced_models)
        yield Line(f"no price known for: {names}; give it as `price` below `models`", "yellow")


def _row(name: str, part: Totals, glyphs: Glyphs) -> tuple[str, ...]:
    usage = part.usage
    return (
        one_line(name, _LONGEST_NAME),
        f"{usage.requests:,}",
        tokens(usage.input_tokens),
        tokens(usage.cached_input_tokens),
        tokens(usage.output_tokens),
        cost(part, at_least=glyphs.at_least) if usage.total_tokens or part.cut_off else "-",
    )


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    name, *figures = row
    cells = (text.rjust(width) for text, width in zip(figures, widths[1:], strict=True))
    return _GAP.join((name.ljust(widths[0]), *cells))


def _seconds(tree: CallTree) -> str:
    return duration(tree.ended.seconds) if tree.ended is not None else ""
