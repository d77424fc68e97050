"""Where the schema allows one of several shapes: which of them the author meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jsonschema.exceptions import ValidationError

from agency_cli.checks.nearest import did_you_mean, listed, nearest
from agency_cli.errors import Problem
from agency_cli.loading.nodes import Path
from agency_cli.loading.wording import shown
from agency_cli.manifest.guardrails import GUARDRAIL_KINDS
from agency_cli.manifest.tools import TOOL_KINDS
from agency_cli.problem_codes import ProblemCode

Schema = Mapping[str, Any]

_KINDS: Final[Mapping[str | int | None, tuple[str, Iterable[str]]]] = {
    "tools": ("tool", TOOL_KINDS),
    "guardrails": ("guardrail", GUARDRAIL_KINDS),
}
"""What has kinds told apart by a key: the word for it, and the keys."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The branch that was meant, or why none can be told.

    Attributes:
        branch: Index of the branch; None where no branch takes a value of this type.
        problem: What keeps the branch from being told.
        key: The key that the problem is about.
        instead: What that key was probably meant to be.
    """

    branch: int | None = None
    problem: Problem | None = None
    key: str = ""
    instead: str | None = None


def meant_branch(
    error: ValidationError, branches: Sequence[Schema], path: Path, *, section: str | int | None
) -> Choice:
    """Choose a branch of an `anyOf` or `oneOf` that failed.

    Args:
        error: The failure; its context holds the errors of every branch.
        branches: The branches, references resolved.
        path: Where the value that failed stands.
        section: The key of the document that it stands below, misspelt or not.
    """
    refused = {
        inner.relative_schema_path[0]
        for inner in error.context or ()
        if inner.validator == "type" and len(inner.relative_schema_path) == len(("0", "type"))
    }
    fitting = [index for index in range(len(branches)) if index not in refused]
    if len(fitting) > 1 and len(path) == len(("tools", "name")) and section in _KINDS:
        instance: Any = error.instance
        return _by_kind(instance, branches, path, *_KINDS[section])
    return Choice(branch=fitting[0] if fitting else None)


def _by_kind(
    instance: Mapping[str, Any],
    branches: Sequence[Schema],
    path: Path,
    word: str,
    kinds: Iterable[str],
) -> Choice:
    present = [kind for kind in kinds if kind in instance]
    if not present:
        known = {key for branch in branches for key in branch.get("properties", ())}
        unknown = [key for key in instance if key not in known]
        return _without_kind(unknown, word, kinds, path)
    if len(present) > 1:
        what = f"a {word} has one kind: {present[0]!r} or {present[1]!r}, not both"
        return _choice("two-kinds", what, (*path, present[1]), at_key=True)
    candidates = {
        index: branch["properties"][present[0]]
        for index, branch in enumerate(branches)
        if present[0] in branch.get("required", ())
    }
    if len(candidates) == 1:
        return Choice(branch=next(iter(candidates)))
    wanted = instance[present[0]]
    for index, schema in candidates.items():
        if schema["const"] == wanted:
            return Choice(branch=index)
    names = [schema["const"] for schema in candidates.values()]
    hint = did_you_mean(wanted, names) if isinstance(wanted, str) else ""
    what = f"must be one of {listed(names)}, not {shown(wanted)}{hint}"
    return _choice("bad-value", what, (*path, present[0]))


def _without_kind(unknown: Sequence[str], word: str, kinds: Iterable[str], path: Path) -> Choice:
    for key in unknown:
        instead = nearest(key, kinds)
        if instead:
            what = f"unknown key {shown(key)} (did you mean {instead!r}?)"
            return _choice("unknown-key", what, (*path, key), at_key=True, key=key, instead=instead)
    what = f"a {word} needs one of the keys {listed(kinds)}, which says of what kind it is"
    return _choice("missing-key", what, path, at_key=True)


def _choice(
    code: ProblemCode,
    message: str,
    path: Path,
    *,
    at_key: bool = False,
    key: str = "",
    instead: str | None = None,
) -> Choice:
    problem = Problem(code=code, message=message, path=path, at_key=at_key)
    return Choice(problem=problem, key=key, instead=instead)
