"""Which problems only follow from a value that was mended, and so are none of their own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import product
from typing import Final

from agency_cli.errors import Problem
from agency_cli.loading.nodes import Path

Pattern = tuple[str, ...]

_ANY_FLOW: Final[tuple[Pattern, ...]] = (
    ("flows",),
    ("flows", "*"),
    ("flows", "*", "from"),
    ("flows", "*", "to"),
    ("flows", "*", "to", "*"),
)
_ANY_AGENT: Final[tuple[Pattern, ...]] = (("agents",), ("agents", "*"))

# What a problem can follow from, by its code: mended places, where `*` stands for any key or
# index, and `=` for that of the problem's own path, or of another place that has a part in it.
_CAUSES: Final[dict[str, tuple[Pattern, ...]]] = {
    "unknown-agent": (("agents",),),
    "unknown-guardrail": (("guardrails",),),
    "unknown-param": (("params",),),
    "unknown-provider": (("providers",),),
    "unknown-tool": (("tools",),),
    "ambiguous-entry": _ANY_FLOW,
    "duplicate-flow": (
        ("flows", "=", "from"),
        ("flows", "=", "kind"),
        ("flows", "=", "send_message"),
        ("flows", "=", "tool_name"),
    ),
    "key-without-effect": (("flows", "=", "kind"),),
    "bad-schema": (("flows", "=", "extra_params", "*"),),
    "missing-key": (
        ("tools", "=", "mcp", "*"),
        ("tools", "=", "hosted"),
        ("tools", "=", "options"),
        ("tools", "=", "options", "*"),
    ),
    "needs-responses": (
        *_ANY_AGENT,
        ("agents", "*", "model"),
        ("defaults",),
        ("defaults", "model"),
        ("models",),
        ("models", "*"),
        ("models", "*", "*"),
        ("models", "*", "fallback", "*"),
        ("providers",),
        ("providers", "*"),
        ("providers", "*", "api"),
        ("tools", "*"),
        ("tools", "*", "hosted"),
    ),
    "reserved-name": (("tools", "*"), ("tools", "*", "mcp")),
    "tool-name-clash": (
        ("flows",),
        ("flows", "="),
        ("flows", "=", "from"),
        ("flows", "=", "to"),
        ("flows", "=", "to", "*"),
        ("flows", "=", "kind"),
        ("flows", "=", "send_message"),
        ("flows", "=", "tool_name"),
        ("flows", "=", "extra_params"),
        ("flows", "=", "extra_params", "*"),
        ("tools", "="),
        ("tools", "=", "builtin"),
        ("tools", "=", "hosted"),
        ("tools", "=", "options"),
        ("tools", "=", "options", "*"),
        ("tools", "=", "name"),
        ("tools", "=", "read_only"),
    ),
    "unreachable-agent": _ANY_FLOW,
    "unreachable-mention": _ANY_FLOW,
    "unused-tool": (*_ANY_AGENT, ("agents", "*", "tools"), ("agents", "*", "tools", "*")),
    "unused-guardrail": (
        *_ANY_AGENT,
        ("agents", "*", "guardrails"),
        ("agents", "*", "guardrails", "*"),
        ("defaults",),
        ("defaults", "guardrails"),
        ("defaults", "guardrails", "*"),
    ),
    "unused-model": (
        *_ANY_AGENT,
        ("agents", "*", "model"),
        ("defaults",),
        ("defaults", "model"),
        ("models", "*"),
        ("models", "*", "fallback"),
        ("models", "*", "fallback", "*"),
        ("guardrails", "*"),
        ("guardrails", "*", "judge"),
        ("guardrails", "*", "judge", "model"),
    ),
    "unused-provider": (("models",), ("models", "*"), ("models", "*", "provider")),
    "handoff-trap": (
        *_ANY_FLOW,
        ("flows", "*", "kind"),
        ("agents", "*"),
        ("agents", "*", "tools"),
        ("entry",),
        ("entry", "*"),
    ),
    "unpriced-model": (
        ("limits",),
        ("limits", "max_cost_usd"),
        ("models",),
        ("models", "="),
        ("models", "=", "price"),
        ("models", "=", "provider"),
        ("providers",),
        ("providers", "*"),
        ("providers", "*", "base_url"),
    ),
    "misspelt-model": (("models",), ("models", "*")),
    "fallback-cycle": (
        ("models", "*"),
        ("models", "*", "fallback"),
        ("models", "*", "fallback", "*"),
    ),
    "unused-param": (
        *_ANY_AGENT,
        ("agents", "*", "instructions"),
        ("agents", "*", "instructions_file"),
        ("shared_instructions_file",),
    ),
}
_OF_THE_TEXT: Final = frozenset({"literal-secret", "env-in-prompt", "undefined-variable"})
"""Problems of what is written, whatever it was mended to."""

_OF_A_MODEL: Final = frozenset({"misspelt-model", "unpriced-model"})
"""Warnings of a model's id, which a param can hold."""

_OF_A_KEY: Final = frozenset({"exclusive-keys", "key-without-effect"})
"""Problems of a key that should not be there; whether a misspelt one is it, is a guess."""


@dataclass(slots=True)
class Doubts:
    """What is not known of a manifest, and so keeps problems from being certain.

    Attributes:
        mended: Where values could not be taken, or files could not be read.
        guessed: Where a misspelt key was taken for another.
        undecided: Where a reference has no value yet, or leads nowhere.
    """

    mended: set[Path]
    guessed: Collection[Path]
    undecided: Collection[Path]

    def is_certain(self, problem: Problem) -> bool:
        """Say whether a problem is there whatever stands in the places that are not known."""
        return self.is_independent(problem) and self.is_decided(problem)

    def is_independent(self, problem: Problem) -> bool:
        """Say whether a problem that is not one of shape is there whatever was mended."""
        is_of_a_guess = problem.code in _OF_A_KEY and problem.path in self.guessed
        return not is_of_a_guess and not (self.mended and _follows(problem, self.mended))

    def is_worth_a_warning(self, problem: Problem) -> bool:
        """Say whether a warning is there whatever was mended, and whatever a param will be."""
        is_open = problem.code in _OF_A_MODEL and not self.is_decided(problem)
        return self.is_independent(problem) and not is_open

    def is_decided(self, problem: Problem) -> bool:
        """Say whether a problem is there whatever value a reference will have."""
        return problem.at_key or problem.path not in self.undecided


def _follows(problem: Problem, mended: Collection[Path]) -> bool:
    causes = _CAUSES.get(problem.code, ())
    parts = (problem.path, *problem.others)
    if any(_matches(*each) for each in product(causes, mended, parts)):
        return True
    # What is wrong with a key is so whatever its value is.
    length = len(problem.path) + (not problem.at_key)
    at_or_below = any(problem.path[:end] in mended for end in range(1, length))
    return at_or_below and problem.code not in _OF_THE_TEXT


def _matches(pattern: Pattern, place: Path, own: Path) -> bool:
    if len(pattern) != len(place):
        return False
    return all(
        wanted in ("*", part) or (wanted == "=" and own[: index + 1] == place[: index + 1])
        for index, (wanted, part) in enumerate(zip(pattern, place, strict=True))
    )
