"""Warnings about what no path of flows leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from agency_cli.checks.subject import Subject
from agency_cli.errors import Problem

# Not behind a letter, a dot or another @: `mail@example.org` mentions nobody.
_MENTION: Final = re.compile(r"(?<![\w.@/-])@([A-Za-z][\w-]*)", re.ASCII)

_MOST_NAMED: Final = 3


def unreachable_agents(subject: Subject) -> Iterator[Problem]:
    """Agents that no path of flows leads to from an entry."""
    manifest = subject.manifest
    entries = dict.fromkeys(manifest.entries)
    # A misspelt name, or no entry at all, is an error of its own; who is reached is not known then.
    if not entries or not {*entries, *manifest.flow_names} <= manifest.agents.keys():
        return
    reached = set()
    for entry in entries:
        if entry not in reached:
            reached.update(manifest.reached_from(entry))
    for key in manifest.agents:
        if key not in reached:
            what = f"no path of flows leads to {key!r} from {_alternatives(entries)}"
            yield Problem(
                code="unreachable-agent",
                message=what,
                path=("agents", key),
                severity="warning",
                at_key=True,
            )


def unreachable_mentions(subject: Subject) -> Iterator[Problem]:
    """Instructions that name an agent, as `@name`, that their agent cannot reach."""
    manifest = subject.manifest
    pairs = {(flow.sender, flow.recipient) for flow in manifest.single_flows}
    for key, text in subject.instructions.items():
        for name in dict.fromkeys(_MENTION.findall(text.text)):
            if name in manifest.agents and name != key and (key, name) not in pairs:
                what = f"@{name} is named, but no flow lets {key!r} reach it; add `{key} > {name}`"
                yield Problem(
                    code="unreachable-mention",
                    message=what,
                    path=text.path,
                    severity="warning",
                    within=f"@{name}",
                    nth=_nth(name, text.text),
                )


def _nth(name: str, text: str) -> int:
    """Say how many times the piece stands in a text before it mentions anybody.

    `me@developer.example` is no mention, but the same piece.
    """
    end = next(found.start() for found in _MENTION.finditer(text) if found[1] == name)
    return len(re.findall(rf"(?<!\$)@{re.escape(name)}(?![\w-])", text[: end + len(name) + 1])) - 1


def _alternatives(entries: Iterable[str]) -> str:
    names = list(entries)
    rest = len(names[_MOST_NAMED:])
    return " or ".join([*names[:_MOST_NAMED], *([f"{rest} more"] if rest else [])])
