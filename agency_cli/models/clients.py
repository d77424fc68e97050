"""From a choice of model to the SDK's model that calls it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agents import Model, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.models import get_default_model_settings
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from agency_cli.errors import UsageError
from agency_cli.limits import Limit
from agency_cli.manifest import Retry
from agency_cli.models.choice import ModelChoice, pricing_of
from agency_cli.models.endpoints import LOCAL, Endpoint
from agency_cli.models.persevering import RETRIES
from agency_cli.models.replies import check_reply
from agency_cli.models.warming import WarmUp
from agency_cli.models.watched import WatchedModel

Notify = Callable[[str], None]


@dataclass(slots=True)
class ModelFactory:
    """Makes the SDK's models of one built agency; clients are shared by endpoint."""

    notify: Notify
    _clients: dict[str, AsyncOpenAI] = field(default_factory=dict)
    _told: bool = False
    _warm_up: WarmUp = field(default_factory=WarmUp)

    def make(self, choice: ModelChoice) -> Model:
        """Return the SDK's model for `choice`. Nothing is sent before its first call."""
        if choice.is_embedded:
            from agency_cli.models.local.model import (  # noqa: PLC0415 - an extra
                NOTICE,
                LocalModel,
            )

            if choice.model == LOCAL and not self._told:
                self._told = True
                self.notify(NOTICE)
            return LocalModel(choice.model, notify=self.notify)
        if choice.endpoint is None:
            return _litellm_model(choice.model)
        client = self._client(choice.endpoint)
        if choice.endpoint.api == "responses":
            return OpenAIResponsesModel(model=choice.model, openai_client=client)
        return OpenAIChatCompletionsModel(model=choice.model, openai_client=client)

    async def close(self) -> None:
        """Close all connections; the models made here cannot be called any more."""
        for client in self._clients.values():
            await client.close()

    def _client(self, endpoint: Endpoint) -> AsyncOpenAI:
        if endpoint.provider not in self._clients:
            self._clients[endpoint.provider] = AsyncOpenAI(
                # A server that asks for no key still gets the header that the client insists on.
                api_key=endpoint.api_key or "none",
                base_url=endpoint.base_url,
                default_headers={"Accept-Encoding": "identity", **endpoint.headers},
                # The runner retries, so that each attempt is seen, counted and told of.
                max_retries=0,
                http_client=DefaultAsyncHttpxClient(
                    event_hooks={"request": [self._warm_up], "response": [check_reply]},
                    # Reading the certificates takes 50 ms, for nothing without TLS.
                    verify=not endpoint.base_url.startswith("http://"),
                ),
            )
        return self._clients[endpoint.provider]


def watched_models(
    choices: Sequence[ModelChoice],
    factory: ModelFactory,
    *,
    agent: str,
    max_turns: int | None,
    limit: Limit | None,
) -> list[WatchedModel]:
    """Return the models that one agent calls, in the order of its choices.

    Args:
        choices: The choices.
        factory: Makes their models.
        agent: The agent's key.
        max_turns: The most calls that it may make for one input.
        limit: That limit as messages name it.
    """
    return [
        WatchedModel(
            factory.make(choice),
            agent=agent,
            label=choice.label,
            provider=choice.provider_label,
            pricing=pricing_of(choice),
            settings=_sdk_settings(choice),
            retry=choice.settings.retry or Retry(max_retries=RETRIES),
            max_turns=max_turns,
            limit=limit,
        )
        for choice in choices
    ]


def _sdk_settings(choice: ModelChoice) -> ModelSettings:
    """Return the settings of every call with `choice`, usage in streams included.

    Settings that are given replace the SDK's own defaults for a model one by one, not all.
    """
    given = choice.settings.model_dump(exclude_unset=True, exclude={"retry"})
    defaults = (
        get_default_model_settings(choice.model)
        if choice.endpoint is not None and choice.endpoint.is_openai
        else ModelSettings()
    )
    return defaults.resolve(ModelSettings(**{"include_usage": True, **given}))


def _litellm_model(model: str) -> Model:
    try:
        from agents.extensions.models.litellm_model import LitellmModel  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            f"the model {model} needs LiteLLM; install it with `pip install 'agency-cli[litellm]'`"
        ) from None
    return LitellmModel(model.removeprefix("litellm/"))
