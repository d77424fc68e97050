"""What is wrong with the shape of a document, as the JSON Schema sees it, in a person's words.

Imported only for documents that the models refuse: they and the schema say the same, and a sound
manifest need not wait for `jsonschema`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from agency_cli.checks.nearest import did_you_mean, listed, nearest
from agency_cli.checks.subject import MOST_PROBLEMS
from agency_cli.errors import Problem
from agency_cli.loading.branches import Schema, meant_branch
from agency_cli.loading.nodes import Path
from agency_cli.loading.regions import is_credential
from agency_cli.loading.wording import bound, choice, expectation, name_rule, not_a_name, shown
from agency_cli.problem_codes import ProblemCode


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of shape, and what its place was probably meant to be.

    Attributes:
        problem: For the person.
        key: The key that is unknown or missing, if that is what is wrong.
        instead: The known key that an unknown one was probably meant to be.
        meant: The value that a faulty one was probably meant to be.
    """

    problem: Problem
    key: str = ""
    instead: str | None = None
    meant: object = None


def shape_findings(data: object, written: object, schema: Schema) -> list[Finding]:
    """Return what is wrong with the shape of `data`; each fault once.

    Args:
        data: The document, interpolated.
        written: The same document as written; messages quote only this, never a secret.
        schema: The schema of manifests.
    """
    validator = Draft202012Validator(schema)
    explainer = _Explainer(validator, schema["$defs"], written)
    errors = islice(validator.iter_errors(data), MOST_PROBLEMS + 1)
    found = [finding for error in errors for finding in explainer.explained(error)]
    return _each_once(found)


def _each_once(found: Sequence[Finding]) -> list[Finding]:
    """Leave out what follows from another finding.

    A misspelt key is not also missing, and a value of the wrong type is not also out of bounds.
    """
    meant = {(finding.problem.path[:-1], finding.instead) for finding in found}
    unique: dict[tuple[Path, str], Finding] = {}
    for finding in found:
        problem = finding.problem
        if problem.code != "missing-key" or (problem.path, finding.key) not in meant:
            unique.setdefault((problem.path, finding.key), finding)
    return list(unique.values())


@dataclass(frozen=True, slots=True)
class _Fault:
    """One error of the validator: `value` breaks the `rule` of `keyword` at `path`."""

    keyword: str
    rule: Any
    value: Any
    schema: Any
    path: Path
    error: ValidationError

    @classmethod
    def of(cls, error: ValidationError, below: Path) -> _Fault:
        return cls(
            str(error.validator),
            error.validator_value,
            error.instance,
            error.schema,
            (*below, *error.absolute_path),
            error,
        )


