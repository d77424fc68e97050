"""What differs between two states of an agency, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from agency_cli.comparing import Comparison, Difference, Permission
from agency_cli.rendering.figures import counted
from agency_cli.rendering.printable import escaped_json, lines_of

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def comparison_text(comparison: Comparison) -> str:
    """Return what is newly permitted, then all that differs, section by section."""
    lines = [f"{comparison.old.shown} → {comparison.new.shown}"]
    if not comparison.differences and not comparison.permitted:
        lines += ["", "nothing differs"]
    if comparison.permitted:
        lines += ["", f"Newly permitted ({len(comparison.permitted)})"]
        lines += [f"  ! {_who(each)}{each.words}  [{each.place}]" for each in comparison.permitted]
    sections = dict.fromkeys(each.section for each in comparison.differences)
    for section in sections:
        lines += ["", section.capitalize()]
        for each in _together(comparison.differences):
            if each.section == section:
                lines += _told(each)
    if comparison.differences:
        lines += ["", _summary(comparison)]
    return "\n".join(line.rstrip() for text in lines for line in lines_of(text))


def comparison_json(comparison: Comparison) -> str:
    """Return one object with the same."""
    document = {
        "old": comparison.old.shown,
        "new": comparison.new.shown,
        "permitted": [each._asdict() for each in comparison.permitted],
        "differences": [
            {**each._asdict(), "details": list(each.details), "diff": list(each.diff)}
            for each in comparison.differences
        ],
    }
    return escaped_json(json.dumps(document, indent=2))


def _who(permission: Permission) -> str:
    return f"{permission.agent} " if permission.agent else ""


def _told(difference: Difference) -> Iterator[str]:
    first = f"  {_SIGNS[difference.change]} {difference.name}"
    details = difference.details
    if len(details) == 1:
        yield f"{first}  {details[0]}"
    else:
        yield first
        yield from (f"      {detail}" for detail in details)
    yield from (f"      {line}" for line in difference.diff)


def _together(differences: Iterable[Difference]) -> Iterator[Difference]:
    """Yield texts that changed in just the same way, such as shared ones, as one difference."""
    alike: dict[object, list[Difference]] = {}
    for number, each in enumerate(differences):
        alike.setdefault((each.section, each.diff) if each.diff else number, []).append(each)
    for group in alike.values():
        yield group[0]._replace(name=", ".join(each.name for each in group))


def _summary(comparison: Comparison) -> str:
    numbers = {
        change: sum(each.change == change for each in comparison.differences) for change in _SIGNS
    }
    told = ", ".join(f"{number} {change}" for change, number in numbers.items() if number)
    wider = counted(len(comparison.permitted), "thing")
    return f"{told}; {wider} newly permitted" if comparison.permitted else told
