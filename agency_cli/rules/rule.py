"""What a person should know of one rule."""

from __future__ import annotations

from typing import NamedTuple

from agency_cli.errors import Severity
from agency_cli.problem_codes import ProblemCode


class Rule(NamedTuple):
    """One rule, each text of which is a sentence or two in Markdown.

    Attributes:
        code: That of the problems which it finds.
        what: When it finds one.
        why: What would go wrong otherwise.
        mend: What to do.
        severity: That of its problems.
    """

    code: ProblemCode
    what: str
    why: str
    mend: str
    severity: Severity = "error"
