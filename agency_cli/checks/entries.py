"""Which agent gets the user's message."""

from __future__ import annotations

from collections.abc import Iterator

from agency_cli.checks.nearest import listed
from agency_cli.checks.subject import Subject
from agency_cli.errors import Problem


def one_entry(subject: Subject) -> Iterator[Problem]:
    """Without `entry`, exactly one agent is reached by no flow."""
    manifest = subject.manifest
    # With a misspelt name in a flow, its agent only seems to be reached by none.
    if manifest.entry is not None or not manifest.flow_names <= manifest.agents.keys():
        return
    entries = manifest.entries
    if not entries:
        what = f"every agent is reached by a flow; say which one begins: `entry: {_first(subject)}`"
        yield Problem(code="no-entry", message=what, path=("agents",), at_key=True)
    elif len(entries) > 1:
        what = (
            f"no flow reaches {listed(entries)}; say which one begins: `entry: {entries[0]}`,"
            f" or list them"
        )
        yield Problem(code="ambiguous-entry", message=what, path=("agents",), at_key=True)


def _first(subject: Subject) -> str:
    return next(iter(subject.manifest.agents))
