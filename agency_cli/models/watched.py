"""A model around a provider's model: each call is counted, told of, priced, and fails as ours."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from decimal import Decimal
from typing import Any, cast

from agents import Model, ModelRetryAdvice, ModelRetryAdviceRequest
from agents.items import ModelResponse, TResponseStreamEvent
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseErrorEvent,
    ResponseFailedEvent,
    ResponseIncompleteEvent,
    ResponseRefusalDeltaEvent,
    ResponseTextDeltaEvent,
)

from agency_cli.errors import LimitReached, ProviderFailed
from agency_cli.events import Usage
from agency_cli.limits import GUESSED_OUTPUT, Call, Limit
from agency_cli.models.provider_failures import FOREIGN_FAILURES, provider_failure
from agency_cli.models.recorded import ReplyReader, as_event, as_response
from agency_cli.models.replies import UnusableReply
from agency_cli.models.responses import (
    UniqueCallIds,
    cut_short,
    note_unknown_tools,
    require_readable,
    text_of,
    usage_of,
)
from agency_cli.pricing import Pricing
from agency_cli.run_context import Frame, OpenNode, RunContext, current_frame, may_begin, open_node


class WatchedModel(Model):
    """Calls a provider's model for one agent.

    Every attempt passes here, so retries by the runner are nodes of their own. It is no dataclass
    because the SDK copies those deeply, clients and locks included, to tell agents apart.
    """

    def __init__(
        self,
        inner: Model,
        *,
        agent: str,
        label: str,
        provider: str,
        pricing: Pricing,
        max_turns: int | None = None,
        limit: Limit | None = None,
    ) -> None:
        """Wrap `inner`.

        Args:
            inner: The provider's model.
            agent: Key of the agent whose model it is.
            label: The model's name in trees and costs.
            provider: Who is called, in messages.
            pricing: What a call costs.
            max_turns: The most calls that the agent may make for one input.
            limit: That limit as messages name it.
        """
        self.inner = inner
        self.agent = agent
        self.label = label
        self.provider = provider
        self.pricing = pricing
        self.max_turns = max_turns
        self.limit = limit

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        return self.inner.get_retry_advice(request)

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        reply = ReplyReader()
        async for event in self.stream_response(*args, **kwargs):
            reply.add(event)
        return as_response(reply.record())

    async def stream_response(
        self, *args: Any, **kwargs: Any
    ) -> AsyncGenerator[TResponseStreamEvent]:
        frame = current_frame.get()
        key = (frame.path, self.agent, frame.turns.get(self.agent, 0))
        recorded = frame.run.past.responses.get(key)
        if recorded is not None:
            yield self._recalled(frame, args, recorded)
            return
        await may_begin(frame)
        reply = ReplyReader()
        async with self._call(args) as (node, call):
            stream = cast(
                "AsyncGenerator[TResponseStreamEvent]", self.inner.stream_response(*args, **kwargs)
            )
            frame.cut_short = ""
            ids = UniqueCallIds(args[1])
            async with aclosing(stream) as events:
                async for event in events:
                    ids.apply(event)
                    self._observe(node, call, event)
                    if isinstance(event, ResponseCompletedEvent):
                        note_unknown_tools(frame, self.agent, event.response, _offered(args))
                    reply.add(event)
                    yield event
            if not call.answered:
                raise UnusableReply("the reply was empty")
            # The SDK reads a stream to its end, to here, before it does what the response asks.
            path, agent, ordinal = key
            record = {"path": path, "agent": agent, "ordinal": ordinal, "response": reply.record()}
            frame.run.keep(node.id, record)

    def _recalled(
        self, frame: Frame, args: tuple[Any, ...], recorded: Mapping[str, Any]
    ) -> ResponseCompletedEvent:
        self._count_turn(frame)
        frame.last_speaker = self.agent
        event = as_event(recorded, self.label)
        note_unknown_tools(frame, self.agent, event.response, _offered(args), again=True)
        return event

    @asynccontextmanager
    async def _call(self, args: tuple[Any, ...]) -> AsyncIterator[tuple[OpenNode, Call]]:
        frame = current_frame.get()
        with self._own_turn(frame):
            async with frame.run.ledger.call(self.agent, _likely(args), self.pricing) as call:
                with self._node(frame) as node, self._our_failures():
                    yield node, call

    @contextmanager
    def _node(self, frame: Frame) -> Iterator[OpenNode]:
        node_id = frame.run.unique_id(f"{frame.path}/model")
        with open_node(
            frame.run,
            node_id,
            frame.node_id,
            "model",
            self.label,
            agent=self.agent,
            model=self.label,
        ) as node:
            node.usage = Usage(requests=1)
            yield node

    @contextmanager
    def _our_failures(self) -> Iterator[None]:
        try:
            yield
        except FOREIGN_FAILURES as error:
            raise provider_failure(error, provider=self.provider, agent=self.agent) from error

    @contextmanager
    def _own_turn(self, frame: Frame) -> Iterator[None]:
        made = frame.turns.get(self.agent, 0)
        if self.max_turns is not None and made >= self.max_turns:
            assert self.limit is not None
            reached = LimitReached(
                f"limit reached: {self.agent} has made {made} model calls for one input"
                f" ({self.limit}); the run has spent {frame.run.ledger.spent()};"
                f" {self.limit.advice}",
                agent=self.agent,
            )
            # One agent's own limit is told to whoever asked it.
            reached.ends_run = False
            raise reached
        self._count_turn(frame)
        try:
            yield
        except ProviderFailed:
            # An attempt that failed is no turn; the runner may try again.
            frame.turns[self.agent] -= 1
            raise

    def _count_turn(self, frame: Frame) -> None:
        frame.turns[self.agent] = frame.turns.get(self.agent, 0) + 1

    def _observe(self, node: OpenNode, call: Call, event: TResponseStreamEvent) -> None:
        match event:
            case ResponseTextDeltaEvent() | ResponseRefusalDeltaEvent():
                node.add_text(event.delta)
            case ResponseErrorEvent(message=reason):
                raise UnusableReply(f"the provider reports an error: {reason}")
            case ResponseCompletedEvent() | ResponseIncompleteEvent() | ResponseFailedEvent():
                response: Response = event.response
                node.output = text_of(response.output)
                if response.usage is not None:
                    self._count(node, call, usage_of(response.usage))
                require_readable(self.agent, response)
                # Nothing said and nothing counted: nobody has answered.
                call.answered = bool(response.output or call.usage.total_tokens)
                self._require_whole(response)
                if response.error is not None:
                    reason = response.error.message
                    raise UnusableReply(f"the provider reports an error: {reason}")
            case _:
                pass

    def _require_whole(self, response: Response) -> None:
        details = response.incomplete_details
        reason = details.reason if details else current_frame.get().cut_short
        if reason:
            raise cut_short(self.agent, reason)

    def _count(self, node: OpenNode, call: Call, usage: Usage) -> None:
        current_frame.get().last_speaker = self.agent
        node.usage = call.usage = usage
        node.cost_usd = self.pricing(usage) if usage.total_tokens else None
        call.cost_usd = node.cost_usd or Decimal(0)
        if node.cost_usd is None and usage.total_tokens:
            self._note_unpriced(current_frame.get().run)

    def _note_unpriced(self, run: RunContext) -> None:
        ledger = run.ledger
        if ledger.limits.max_cost_usd is not None and self.label not in ledger.unpriced:
            run.notify(
                f"no price is known for {self.label}, so limits.max_cost_usd cannot be kept;"
                " declare its price under models"
            )
        ledger.unpriced.add(self.label)


def _offered(args: tuple[Any, ...]) -> set[str]:
    tools, handoffs = args[3], args[5]
    return {tool.name for tool in tools} | {handoff.tool_name for handoff in handoffs}


def _likely(args: tuple[Any, ...]) -> Usage:
    """Guess a call's size: four characters of input are about one token."""
    instructions, given, settings = args[0], args[1], args[2]
    text = (instructions or "") + (given if isinstance(given, str) else str(given))
    return Usage(
        requests=1,
        input_tokens=len(text) // 4,
        output_tokens=settings.max_tokens or GUESSED_OUTPUT,
    )
