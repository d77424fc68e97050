"""The SDK's `Model` on top of a model in this process."""
# ruff: noqa: ARG002, PLR0917 - the SDK's signatures

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from functools import partial
from typing import Any

from agents import Handoff, Model, ModelSettings, Tool
from agents.agent_output import AgentOutputSchemaBase
from agents.items import ModelResponse, TResponseInputItem, TResponseStreamEvent
from agents.models.interface import ModelTracing
from agents.usage import Usage
from openai.types.responses import ResponseCompletedEvent
from openai.types.responses.response_prompt_param import ResponsePromptParam

from agency_cli.models.local.engine import Engines
from agency_cli.models.local.reading import turn_request
from agency_cli.models.local.responses import ResponseWriter
from agency_cli.models.local.speaker import Speaker
from agency_cli.models.local.turn import Part, TurnRequest, take_turn

NOTICE = (
    "embedded model SmolLM2-135M: it shows how the agency works;"
    " for useful answers set OPENAI_API_KEY or a provider"
)
"""What a person is told once in a run on `local`."""
ENGINES = Engines()
"""Loaded models are shared by all agents of a process; loading one takes a second and 400 MB."""

Notify = Callable[[str], None]


class LocalModel(Model):
    """The embedded model, or a GGUF file of the person's own, as a model of the SDK."""

    def __init__(
        self,
        reference: str,
        *,
        notify: Notify = lambda _: None,
        engines: Engines = ENGINES,
    ) -> None:
        """Make a model; nothing is fetched or loaded before its first call.

        Args:
            reference: `local`, or `local:FILE`.
            notify: Told, in the event loop's thread, when the weights are being fetched.
            engines: Where loaded models are kept.
        """
        self._reference = reference
        self._notify = notify
        self._engines = engines

    def __deepcopy__(self, memo: object) -> LocalModel:
        """Return the model itself: the SDK copies models to tell agents apart, and threads stay."""
        return self

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],  # noqa: A002 - the SDK's name
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff[Any, Any]],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> ModelResponse:
        request = turn_request(
            system_instructions, input, model_settings, tools, output_schema, handoffs
        )
        async with contextlib.aclosing(self._events(request, model_settings)) as events:
            async for event in events:
                if isinstance(event, ResponseCompletedEvent):
                    return _model_response(event)
        raise AssertionError("a turn ends with a completed response or an exception")

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],  # noqa: A002 - the SDK's name
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff[Any, Any]],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        request = turn_request(
            system_instructions, input, model_settings, tools, output_schema, handoffs
        )
        async with contextlib.aclosing(self._events(request, model_settings)) as events:
            async for event in events:
                yield event

    async def _events(
        self, request: TurnRequest, settings: ModelSettings
    ) -> AsyncGenerator[TResponseStreamEvent, None]:
        """Let a thread take the turn, and tell of it as it happens; unheard, it ends."""
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        parts: asyncio.Queue[Part | None] = asyncio.Queue()
        stop = threading.Event()

        def in_loop(function: Callable[..., None], argument: object) -> None:
            if not stop.is_set():
                loop.call_soon_threadsafe(function, argument, context=context)

        def work() -> Speaker:
            try:
                notify = partial(in_loop, self._notify)
                engine = self._engines.get(self._reference, notify=notify, stopped=stop.is_set)
                speaker = Speaker(engine, stop.is_set, **_sampling(settings))
                take_turn(request, speaker, partial(in_loop, parts.put_nowait))
                return speaker
            finally:
                in_loop(parts.put_nowait, None)

        writer = ResponseWriter(self._reference)
        working = self._engines.threads.submit(work)
        try:
            for event in writer.created():
                yield event
            while (part := await parts.get()) is not None:
                for event in writer.add(part):
                    yield event
            for event in writer.completed(await asyncio.wrap_future(working)):
                yield event
        finally:
            stop.set()
            working.cancel()


def _sampling(settings: ModelSettings) -> dict[str, Any]:
    given = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "most_tokens": settings.max_tokens,
    }
    return {key: value for key, value in given.items() if value is not None}


def _model_response(completed: ResponseCompletedEvent) -> ModelResponse:
    response = completed.response
    assert response.usage is not None
    usage = Usage(
        requests=1,
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        total_tokens=response.usage.total_tokens,
        input_tokens_details=response.usage.input_tokens_details,
        output_tokens_details=response.usage.output_tokens_details,
    )
    return ModelResponse(output=response.output, usage=usage, response_id=None)
