"""A warning about keys that stand in the manifest as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem

_SECRET: Final = re.compile(
    r"\bsk-[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic and those that follow them
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}"  # GitHub
    r"|\bglpat-[A-Za-z0-9_-]{20,}"  # GitLab
    r"|\bAKIA[0-9A-Z]{16}\b"  # AWS
    r"|\bAIza[A-Za-z0-9_-]{35}"  # Google
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"  # Slack
    r"|\bhf_[A-Za-z0-9]{30,}|\bgsk_[A-Za-z0-9]{30,}"  # Hugging Face, Groq
    r"|\b[Bb]earer [A-Za-z0-9._~+/-]{20,}"
)
# What stands behind a name such as `api_key:` is hidden, whatever it looks like.
_NAMED: Final = re.compile(
    r"(?i:api[_-]?key|token|secret|passw(?:or)?d|authorization|cookie|credentials?)[\"']?\s*[:=]\s*"
    r"(?P<value>\"[^\"]*\"?|'[^']*'?|\$\{[^}]*\}[^,}\]#]*|[^\s,}\]#][^,}\]#]*)"
)
_IN_A_URL: Final = re.compile(r"://[^/\s:@]*:(?P<value>[^/\s@]+)@")
# Where digits are among them, no word of a language.
_LONG: Final = re.compile(r"(?P<value>[A-Za-z0-9+=_-]{32,})")
_MIXED: Final = re.compile(r"[A-Za-z][^A-Za-z0-9]*[0-9]|[0-9][^A-Za-z0-9]*[A-Za-z]")
# Without a default, which can be a secret itself; perhaps behind the name of a scheme.
_REFERENCE: Final = re.compile(r"[\"']?(?:[A-Za-z]+ )?\$\{(?:env|param)\.[\w.-]+\}[\"']?\s*")


def masked(line: str) -> str:
    """Return a line of a manifest with a star for each character of what may be a secret.

    References such as `${env.KEY}` stay. More may be hidden than is a secret.
    """
    line = _SECRET.sub(lambda found: "*" * len(found[0]), line)
    for pattern in (_NAMED, _IN_A_URL):
        line = pattern.sub(_starred, line)
    return _LONG.sub(lambda found: _starred(found) if _MIXED.search(found[0]) else found[0], line)


def _starred(found: re.Match[str]) -> str:
    value = found["value"]
    if _REFERENCE.fullmatch(value):
        return found[0]
    start, end = (index - found.start() for index in found.span("value"))
    return found[0][:start] + "*" * len(value) + found[0][end:]


def literal_secrets(subject: Subject) -> Iterator[Problem]:
    """Values that look like a key; the key itself is never shown."""
    for path, text in _texts(subject.written, ()):
        if _SECRET.search(text):
            what = (
                "this looks like a key; keep it in an environment variable and write"
                " ${env.NAME} here, and replace the key if others have seen it"
            )
            yield Problem(code="literal-secret", message=what, path=path, severity="warning")


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
