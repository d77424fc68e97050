"""What can go wrong, and the exit code each kind of failure ends with.

AgencyError
├── UsageError            2   the command line asks for something that cannot be
├── ManifestError         2   the manifest has problems; carries all of them
├── CredentialsError      6   keys are missing; found before any model call
├── RunFailed             1   the run failed (a tool, a model's behaviour)
│   ├── LimitReached      3   a limit of the run stopped it
│   ├── Paused            4   it waits for a person to agree to what an agent wants to do
│   ├── Refused           5   a guardrail, or the output's schema, refused
│   ├── ProviderFailed    6   the provider refused, could not be reached, or answered nonsense
│   └── ServerUnavailable 6   an MCP server, or a document of tools, that the run needs is not there
└── Interrupted         130   the person pressed Ctrl-C
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from agency_cli.problem_codes import ProblemCode

Severity = Literal["error", "warning"]


class ExitCode(IntEnum):
    """Exit codes of every command, as documented in the README."""

    OK = 0
    FAILED = 1
    USAGE = 2
    LIMIT = 3
    PAUSED = 4
    REFUSED = 5
    PROVIDER = 6
    BUG = 70
    INTERRUPTED = 130
    NOBODY_READS = 141


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One located finding about a manifest.

    Attributes:
        code: Stable name of the rule; empty where only a place is asked for.
        message: What is wrong and, where it can be said, what to do.
        path: Keys and indexes from the top of the document to the place.
        severity: Warnings do not fail a command unless it is strict.
        file: The file as the person named it, or as it was reached from there.
        line: 1-based line of the real source; None where there is no place in the text.
        column: 1-based column, counted in characters.
        at_key: The place is the key at `path`, not its value.
        within: A piece of the value's text at which the place is, such as a name in a flow.
        nth: Which occurrence of that piece, from 0.
        others: Other places that have a part in it, such as the first of two of a name.
    """

    code: ProblemCode | Literal[""]
    message: str
    path: tuple[str | int, ...] = ()
    severity: Severity = "error"
    file: str | None = None
    line: int | None = None
    column: int | None = None
    at_key: bool = False
    within: str = ""
    nth: int = 0
    others: tuple[tuple[str | int, ...], ...] = ()

    @property
    def dotted_path(self) -> str:
        """The path as a person writes it: `flows[2].to`."""
        text = ""
        for part in self.path:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
        return text

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        subject = f"{self.dotted_path}: " if self.path else ""
        prefix = f"{place}: " if place else ""
        return f"{prefix}{self.severity}: {subject}{self.message}  [{self.code}]"


class AgencyError(Exception):
    """A failure that a person can understand; its text is one line for them.

    Attributes:
        exit_code: What the command ends with.
        kind: The failure's name in JSON output.
        ends_run: It ends the whole run, not just the delegation that it happened in.
    """

    exit_code: ExitCode = ExitCode.FAILED
    kind: str = "failed"
    ends_run: bool = False


class UsageError(AgencyError):
    exit_code = ExitCode.USAGE
    kind = "usage"


class ManifestError(AgencyError):
    """A manifest that cannot be used; `problems` holds every finding, warnings included."""

    exit_code = ExitCode.USAGE
    kind = "manifest"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class CredentialsError(AgencyError):
    exit_code = ExitCode.PROVIDER
    kind = "credentials"


class RunFailed(AgencyError):
    """A run that ended without a final output; `agent` is the key of the agent it ended in."""

    kind = "failed"

    def __init__(self, message: str, *, agent: str | None = None) -> None:
        self.agent = agent
        super().__init__(message)


class LimitReached(RunFailed):
    exit_code = ExitCode.LIMIT
    kind = "limit"
    ends_run = True


class Paused(RunFailed):
    """Calls wait for approval, and no branch of the run can go on without it."""

    exit_code = ExitCode.PAUSED
    kind = "paused"
    ends_run = True


class Refused(RunFailed):
    exit_code = ExitCode.REFUSED
    kind = "refused"


class ProviderFailed(RunFailed):
    """No answer came from a provider; `reason` is the message without who failed whom."""

    exit_code = ExitCode.PROVIDER
    kind = "provider"

    def __init__(self, message: str, *, agent: str | None = None, reason: str = "") -> None:
        self.reason = reason or message
        super().__init__(message, agent=agent)


class ServerUnavailable(RunFailed):
    exit_code = ExitCode.PROVIDER
    kind = "server"
    ends_run = True


class Interrupted(RunFailed):
    exit_code = ExitCode.INTERRUPTED
    kind = "interrupted"
    ends_run = True


def one_line(error: BaseException) -> str:
    """Return what an error says, in one line; also where saying it fails."""
    try:
        text = str(error)
    except Exception as failure:  # noqa: BLE001 - foreign code, which may raise anything
        text = f"(its text cannot be had: {type(failure).__name__})"
    return " ".join(text.split())
