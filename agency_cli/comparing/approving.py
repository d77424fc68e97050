"""Whether one approval asks less than another."""

from __future__ import annotations

from agency_cli.comparing.values import shown
from agency_cli.manifest import Approval

_ORDER = ("deny", "ask", "never")
"""What is allowed without anybody's word, least first."""


def weaker(before: Approval, after: Approval) -> str | None:
    """Return in what way the later approval may let through more; None where it cannot.

    Rules are not weighed one against another: where they differ, they may.
    """
    if before == after or _loosest(after) <= _strictest(before):
        return None
    if isinstance(before, str) and isinstance(after, str):
        return f"{before} → {after}"
    return f"{_told(before)} → {_told(after)}"


def _answers(approval: Approval) -> list[int]:
    if isinstance(approval, str):
        return [_ORDER.index(approval)]
    answers = [_ORDER.index(rule.then) for rule in approval]
    catches_all = any(not rule.when and rule.tool is None for rule in approval)
    return answers if catches_all else [*answers, _ORDER.index("ask")]


def _loosest(approval: Approval) -> int:
    return max(_answers(approval))


def _strictest(approval: Approval) -> int:
    return min(_answers(approval))


def _told(approval: Approval) -> str:
    if isinstance(approval, str):
        return approval
    return shown([rule.model_dump(exclude_unset=True) for rule in approval])
