"""A provider's model, watched: each call is counted, told of, priced, and fails as ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from decimal import Decimal
from typing import cast

from agents import Model, ModelSettings, ModelTimeoutError
from agents.items import TResponseStreamEvent
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
from agency_cli.limits import Call, Limit
from agency_cli.manifest import Retry
from agency_cli.models.asked import Asked
from agency_cli.models.hosted import note_hosted_calls
from agency_cli.models.provider_failures import FOREIGN_FAILURES, provider_failure
from agency_cli.models.recorded import ReplyReader, record_of
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


class WatchedModel:
    """One of the models of an agent, as it is called for that agent alone.

    Attributes:
        inner: The provider's model.
        agent: Key of the agent whose model it is.
        label: The model's name in trees and costs.
        provider: Who is called, in messages.
        pricing: What a call costs.
        settings: The settings of its calls; `timeout` is kept here, not by the runner.
        retry: How often, and after what time, a call that failed is tried again.
        max_turns: The most calls that the agent may make for one input.
        limit: That limit as messages name it.
    """

    def __init__(
        self,
        inner: Model,
        *,
        agent: str,
        label: str,
        provider: str,
        pricing: Pricing,
        settings: ModelSettings,
        retry: Retry,
        max_turns: int | None = None,
        limit: Limit | None = None,
    ) -> None:
        self.inner = inner
        self.agent = agent
        self.label = label
        self.provider = provider
        self.pricing = pricing
        self.settings = settings
        self.retry = retry
        self.max_turns = max_turns
        self.limit = limit

    async def answer(
        self, asked: Asked, adapt: Callable[[Response], None] = lambda _: None
    ) -> ResponseCompletedEvent:
        """Call the model once, and return its whole response.

        Args:
            asked: What the SDK calls it with.
            adapt: Changes the response before it is kept and given back.

        Raises:
            ProviderFailed: There is no whole response.
            RunFailed: There is one that cannot be worked with.
            LimitReached: The call may not be made.
        """
        frame = current_frame.get()
        await may_begin(frame)
        ordinal = frame.turns.get(self.agent, 0)
        async with self._call(asked) as (node, call):
            async with self._in_time():
                event = await self._read(frame, asked, node, call)
            adapt(event.response)
            kept = {"path": frame.path, "agent": self.agent, "ordinal": ordinal}
            frame.run.keep(node.id, {**kept, "response": record_of(event.response)})
        return event

    async def _read(
        self, frame: Frame, asked: Asked, node: OpenNode, call: Call
    ) -> ResponseCompletedEvent:
        stream = cast(
            "AsyncGenerator[TResponseStreamEvent]",
            self.inner.stream_response(*asked.positional, **asked.named),
        )
        reply, ids = ReplyReader(), UniqueCallIds(asked.conversation)
        frame.cut_short = ""
        async with aclosing(stream) as events:
            async for event in events:
                ids.apply(event)
                self._observe(node, call, event)
                if isinstance(event, ResponseCompletedEvent):
                    note_hosted_calls(frame, self.agent, event.response)
                    note_unknown_tools(frame, self.agent, event.response, asked.offered)
                reply.add(event)
        if not call.answered:
            raise UnusableReply("the reply was empty")
        return reply.event()

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        # The SDK would cancel an attempt that takes too long, which looks like an interruption.
        clock = asyncio.timeout(self.settings.timeout)
        try:
            async with clock:
                yield
        except TimeoutError:
            if not clock.expired():
                raise
            raise ModelTimeoutError(self.settings.timeout or 0) from None

    @asynccontextmanager
    async def _call(self, asked: Asked) -> AsyncIterator[tuple[OpenNode, Call]]:
        frame = current_frame.get()
        likely = asked.likely_usage()
        with self._own_turn(frame):
            async with frame.run.ledger.call(self.agent, likely, self.pricing) as call:
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
        frame.turns[self.agent] = made + 1
        try:
            yield
        except ProviderFailed:
            # An attempt that failed is no turn; the runner may try again.
            frame.turns[self.agent] -= 1
            raise

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
