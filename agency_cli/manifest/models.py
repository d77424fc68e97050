"""Providers, models, their settings and prices, as the manifest writes them."""

from typing import Any, Literal

from pydantic import Field, SecretStr

from agency_cli.manifest.base import Name, Strict, Text


class Provider(Strict):
    """A server that speaks OpenAI's API."""

    base_url: Text
    """Address of the API, up to and including `/v1`."""
    api_key: SecretStr | None = None
    """Key sent as a bearer token; write `${env.NAME}`, never the key itself."""
    api: Literal["chat_completions", "responses"] = "chat_completions"
    """Which of OpenAI's two APIs the server speaks."""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    """Further HTTP headers of every request."""


class Price(Strict):
    """A price in US dollars per million tokens."""

    input: float = Field(ge=0)
    """Price of input tokens."""
    output: float = Field(ge=0)
    """Price of output tokens."""
    cached_input: float | None = Field(default=None, ge=0)
    """Price of cached input tokens; without it they cost what input costs."""
    cache_write: float | None = Field(default=None, ge=0)
    """Price of tokens written to the cache; without it they cost what input costs."""


class Reasoning(Strict):
    """How much a reasoning model thinks, and what it tells of it."""

    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    """How much the model thinks before it answers."""
    summary: Literal["auto", "concise", "detailed"] | None = None
    """How detailed a summary of the thinking to return."""


class Backoff(Strict):
    """Waiting times between attempts of one model call."""

    initial_delay: float | None = Field(default=None, ge=0)
    """Seconds before the first new attempt."""
    max_delay: float | None = Field(default=None, ge=0)
    """The longest wait, in seconds."""
    multiplier: float | None = Field(default=None, ge=1)
    """By how much each wait is longer than the one before."""
    jitter: bool | None = None
    """Vary the waits a little, so that parallel calls do not return together."""


class Retry(Strict):
    """New attempts of a model call that failed for a passing reason."""

    max_retries: int = Field(default=2, ge=0, le=20)
    """How many times a failed call is tried again."""
    backoff: Backoff | None = None
    """How long to wait in between."""


class ModelSettings(Strict):
    """Knobs of a model call; names and meaning are those of the SDK's ModelSettings."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    """Randomness of the sampling."""
    top_p: float | None = Field(default=None, ge=0, le=1)
    """Probability mass that sampling considers."""
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    """Penalty for repeating tokens often."""
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    """Penalty for repeating tokens at all."""
    tool_choice: str | None = None
    """`auto`, `required`, `none`, or the name of the tool to call."""
    parallel_tool_calls: bool | None = None
    """Whether one response may call several tools."""
    truncation: Literal["auto", "disabled"] | None = None
    """What a server does with too long an input (Responses API)."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The most tokens one response may have."""
    reasoning: Reasoning | None = None
    """Settings of reasoning models."""
    verbosity: Literal["low", "medium", "high"] | None = None
    """How long the answers are."""
    metadata: dict[str, str] | None = None
    """Labels kept with the response by the provider."""
    store: bool | None = None
    """Whether the provider keeps the response."""
    prompt_cache_retention: Literal["in_memory", "24h"] | None = None
    """How long the provider keeps its prompt cache."""
    include_usage: bool | None = None
    """Ask for token counts in streams; on unless set to false."""
    preserve_raw_usage: bool | None = None
    """Whether the provider's own token counts are kept beside the SDK's."""
    response_include: list[str] | None = None
    """Further output that the Responses API should include."""
    top_logprobs: int | None = Field(default=None, ge=0, le=20)
    """How many alternatives to return for each token."""
    extra_query: dict[str, Any] | None = None
    """Further query parameters of the request."""
    extra_body: dict[str, Any] | None = None
    """Further fields of the request's body."""
    extra_headers: dict[str, str] | None = None
    """Further headers of the request."""
    extra_args: dict[str, Any] | None = None
    """Further arguments of the SDK's call."""
    retry: Retry | None = None
    """New attempts after network errors, 429 and 5xx."""
    context_management: list[dict[str, Any]] | None = None
    """Server-side compaction (Responses API)."""
    prompt_cache_options: dict[str, Any] | None = None
    """Options of the provider's prompt cache."""
    timeout: float | None = Field(default=None, gt=0)
    """Seconds one attempt of a model call may take."""


class ModelSpec(Strict):
    """A name for a model, so that agents need not repeat its settings."""

    model: Text
    """The provider's id of the model, or `local`."""
    provider: Name | None = None
    """A name under `providers`; without it, OpenAI or `OPENAI_BASE_URL`."""
    settings: ModelSettings | None = None
    """Settings of every call; an agent's own settings come before them."""
    fallback: list[Text] = Field(default_factory=list)
    """Models to try, in order, when this one's provider fails."""
    price: Price | None = None
    """Own price, before the price list that this program brings along."""
