"""What is done when a model call fails: wait and try again, go on with another model, or give up.

It is the SDK's runner that tries again; what stands here is its policy.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from inspect import isawaitable

from agents import (
    ModelRetrySettings,
    RetryDecision,
    RetryPolicy,
    RetryPolicyContext,
    retry_policies,
)

from agency_cli.errors import ProviderFailed
from agency_cli.manifest import Retry
from agency_cli.models.watched import WatchedModel
from agency_cli.run_context import Attempts, RunContext, current_frame

RETRIES = 4
LONGEST_WAIT = 60.0
"""Seconds; a server that asks for a longer pause is not waited for."""
REST = 60.0
"""Seconds for which a model that failed for good is tried after all others, by a whole run."""
PASSING = (408, 409, 425, 429, 500, 502, 503, 504, 529)
"""HTTP statuses of failures that may go away by themselves."""
OF_THE_REQUEST = (400, 413, 422)
"""HTTP statuses that tell of what was asked; the next question may well be answered."""


def persevering(models: Sequence[WatchedModel]) -> ModelRetrySettings:
    """Return how the runner goes on when a call of an agent with these models fails."""
    # A function, as the SDK copies the settings deeply, and would copy the models with an object.
    return ModelRetrySettings(
        max_retries=sum(model.retry.max_retries for model in models) + len(models) - 1,
        policy=_policy(tuple(models)),
    )


def _policy(models: tuple[WatchedModel, ...]) -> RetryPolicy:
    async def policy(context: RetryPolicyContext) -> RetryDecision:
        # A limit, an answer that cannot be worked with, a bug: no other model would help.
        if not isinstance(context.error, ProviderFailed):
            return RetryDecision(retry=False)
        frame = current_frame.get()
        attempts = frame.attempts[models[0].agent]
        failed = models[attempts.order[attempts.at]]
        if attempts.retries < failed.retry.max_retries:
            decision = await _passing_failure(context)
            if decision.retry:
                attempts.retries += 1
                return RetryDecision(retry=True, delay=_delay(decision, context, failed, attempts))
        _let_rest(frame.run, failed, context)
        return RetryDecision(retry=_go_on(frame.run, models, attempts, context.error), delay=0.0)

    return policy


async def _passing_failure(context: RetryPolicyContext) -> RetryDecision:
    if (context.normalized.retry_after or 0) > LONGEST_WAIT:
        return RetryDecision(retry=False)
    decision = _suggested(context)
    decision = await decision if isawaitable(decision) else decision
    return decision if isinstance(decision, RetryDecision) else RetryDecision(retry=decision)


_suggested = retry_policies.any(
    retry_policies.provider_suggested(),
    retry_policies.network_error(),
    retry_policies.http_status(PASSING),
)


def _delay(
    decision: RetryDecision, context: RetryPolicyContext, failed: WatchedModel, attempts: Attempts
) -> float:
    """Return the seconds to wait: what the server asks for, else longer with every time."""
    for asked in (decision.delay, context.normalized.retry_after):
        if asked is not None:
            return asked
    return backoff(failed.retry, attempts.retries)


def backoff(retry: Retry, times: int) -> float:
    """Return the seconds to wait before a call is tried again for the first, second ... time."""
    given = retry.backoff.model_dump(exclude_none=True) if retry.backoff else {}
    longest = given.get("max_delay", 8.0)
    wait = given.get("initial_delay", 0.5) * given.get("multiplier", 2.0) ** (times - 1)
    if given.get("jitter", True):
        wait *= random.uniform(0.875, 1.125)  # noqa: S311 - no secret
    return float(min(wait, longest))


def _let_rest(run: RunContext, failed: WatchedModel, context: RetryPolicyContext) -> None:
    found = context.normalized
    is_down = found.is_network_error or found.is_timeout or found.status_code is not None
    if is_down and found.status_code not in OF_THE_REQUEST:
        run.resting[failed.label] = time.monotonic()


def _go_on(
    run: RunContext, models: Sequence[WatchedModel], attempts: Attempts, failure: ProviderFailed
) -> bool:
    """Let the next model be tried, and say so; tell whether there is one."""
    if attempts.at + 1 == len(attempts.order):
        return False
    failed = models[attempts.order[attempts.at]]
    attempts.at, attempts.retries = attempts.at + 1, 0
    attempts.failures.append(f"{failed.label} ({failure.reason})")
    following = models[attempts.order[attempts.at]]
    run.notify(
        f"{failed.label} failed ({failure.reason}); {failed.agent} goes on with {following.label}"
    )
    return True
