"""What a machine has and lacks, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from agency_cli.doctor import Finding
from agency_cli.rendering.figures import counted
from agency_cli.rendering.printable import one_line

LONGEST_CELL = 300
MOST_NAMED = 3


def findings_text(findings: Sequence[Finding], subject: str) -> str:
    """Return a line a finding, then what to do, then how much is missing of `subject`'s needs."""
    rows = [("STATUS", "KIND", "NAME", "FOUND"), *map(_row, findings)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
    to_do = [each for each in findings if each.advice and each.status == "missing"]
    if to_do:
        lines += ["", "to do:"]
        lines += [f"  {one_line(f'{each.name}: {each.advice}', LONGEST_CELL)}" for each in to_do]
    return "\n".join([*lines, "", f"{one_line(subject)}: {_verdict(findings)}"])


def findings_json(findings: Sequence[Finding], manifest: str | None) -> str:
    """Return one JSON object.

    Its keys: `manifest` as given, or null; `ok`, whether nothing is missing; `missing`, how much
    is; `findings`, objects of `kind`, `name`, `status` (`ok`, `missing` or `note`), `detail`,
    `advice` (empty where there is none) and `needed_by`.
    """
    missing = count_missing(findings)
    document = {
        "manifest": manifest,
        "ok": missing == 0,
        "missing": missing,
        "findings": [
            {
                "kind": each.kind,
                "name": each.name,
                "status": each.status,
                "detail": each.detail,
                "advice": each.advice,
                "needed_by": list(each.needed_by),
            }
            for each in findings
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def count_missing(findings: Sequence[Finding]) -> int:
    """Return how many things are missing."""
    return sum(each.status == "missing" for each in findings)


def _row(finding: Finding) -> tuple[str, str, str, str]:
    found = finding.detail
    if finding.needed_by:
        named, rest = finding.needed_by[:MOST_NAMED], len(finding.needed_by[MOST_NAMED:])
        found += f"; for {', '.join(named)}{f' and {rest} more' if rest else ''}"
    return (
        finding.status,
        finding.kind,
        one_line(finding.name, LONGEST_CELL),
        one_line(found, LONGEST_CELL),
    )


def _verdict(findings: Sequence[Finding]) -> str:
    missing = count_missing(findings)
    if not missing:
        return "nothing is missing"
    return f"{counted(missing, 'thing')} {'is' if missing == 1 else 'are'} missing"
