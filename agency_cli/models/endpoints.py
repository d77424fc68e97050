"""How the provider of a model is reached: its address, its API, its credentials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agency_cli.checks.providers import fault_of_url
from agency_cli.errors import UsageError
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import ModelSpec, credentials_in

OPENAI_URL = "https://api.openai.com/v1"
LOCAL = "local"
"""The model that is embedded."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How a provider is reached.

    Attributes:
        provider: Its name under `providers`, or `openai`.
        base_url: Address of its API.
        api: Which of OpenAI's two APIs it speaks.
        api_key: The key; None where the server asks for none.
        headers: Further HTTP headers.
        missing: Environment variables that its credentials need and that are not set.
    """

    provider: str
    base_url: str
    api: str
    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def is_openai(self) -> bool:
        return self.base_url.rstrip("/") == OPENAI_URL

    @property
    def secrets(self) -> tuple[str, ...]:
        """What nobody may read: the key, and what headers named like credentials hold."""
        return (*([self.api_key] if self.api_key else []), *credentials_in(self.headers))


def endpoint_of(
    spec: ModelSpec, loaded: LoadedManifest, environ: Mapping[str, str]
) -> Endpoint | None:
    """Return how the provider of a model is reached; None where no server of ours is asked.

    Raises:
        UsageError: What OPENAI_BASE_URL holds is no address.
    """
    if spec.model == LOCAL or spec.model.startswith((f"{LOCAL}:", "litellm/")):
        return None
    name = spec.provider or "openai"
    if name in loaded.manifest.providers:
        return _declared_endpoint(name, loaded)
    return _openai_endpoint(environ)


def _declared_endpoint(name: str, loaded: LoadedManifest) -> Endpoint:
    provider = loaded.manifest.providers[name]
    return Endpoint(
        provider=name,
        base_url=provider.base_url,
        api=provider.api,
        api_key=provider.api_key.get_secret_value() if provider.api_key else None,
        headers={key: value.get_secret_value() for key, value in provider.headers.items()},
        missing=unset_at(loaded, ("providers", name)),
    )


def _openai_endpoint(environ: Mapping[str, str]) -> Endpoint:
    """OpenAI itself, or the compatible server that OPENAI_BASE_URL names.

    Few compatible servers speak the Responses API, and many ask for no key.

    Raises:
        UsageError: What OPENAI_BASE_URL holds is no address.
    """
    base_url = environ.get("OPENAI_BASE_URL") or OPENAI_URL
    if fault := fault_of_url(base_url):
        raise UsageError(f"the environment variable OPENAI_BASE_URL: {fault}")
    key = environ.get("OPENAI_API_KEY") or None
    itself = base_url.rstrip("/") == OPENAI_URL
    return Endpoint(
        provider="openai",
        base_url=base_url,
        api="responses" if itself else "chat_completions",
        api_key=key,
        missing=("OPENAI_API_KEY",) if itself and key is None else (),
    )


def unset_at(loaded: LoadedManifest, *places: tuple[str, ...]) -> tuple[str, ...]:
    """Return the variables that credentials at or below these places lack."""
    found = (
        variable
        for place, variables in loaded.missing_env.items()
        if any(place[: len(above)] == above for above in places)
        for variable in variables
    )
    return tuple(dict.fromkeys(found))


def shown_address(url: str) -> str:
    """Return an address as messages show it: without the user name and password in it."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{separator}{authority.rpartition('@')[2]}{slash}{path}"
