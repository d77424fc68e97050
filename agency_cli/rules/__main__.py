"""Writes docs/problems.md from the rules; with `--check`, only says whether it is stale."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agency_cli.rules import SECTIONS, Rule

PAGE: Final = Path(__file__).parents[2] / "docs" / "problems.md"
_HEAD: Final = """\
# Problems

Every problem has a code, which never changes its meaning. `agency validate` prints it at the end of
the line: `file:line:column: error: place: what is wrong  [code]`. Errors keep a manifest from being
run; warnings fail only `agency validate --strict`. How to check manifests in CI stands in
[ci.md](ci.md).

<!-- Written by `python -m agency_cli.rules`; change agency_cli/rules instead. -->
"""


def page_text() -> str:
    """Return the page as it is to stand in the docs."""
    return "\n".join([_HEAD, *(line for part in SECTIONS.items() for line in _part(*part))])


def _part(title: str, rules: tuple[Rule, ...]) -> Iterator[str]:
    yield f"## {title}\n"
    for rule in rules:
        yield f"### {rule.code}\n"
        kind = "" if rule.severity == "error" else "*A warning.* "
        yield f"{kind}{rule.what}\n"
        yield f"- **Why:** {rule.why}"
        yield f"- **Mend it:** {rule.mend}\n"


def _main(arguments: list[str]) -> int | str:
    text = page_text()
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        return f"{PAGE} is stale; run: python -m agency_cli.rules"
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
