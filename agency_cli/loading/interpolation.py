"""`${env.X}`, `${env.X:-default}` and `${param.X}` inside strings; all else stays as written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from agency_cli.checks.nearest import did_you_mean
from agency_cli.checks.subject import MOST_PROBLEMS
from agency_cli.errors import Problem
from agency_cli.loading.nodes import Path
from agency_cli.loading.regions import is_credential, is_prompt
from agency_cli.problem_codes import ProblemCode

_REFERENCE: Final = re.compile(
    r"\$\$\{"
    r"|\$\{env\.(?P<env>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}"
    r"|\$\{param\.(?P<param>[A-Za-z][A-Za-z0-9_.-]*)\}"
)


class EnvReference(NamedTuple):
    """A place that refers to an environment variable.

    Attributes:
        has_default: What the variable lacks is given there.
        is_credential: The variable may be unset until a run needs it.
    """

    name: str
    path: Path
    has_default: bool
    is_credential: bool


LARGEST_WHOLE: Final = 10_000_000
"""Characters that all texts with references may have together."""


@dataclass(slots=True)
class Interpolation:
    """Replaces references, and notes what it meets.

    Attributes:
        environ: The environment's variables.
        params: The text of each param.
        open_params: Params that have no value yet; what holds them cannot be judged.
        problems: References that lead nowhere, or must not stand where they do.
        missing_env: Unset variables of credentials, by the credential's place.
        env: References to environment variables, in the order in which they were met.
        used_params: Params that something refers to.
        open_places: Where a param without a value, or a reference that failed, stands.
        budget: Characters that may still be written; negative once there were too many.
    """

    environ: Mapping[str, str]
    params: Mapping[str, str]
    open_params: frozenset[str] = frozenset()
    problems: list[Problem] = field(default_factory=list)
    missing_env: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    env: list[EnvReference] = field(default_factory=list)
    used_params: set[str] = field(default_factory=set)
    open_places: set[Path] = field(default_factory=set)
    budget: int = LARGEST_WHOLE

    def value(self, value: object, path: Path = ()) -> object:
        """Return a document, or a part of it, with every reference replaced."""
        if isinstance(value, str):
            return self.text(value, path) if "${" in value else value
        if isinstance(value, dict):
            return {key: self.value(inner, (*path, key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner, (*path, index)) for index, inner in enumerate(value)]
        return value

    def text(self, text: str, path: Path, *, prompt: bool = False) -> str:
        """Return a text with every reference replaced.

        Args:
            text: As written.
            path: Where it stands, or where the file that holds it is named.
            prompt: It is read by a model, wherever it stands.
        """
        prompt = prompt or is_prompt(path)
        self._spend(len(text), path)
        occurrences: dict[str, int] = {}

        def replaced(found: re.Match[str]) -> str:
            written = found.group()
            nth = occurrences.get(written, 0)
            occurrences[written] = nth + 1
            if found["env"]:
                if prompt:
                    return self._refused(found, path, nth)
                return self._variable(found, path, nth)
            return self._param(found, path, nth) if found["param"] else "${"

        def bounded(found: re.Match[str]) -> str:
            if self.budget < 0:
                return ""
            value = replaced(found)
            self._spend(len(value), path)
            return value

        return _REFERENCE.sub(bounded, text) if self.budget >= 0 else ""

    def _spend(self, characters: int, path: Path) -> None:
        if self.budget >= 0 > self.budget - characters:
            what = "the texts grow too large when their references are replaced"
            self.open_places.add(path)
            self.problems.append(Problem(code="too-large", message=what, path=path))
        self.budget -= characters

    def _variable(self, found: re.Match[str], path: Path, nth: int) -> str:
        name, default = found["env"], found["default"]
        self.env.append(EnvReference(name, path, default is not None, is_credential(path)))
        value = self.environ.get(name)
        if default is not None:
            return value or default
        # An empty key is as good as none; elsewhere an empty variable is a value.
        if is_credential(path) and not value:
            self.missing_env[path] = (*self.missing_env.get(path, ()), name)
            return ""
        if value is not None:
            return value
        self._problem(
            "undefined-variable",
            f"the environment variable {name} is not set; set it, or give a default:"
            f" ${{env.{name}:-default}}",
            found,
            path,
            nth,
        )
        return found.group()

    def _param(self, found: re.Match[str], path: Path, nth: int) -> str:
        name = found["param"]
        if path[:1] == ("params",):
            return found.group()
        self.used_params.add(name)
        if name in self.open_params:
            self.open_places.add(path)
        elif name not in self.params:
            hint = did_you_mean(name, self.params) or f"; declare it: params: {{{name}: {{}}}}"
            self._problem("unknown-param", f"no param named {name!r}{hint}", found, path, nth)
            return found.group()
        return self.params[name]

    def _refused(self, found: re.Match[str], path: Path, nth: int) -> str:
        what = (
            "no environment variable may stand here, since a model reads this text and a secret"
            " must not reach it; use a param, or let a tool read the variable"
        )
        if path[:1] == ("params",):
            what = (
                "no environment variable may stand in a param, since a param can reach a model;"
                " give the value when running: --param NAME=VALUE"
            )
        self._problem("env-in-prompt", what, found, path, nth)
        return found.group()

    def _problem(
        self, code: ProblemCode, what: str, found: re.Match[str], path: Path, nth: int
    ) -> None:
        self.open_places.add(path)
        if len(self.problems) > MOST_PROBLEMS:
            return
        self.problems.append(
            Problem(code=code, message=what, path=path, within=found.group(), nth=nth)
        )
