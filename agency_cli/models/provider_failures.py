"""The one seam where a provider's failures become ours, with a line that a person can act on."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx2
import openai
from agents import ModelTimeoutError

from agency_cli.errors import ProviderFailed
from agency_cli.models.replies import UnusableReply

FOREIGN_FAILURES = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.StreamError,
    UnusableReply,
    json.JSONDecodeError,
    UnicodeDecodeError,
    ModelTimeoutError,
    TimeoutError,
    ConnectionError,
)
"""Everything that reaching a provider and reading its reply is known to raise."""

TIMEOUTS = (openai.APITimeoutError, TimeoutError, httpx2.TimeoutException, ModelTimeoutError)
BROKEN = (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError)
LONGEST_REASON = 300
ADVICE = {
    401: "check the key",
    403: "the key may not use this",
    404: "check the model's id and the address",
    429: "too many requests or no credit left; try again later",
}


def provider_failure(error: Exception, *, provider: str, agent: str) -> ProviderFailed:
    """Return our error for `error`: provider, reason in one line, and what to do."""
    reason = _reason(error)
    return ProviderFailed(f"{provider}: {reason} (agent {agent})", agent=agent, reason=reason)


def _reason(error: Exception) -> str:
    for cause in _chain(error):
        if isinstance(cause, UnusableReply):
            return str(cause)
        if isinstance(cause, json.JSONDecodeError | UnicodeDecodeError):
            return "the reply is not JSON"
    if isinstance(error, openai.APIStatusError):
        advice = ADVICE.get(error.status_code)
        said = _one_line(error).rstrip(".")
        return f"HTTP {error.status_code}, {said}" + (f"; {advice}" if advice else "")
    return _connection_reason(error) or _one_line(error)


def _connection_reason(error: Exception) -> str | None:
    causes = list(_chain(error))
    if any(isinstance(cause, TIMEOUTS) for cause in causes):
        return "no answer in time"
    if any(isinstance(cause, BROKEN) for cause in causes):
        return "the connection broke before the reply was finished"
    if isinstance(error, openai.APIConnectionError | httpx2.ConnectError):
        return f"could not be reached ({_one_line(causes[-1])})"
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__


def _one_line(error: BaseException) -> str:
    text = _server_message(error) or str(error) or type(error).__name__
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"


def _server_message(error: BaseException) -> str | None:
    body = error.body if isinstance(error, openai.APIError) else None
    if isinstance(body, dict):
        message = body.get("message")
        return message if isinstance(message, str) else None
    return None
