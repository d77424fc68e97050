"""Tokens: what a request costs when its rule does not say, and the sums over all requests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from fake_server.model_request import ModelRequest
from fake_server.replies import Reply, TokenUsage

CHARACTERS_PER_TOKEN = 4


def usage_of(request: ModelRequest, reply: Reply) -> TokenUsage:
    """Return the usage of a reply, derived from the texts if the rule does not say.

    Equal requests cost the same, different ones rarely do; a later turn reads part of its input
    from the cache.
    """
    if reply.usage is not None:
        return reply.usage
    asked = [[m.text, m.calls] for m in request.messages], request.instructions
    offered = [tool.schema for tool in request.tools]
    input_tokens = _tokens(json.dumps(asked)) + _tokens(json.dumps(offered))
    called = "".join(call.name + call.arguments_text for call in reply.tool_calls)
    return TokenUsage(
        input=input_tokens,
        cached=input_tokens // 2 if request.turn else 0,
        cache_write=0 if request.turn else input_tokens // 4,
        output=_tokens(reply.reasoning + reply.text + reply.refusal + called),
        reasoning=_tokens(reply.reasoning) if reply.reasoning else 0,
    )


def _tokens(text: str) -> int:
    return len(text) // CHARACTERS_PER_TOKEN + 1


@dataclass
class Exchange:
    """One request and what became of it; times are seconds of a monotonic clock.

    `usage` is what the client was told; None where the answer held none. `completed` is false
    where the answer was a fault, or the client went away before it had all.
    """

    request: ModelRequest
    started: float
    ended: float | None = None
    status: int | None = None
    usage: TokenUsage | None = None
    completed: bool = False
    client_left: bool = False


@dataclass
class Counted:
    """Sums of the usage that clients were told."""

    requests: int = 0
    total: TokenUsage = field(default_factory=TokenUsage)
    by_model: dict[str, TokenUsage] = field(default_factory=dict)
    failed: TokenUsage = field(default_factory=TokenUsage)
    """The part of `total` that belongs to answers that were cut or reported as failed."""


def counted(exchanges: Iterable[Exchange]) -> Counted:
    """Sum up what the server told its clients."""
    sums = Counted()
    for exchange in exchanges:
        sums.requests += 1
        if exchange.usage is None:
            continue
        model = exchange.request.model
        sums.total += exchange.usage
        sums.by_model[model] = sums.by_model.get(model, TokenUsage()) + exchange.usage
        if not exchange.completed:
            sums.failed += exchange.usage
    return sums
