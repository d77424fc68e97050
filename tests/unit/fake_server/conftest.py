"""Asks the fake server through the real SDK, nothing patched."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
)
from agents.usage import Usage
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from fake_server import FakeServer

MODELS = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}


@dataclass
class Outcome:
    """What the SDK made of the answers; `events` are the types of a stream's raw events."""

    output: object = None
    usage: Usage | None = None
    events: list[str] = field(default_factory=list)
    deltas: list[str] = field(default_factory=list)


@dataclass
class Asker:
    """Runs one agent in the API and the way of this case."""

    server: FakeServer
    api: str
    stream: bool

    def client(self, **options) -> AsyncOpenAI:
        return AsyncOpenAI(
            base_url=self.server.base_url,
            api_key="sk-fake",
            # Nothing is encrypted here; reading certificates would take longer than the test.
            http_client=DefaultAsyncHttpxClient(verify=False),
            **{"max_retries": 0, **options},
        )

    def agent(self, client, *, name="ceo", instructions="You are the CEO", **options) -> Agent:
        model = MODELS[self.api](model=options.pop("model", "gpt-5"), openai_client=client)
        settings = ModelSettings(include_usage=options.pop("include_usage", True))
        return Agent(
            name, instructions=instructions, model=model, model_settings=settings, **options
        )

    def __call__(
        self, text: str = "Build it", *, tools: Sequence = (), client=None, **options
    ) -> Outcome:
        """Run an agent to its end; whatever the SDK raises is raised."""
        return asyncio.run(self._ask(text, tools=list(tools), client=client or {}, **options))

    async def _ask(self, text: str, *, client: dict, **options) -> Outcome:
        async with self.client(**client) as connected:
            return await self.run(self.agent(connected, **options), text)

    async def run(self, agent: Agent, text: str) -> Outcome:
        outcome = Outcome()
        quiet = RunConfig(tracing_disabled=True)
        if self.stream:
            result = Runner.run_streamed(agent, text, run_config=quiet)
            async for event in result.stream_events():
                if event.type == "raw_response_event":
                    outcome.events.append(event.data.type)
                    if event.data.type == "response.output_text.delta":
                        outcome.deltas.append(event.data.delta)
        else:
            result = await Runner.run(agent, text, run_config=quiet)
        outcome.output, outcome.usage = result.final_output, result.context_wrapper.usage
        return outcome


@pytest.fixture(params=["chat", "responses"])
def api(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request):
    return request.param


@pytest.fixture
def ask(fake_server, api, stream):
    return Asker(fake_server, api, stream)


@pytest.fixture
def ask_chat(fake_server):
    return Asker(fake_server, "chat", stream=True)
