"""What ends an agent's work, told apart from bugs: the SDK's errors to ours."""

from __future__ import annotations

import asyncio

from agents import AgentsException, MaxTurnsExceeded

from agency_cli.errors import AgencyError, Interrupted, LimitReached, RunFailed


def own_failure(error: BaseException) -> AgencyError | None:
    """Return our error for what ended an agent's work; None for what only a bug can raise.

    The SDK wraps whatever a tool raises, once for each delegation, so what was meant is the
    first error of ours in the chain of causes, or else what stands at its end.
    """
    root: BaseException = error
    while not isinstance(root, AgencyError) and root.__cause__ is not None:
        root = root.__cause__
    match root:
        case AgencyError():
            return root
        case asyncio.CancelledError():
            return Interrupted("interrupted")
        case MaxTurnsExceeded():
            return LimitReached(_one_line(root))
        case AgentsException():
            return RunFailed(_one_line(root))
        case _:
            return None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
