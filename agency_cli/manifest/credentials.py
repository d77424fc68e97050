"""What nobody may read: the values of headers and variables that are named like credentials."""

import re
from collections.abc import Iterator, Mapping

from pydantic import BaseModel, SecretStr

_NAMED_LIKE_ONE = re.compile("auth|key|token|secret|cookie|password", re.IGNORECASE)
_SCHEME = re.compile(r"(?:bearer|basic|token)\s+", re.IGNORECASE)


def credentials_in(values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the credentials among values by their names, each without its scheme."""
    held = (text for name, text in values.items() if text and _NAMED_LIKE_ONE.search(name))
    return tuple(map(without_scheme, held))


def without_scheme(text: str) -> str:
    """Return the credential in a header's value, such as `Bearer KEY`."""
    return _SCHEME.sub("", text, count=1)


def credentials_of(model: BaseModel) -> Iterator[str]:
    """Yield the credentials that a part of a manifest holds, however deep."""
    for value in vars(model).values():
        if isinstance(value, BaseModel):
            yield from credentials_of(value)
        elif isinstance(value, dict):
            secret = {key: each for key, each in value.items() if isinstance(each, SecretStr)}
            yield from credentials_in({k: v.get_secret_value() for k, v in secret.items()})
