"""What models say of each other: fallbacks that end, and names that are meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Final

from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.manifest import ModelSpec

# Any text may be the id of a model, so only what differs by a slip of the finger is told.
_SLIP: Final = 0.8
_MOST_NAMED: Final = 6
# Comparing takes time; nobody names more models than this.
_MOST_MODELS: Final = 100


def fallbacks_end(subject: Subject) -> Iterator[Problem]:
    """No model is, by way of others or at once, its own fallback."""
    models = subject.manifest.models
    done: set[str] = set()
    for start in models:
        yield from _circles(start, models, done)


def fallbacks_listed_once(subject: Subject) -> Iterator[Problem]:
    """A list of fallbacks holds each model once."""
    for key, model in subject.manifest.models.items():
        seen: set[str] = set()
        for position, name in enumerate(model.fallback):
            if name in seen:
                what = f"{name!r} is listed twice; remove one"
                path = ("models", key, "fallback", position)
                yield Problem(code="listed-twice", message=what, path=path)
            seen.add(name)


def misspelt_models(subject: Subject) -> Iterator[Problem]:
    """Models that are not declared, and look like one that is."""
    models = subject.manifest.models
    undeclared: dict[str, list[Path]] = {}
    for path, name in _mentions(subject):
        if name not in models:
            undeclared.setdefault(name, []).append(path)
    for name, paths in islice(undeclared.items(), _MOST_MODELS):
        meant = next(filter(partial(_is_slip, name), islice(models, _MOST_MODELS)), None)
        if meant is None:
            continue
        what = (
            f"no model named {name!r} is declared, so this is taken for a provider's id of a"
            f" model (did you mean {meant!r}?)"
        )
        for path in paths:
            yield Problem(code="misspelt-model", message=what, path=path, severity="warning")


def _circles(start: str, models: Mapping[str, ModelSpec], done: set[str]) -> Iterator[Problem]:
    """Walk from `start` along fallbacks, and yield each that leads back to where it came from."""
    if start in done:
        return
    # From each model on the way, what of its fallbacks has not been followed yet.
    way = {start: iter(enumerate(models[start].fallback))}
    while way:
        current = next(reversed(way))
        for position, name in way[current]:
            if name in way:
                members = list(way)
                yield _circle(members[members.index(name) :], position)
            elif name in models and name not in done:
                way[name] = iter(enumerate(models[name].fallback))
                break
        else:
            done.add(current)
            del way[current]


def _circle(members: list[str], position: int) -> Problem:
    path = ("models", members[-1], "fallback", position)
    if len(members) == 1:
        what = f"{members[0]!r} is its own fallback; name another model"
    else:
        shown = members if len(members) <= _MOST_NAMED else [*members[: _MOST_NAMED - 1], "..."]
        circle = " > ".join([*shown, members[0]])
        what = f"these fallbacks lead in a circle: {circle}; remove this one"
    return Problem(code="fallback-cycle", message=what, path=path)


def _mentions(subject: Subject) -> Iterator[tuple[Path, str]]:
    manifest = subject.manifest
    if manifest.defaults.model is not None:
        yield ("defaults", "model"), manifest.defaults.model
    for key, agent in manifest.agents.items():
        if agent.model is not None:
            yield ("agents", key, "model"), agent.model
    for key, model in manifest.models.items():
        for position, name in enumerate(model.fallback):
            yield ("models", key, "fallback", position), name


def _is_slip(name: str, meant: str) -> bool:
    # gpt-5.6 and gpt-5 are two models.
    if abs(len(name) - len(meant)) > 1 or _digits(name) != _digits(meant):
        return False
    from difflib import SequenceMatcher  # noqa: PLC0415 - most manifests do without it

    return SequenceMatcher(None, name, meant).ratio() >= _SLIP


def _digits(name: str) -> list[str]:
    return [c for c in name if c.isdigit()]
