"""A model around a provider's model: each call is counted, told of, priced, and fails as ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any

from agents import Model, ModelRetryAdvice, ModelRetryAdviceRequest
from agents.items import ModelResponse, TResponseStreamEvent
from agents.usage import Usage as SdkUsage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFailedEvent,
    ResponseIncompleteEvent,
    ResponseRefusalDeltaEvent,
    ResponseTextDeltaEvent,
    ResponseUsage,
)

from agency_cli.events import Usage
from agency_cli.models.provider_failures import is_provider_failure, provider_failure
from agency_cli.pricing import Pricing
from agency_cli.run_context import OpenNode, current_frame, open_node


@dataclass(slots=True)
class WatchedModel(Model):
    """Calls `inner` for the agent `agent`.

    Every attempt passes here, so retries by the runner are nodes of their own. `provider` names
    who is called in messages, `label` names the model in trees and costs.
    """

    inner: Model
    agent: str
    label: str
    provider: str
    pricing: Pricing

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        return self.inner.get_retry_advice(request)

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        with self._call() as node:
            response = await self.inner.get_response(*args, **kwargs)
            self._count(node, _usage_of(response.usage))
            node.output = _text_of(response.output)
            return response

    async def stream_response(
        self, *args: Any, **kwargs: Any
    ) -> AsyncIterator[TResponseStreamEvent]:
        with self._call() as node:
            async with aclosing(self.inner.stream_response(*args, **kwargs)) as events:  # type: ignore[type-var]  # SDK models are async generators
                async for event in events:
                    self._observe(node, event)
                    yield event

    @contextmanager
    def _call(self) -> Iterator[OpenNode]:
        frame = current_frame.get()
        run = frame.run
        run.ledger.begin_turn(self.agent)
        with open_node(
            run,
            f"{frame.path}/model",
            frame.node_id,
            "model",
            self.label,
            agent=self.agent,
            model=self.label,
        ) as node:
            node.usage = Usage(requests=1)
            try:
                yield node
            except Exception as error:
                if not is_provider_failure(error):
                    raise
                raise provider_failure(error, provider=self.provider, agent=self.agent) from error

    def _observe(self, node: OpenNode, event: TResponseStreamEvent) -> None:
        match event:
            case ResponseTextDeltaEvent() | ResponseRefusalDeltaEvent():
                node.add_text(event.delta)
            case ResponseCompletedEvent() | ResponseIncompleteEvent() | ResponseFailedEvent():
                response: Response = event.response
                node.output = _text_of(response.output)
                if response.usage is not None:
                    self._count(node, _usage_of(response.usage))
            case _:
                pass

    def _count(self, node: OpenNode, usage: Usage) -> None:
        node.usage = usage
        node.cost_usd = self.pricing(usage) if usage.total_tokens else None


def _usage_of(usage: ResponseUsage | SdkUsage) -> Usage:
    details = usage.input_tokens_details
    return Usage(
        requests=1,
        input_tokens=usage.input_tokens,
        # Compatible servers leave out what they do not count.
        cached_input_tokens=details.cached_tokens or 0,
        cache_write_tokens=details.cache_write_tokens or 0,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.output_tokens_details.reasoning_tokens or 0,
    )


def _text_of(output: list[Any]) -> str:
    return "".join(
        part.text if part.type == "output_text" else part.refusal
        for item in output
        if item.type == "message"
        for part in item.content
    )
