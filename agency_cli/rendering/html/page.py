"""The page: what the template is given, and the policy that lets it load nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from agency_cli import __version__
from agency_cli.calltree import CallTree, Totals
from agency_cli.events import Event, Notice, RunStatus
from agency_cli.rendering.figures import cost, counted, duration, tokens
from agency_cli.rendering.glyphs import UNICODE
from agency_cli.rendering.html.texts import drawn_markdown, laid_out, printed
from agency_cli.rendering.html.timeline import WorkClock, timeline_of
from agency_cli.rendering.outline import Branch, outline_of

MANY = 150
"""Branches from which on only the upper ones, and those that lead to a failure, stand open."""
UPPER = 1
"""How many levels stand open then, whatever is below."""
WORDS: Mapping[RunStatus, str] = {
    "ok": "done",
    "error": "failed",
    "limit": "stopped by a limit",
    "cancelled": "cancelled",
    "killed": "killed",
    "paused": "paused",
    "running": "running",
}
GLYPHS = {"running": "●", "killed": "⊘"} | {str(k): sign for k, sign in UNICODE.statuses.items()}
TITLES: Mapping[str, tuple[str, str]] = {
    "agent": ("Message", "Answer"),
    "handover": ("Message", "Answer"),
    "message": ("Message", "Answer"),
    "tool": ("Arguments", "Result"),
    "model": ("Input", "Response"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A branch in the tree.

    Attributes:
        branch: The branch.
        place: Its id on the page.
        texts: What it was given and what it gave back, each with its title.
        holds: There are branches below it; a None follows them.
        opened: It stands open at first.
    """

    branch: Branch
    place: str
    texts: tuple[tuple[str, str], ...]
    holds: bool
    opened: bool


@dataclass(frozen=True, slots=True)
class Share:
    """A line of a table: what a model or an agent used, and its part of the whole, in percent."""

    name: str
    totals: Totals
    percent: float


def run_page(events: Sequence[Event]) -> str:
    """Return the page of a run, from all its events.

    It is one document that needs no other, reads well without JavaScript, and in which nothing
    that a model, a tool or a manifest wrote is markup.
    """
    tree = CallTree.of(events)
    assert tree.started is not None
    clock = WorkClock.of(events)
    root = outline_of(tree, clock.last, verbose=True)
    branches = list(root.walk()) if root is not None else []
    places = {branch.id: f"n{number}" for number, branch in enumerate(branches)}
    output = tree.ended.final_output if tree.ended else None
    style, script = _part("page.css"), _part("page.js")
    return _template().render(
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - a file of ours
        script=Markup(script),  # noqa: S704 - a file of ours
        version=__version__,
        started=tree.started,
        ended=tree.ended,
        status=tree.ended.status if tree.ended else "running",
        seconds=tree.ended.seconds if tree.ended else clock.whole,
        totals=tree.totals,
        output=None if output is None else laid_out(output),
        drawn=None if output is None else drawn_markdown(output),
        rows=[] if root is None else list(_rows(root, places, few=len(branches) <= MANY)),
        branches=len(branches),
        timeline=timeline_of(events, tree, root),
        places=places,
        tables=[
            ("Model", _shares(tree.by_model(), tree.totals)),
            ("Agent", _shares(tree.by_agent(), tree.totals)),
        ],
        notices=[
            (duration(clock.seconds(event.at)), event.text)
            for event in events
            if isinstance(event, Notice)
        ],
    )


def _rows(root: Branch, places: Mapping[str, str], *, few: bool) -> Iterator[Row | None]:
    """Yield the branches from top to bottom, and None where the list below one ends."""
    failing = _leading_to_failures(root)
    waiting: list[tuple[Branch, int] | None] = [(root, 0)]
    while waiting:
        found = waiting.pop()
        if found is None:
            yield None
            continue
        branch, depth = found
        holds = branch.kind in {"agent", "handover"}
        opened = holds and (few or depth < UPPER or branch.id in failing)
        yield Row(branch, places[branch.id], _texts(branch), holds, opened)
        if holds:
            waiting.append(None)
            waiting.extend((child, depth + 1) for child in reversed(branch.children))


def _leading_to_failures(root: Branch) -> set[str]:
    found: set[str] = set()
    for branch in reversed(list(root.walk())):
        if branch.error or any(child.id in found for child in branch.children):
            found.add(branch.id)
    return found


def _texts(branch: Branch) -> tuple[tuple[str, str], ...]:
    titles = (*TITLES[branch.kind], "Approval")
    texts = zip(titles, (branch.given, branch.output, branch.approval), strict=True)
    return tuple((title, laid_out(text)) for title, text in texts if text.strip())


def _shares(parts: Mapping[str, Totals], whole: Totals) -> list[Share]:
    """Return each part with its share of the cost, or of the tokens where a price is unknown."""
    by_cost = whole.known_cost_usd
    return [Share(name, part, _percent(part, whole, by_cost)) for name, part in parts.items()]


def _percent(part: Totals, whole: Totals, by_cost: Decimal | None) -> float:
    if by_cost:
        return round(float(100 * part.cost_usd / by_cost), 2)
    of_all = whole.usage.total_tokens
    return round(100 * part.usage.total_tokens / of_all, 2) if of_all else 0.0


def _policy(style: str, script: str) -> str:
    """Return a policy by which nothing but the page's own style and script is used."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("agency_cli.rendering", "html"),
        autoescape=True,
        # Whatever a template writes passes here, so no text can be forgotten.
        finalize=printed,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(cost=cost, counted=counted, duration=duration, tokens=tokens)
    environment.globals.update(words=WORDS, glyphs=GLYPHS)
    return environment.get_template("page.html")
