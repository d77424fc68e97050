"""Does what the first response would have to wait for, while the network is waited for."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import httpx2
from openai.types.responses import ResponseCompletedEvent

from agency_cli import pricing

SHORTLY = 0.01
"""Seconds after the first request was begun; by then it has been written."""


@dataclass(slots=True)
class WarmUp:
    """Begins once, with the first request; a request hook of the HTTP clients."""

    _begun: bool = False

    async def __call__(self, _request: httpx2.Request) -> None:
        if not self._begun:
            self._begun = True
            timer = threading.Timer(SHORTLY, warm_up)
            timer.daemon = True
            timer.start()


def warm_up() -> None:
    """Load the price list, and let Pydantic build the classes of a response (50 ms each)."""
    pricing.warm_up()
    message = {
        "type": "message",
        "id": "warm",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "", "annotations": []}],
    }
    response = {"id": "warm", "created_at": 0.0, "output": [message]}
    ResponseCompletedEvent.construct(
        type="response.completed", sequence_number=0, response=response
    )
