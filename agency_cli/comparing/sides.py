"""One of two states of an agency, as it was loaded, with its secrets masked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from pydantic import BaseModel

from agency_cli.checks.tools import named_python
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import Manifest, credentials_in

_SHORTEST_SECRET: Final = 4
"""Characters; what is shorter would be found in innocent words."""


class Side(NamedTuple):
    """A manifest and what it names.

    Attributes:
        shown: The manifest as the person named it.
        loaded: As it was read.
        manifest: The same with a mark for each secret in it.
    """

    shown: str
    loaded: LoadedManifest
    manifest: Manifest

    @classmethod
    def of(cls, shown: str, loaded: LoadedManifest, environ: Mapping[str, str]) -> Side:
        """Return a manifest to be compared; `environ` holds some of its secrets."""
        held = set(_secrets(loaded, environ))
        long = [text for text in held if len(text) >= _SHORTEST_SECRET]
        masked = _masked(loaded.manifest, sorted(long, key=len, reverse=True))
        assert isinstance(masked, Manifest)
        return cls(shown, loaded, masked)

    def code(self) -> dict[str, str]:
        """Return a hash of each Python file that the manifest names, of folders each of theirs."""
        found: dict[str, str] = {}
        for _, reference in named_python(self.manifest):
            name = reference.partition(":")[0]
            place = self.loaded.folder / name
            files = sorted(place.glob("*.py")) if name.endswith("/") else [place]
            for file in files:
                if file.suffix == ".py" and file.is_file():
                    shown = f"{name}{file.name}" if name.endswith("/") else name
                    found[shown] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found


def _secrets(loaded: LoadedManifest, environ: Mapping[str, str]) -> Iterator[str]:
    manifest = loaded.manifest
    yield from (environ.get(each.name, "") for each in loaded.env if each.is_credential)
    settings = [
        *(model.settings for model in manifest.models.values()),
        *(agent.settings for agent in manifest.agents.values()),
        manifest.defaults.settings,
    ]
    for each in settings:
        yield from credentials_in((each.extra_headers if each else None) or {})
    for provider in manifest.providers.values():
        yield urlsplit(provider.base_url).password or ""


def _masked(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, BaseModel):
        fields = {name: _masked(getattr(value, name), secrets) for name in type(value).model_fields}
        # What had been worked out from the fields is not carried over.
        return type(value).model_construct(_fields_set=set(value.model_fields_set), **fields)
    if isinstance(value, dict):
        return {key: _masked(inner, secrets) for key, inner in value.items()}
    if isinstance(value, list):
        return [_masked(inner, secrets) for inner in value]
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, "[secret]")
    return value
