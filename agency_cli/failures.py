"""What ends an agent's work, told apart from bugs: the SDK's errors to ours."""

from __future__ import annotations

import asyncio

from agents import AgentsException, MaxTurnsExceeded

from agency_cli.errors import AgencyError, Interrupted, LimitReached, RunFailed, one_line


def own_failure(error: BaseException) -> AgencyError | None:
    """Return our error for what ended an agent's work; None for what only a bug can raise.

    The SDK wraps whatever a tool raises, once for each delegation, so what was meant is the
    first error of ours in the chain of causes, or else what stands at its end.
    """
    root: BaseException = error
    seen = {id(root)}
    while not isinstance(root, AgencyError) and root.__cause__ is not None:
        root = root.__cause__
        # Foreign code can make a circle of causes.
        if id(root) in seen:
            break
        seen.add(id(root))
    match root:
        case AgencyError():
            return root
        case asyncio.CancelledError():
            return Interrupted("interrupted")
        case MaxTurnsExceeded():
            return LimitReached(one_line(root) or type(root).__name__)
        case AgentsException():
            return RunFailed(one_line(root) or type(root).__name__)
        case _:
            return None