class _Explainer:
    """Turns errors of the validator into findings."""

    def __init__(
        self,
        validator: Draft202012Validator,
        definitions: Mapping[str, Schema],
        written: object,
    ) -> None:
        self._validator = validator
        self._definitions = definitions
        self._written = written
        self._misspelt: dict[Path, str] = {}

    def explained(self, error: ValidationError, below: Path = ()) -> Iterator[Finding]:
        """Yield what an error says; `below` is where the value that was validated stands."""
        fault = _Fault.of(error, below)
        match fault.keyword:
            case "anyOf" | "oneOf":
                yield from self._union(fault, below)
            case "additionalProperties" if "properties" in fault.schema:
                yield from self._unknown_keys(fault)
            case "additionalProperties":
                yield from _bad_names(fault)
            case "required":
                yield from _missing_keys(fault)
            case _:
                code, message = self._bad_value(fault)
                problem = Problem(code=code, message=message, path=fault.path)
                yield Finding(problem, meant=_meant(fault))

    def _union(self, fault: _Fault, below: Path) -> Iterator[Finding]:
        branches = [self._resolved(branch) for branch in fault.rule]
        choice = meant_branch(fault.error, branches, fault.path, section=self._section(fault.path))
        if choice.problem is not None:
            yield Finding(choice.problem, choice.key, choice.instead)
        elif choice.branch is None:
            kinds = [str(branch.get("type")) for branch in branches]
            what = expectation(kinds, self._as_written(fault.path))
            yield Finding(Problem(code="wrong-type", message=what, path=fault.path))
        else:
            for inner in fault.error.context or ():
                if inner.relative_schema_path[0] == choice.branch:
                    yield from self.explained(inner, below)

    def _unknown_keys(self, fault: _Fault) -> Iterator[Finding]:
        known: Mapping[str, Schema] = fault.schema["properties"]
        free = [name for name in known if name not in fault.value]
        for key in _unexpected(fault):
            instead = nearest(key, free)
            if instead is not None:
                hint = f" (did you mean {instead!r}?)"
            else:
                hint = did_you_mean(key, known) or self._home(key, known)
            yield Finding(
                Problem(
                    code="unknown-key",
                    message=f"unknown key {shown(key)}{hint}",
                    path=(*fault.path, key),
                    at_key=True,
                ),
                key,
                instead,
            )
            if instead is not None:
                self._misspelt[*fault.path, key] = instead
                yield from self._inside(fault.value[key], known[instead], (*fault.path, key))

    def _inside(self, value: object, schema: Schema, path: Path) -> Iterator[Finding]:
        """Look into the value of a misspelt key."""
        errors = self._validator.evolve(schema=schema).iter_errors(value)
        for error in islice(errors, MOST_PROBLEMS + 1):
            yield from self.explained(error, path)

    def _section(self, path: Path) -> str | int | None:
        """Return the key of the document that a place is below, as it is spelt."""
        return self._misspelt.get(path[:1], path[0]) if path else None

    def _home(self, key: str, known: Mapping[str, Schema]) -> str:
        """Say where a key that is unknown here belongs, or else which keys are known."""
        for name, schema in known.items():
            for branch in schema.get("anyOf", [schema]):
                if key in self._resolved(branch).get("properties", {}):
                    return f"; it belongs under {name!r}"
        return f"; the keys here are {listed(known, most=30)}"

    def _bad_value(self, fault: _Fault) -> tuple[ProblemCode, str]:
        """Return the code and the message for a value that breaks a rule."""
        value = self._as_written(fault.path)
        match fault.keyword:
            case "type":
                kinds = fault.rule if isinstance(fault.rule, list) else [fault.rule]
                return "wrong-type", expectation(kinds, value, secret=is_credential(fault.path))
            case "const" if fault.path == ("version",):
                what = f"version {shown(value)} of the format is not known; this program reads 1"
                return "unknown-version", f"{what}: write `version: 1`"
            case "const" | "enum":
                options = fault.rule if fault.keyword == "enum" else [fault.rule]
                return "bad-value", choice(options, value)
            case "minProperties" | "minItems" | "minLength":
                return "empty", "must not be empty"
            case "pattern":
                return "bad-name", not_a_name(value, fault.rule)
            case _:
                return "bad-value", bound(fault.keyword, fault.rule)

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref", "")
        return self._definitions[reference.rpartition("/")[2]] if reference else schema

    def _as_written(self, path: Path) -> object:
        """Return the value as written, since the interpolated one may hold a secret."""
        value: Any = self._written
        for part in path:
            value = value[part]
        return value


def _meant(fault: _Fault) -> object:
    match fault.keyword:
        case "enum" if isinstance(fault.value, str):
            return nearest(fault.value, filter(_is_text, fault.rule))
        case "type" if fault.rule == "array" and isinstance(fault.value, str):
            return [fault.value]
        case _:
            return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _bad_names(fault: _Fault) -> Iterator[Finding]:
    rule = name_rule(next(iter(fault.schema["patternProperties"])))
    for key in _unexpected(fault):
        what = f"{shown(key)} cannot be a name here: {rule}"
        path = (*fault.path, key)
        yield Finding(Problem(code="bad-name", message=what, path=path, at_key=True))


def _missing_keys(fault: _Fault) -> Iterator[Finding]:
    for key in fault.rule:
        if key not in fault.value:
            is_version = (*fault.path, key) == ("version",)
            add = "; add the line `version: 1` at the top" if is_version else ""
            what = f"the key {key!r} is missing{add}"
            problem = Problem(code="missing-key", message=what, path=fault.path, at_key=True)
            yield Finding(problem, key)


def _unexpected(fault: _Fault) -> list[str]:
    known = fault.schema.get("properties", {})
    patterns = fault.schema.get("patternProperties", {})
    unknown = (
        key
        for key in fault.value
        if key not in known and not any(re.search(pattern, key) for pattern in patterns)
    )
    return list(islice(unknown, MOST_PROBLEMS + 1))
