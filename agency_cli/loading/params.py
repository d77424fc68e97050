"""The value of each param: given, its default, or not there yet."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.errors import Problem

Value = str | int | float | bool

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,100}")
_NUMBER: Final = re.compile(r"[+-]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_WHAT: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_EMPTY: Final[dict[str, Value]] = {"string": "", "integer": 0, "number": 0, "boolean": False}


class Params(NamedTuple):
    """What is known of the params of one manifest.

    Attributes:
        values: By name; a stand-in of the right type where there is no value.
        open: Params without a value.
        problems: What is wrong with the declarations.
        complaints: What is wrong with the values that were given, for whoever gave them.
    """

    values: Mapping[str, Value]
    open: frozenset[str]
    problems: tuple[Problem, ...]
    complaints: tuple[str, ...]

    def texts(self) -> dict[str, str]:
        """Return each value as it stands in a text."""
        return {name: _text(value) for name, value in self.values.items()}


def read_params(declared: object, given: Mapping[str, str]) -> Params:
    """Find the value of every param.

    Args:
        declared: What stands under `params`; of any shape, since it is not checked yet.
        given: Values from the command line.
    """
    specs = declared if isinstance(declared, dict) else {}
    values: dict[str, Value] = {}
    missing: dict[str, str] = {}
    problems: list[Problem] = []
    complaints = [
        f"--param {name}: the manifest has no such param{_known(name, specs)}"
        for name in given
        if name not in specs
    ]
    for name, written in specs.items():
        spec = written if isinstance(written, dict) else {}
        kind = _kind(spec)
        problems += _declaration_problems(name, spec, kind)
        if name in given:
            found, complaint = _converted(name, given[name], spec)
            complaints += [complaint] if complaint else []
        else:
            found = spec.get("default")
        if isinstance(found, Value) and _fits(found, kind):
            values[name] = found
        else:
            if name not in given and spec.get("required") is not False:
                missing[name] = str(spec.get("description") or _WHAT.get(kind, kind))
            values[name] = _stand_in(name, spec, kind)
    complaints += [
        f"the param {name!r} ({what}) has no value; give it with --param {name}=VALUE"
        for name, what in missing.items()
    ]
    return Params(values, frozenset(missing), tuple(problems), tuple(complaints))


def _declaration_problems(name: str, spec: dict[str, object], kind: str) -> list[Problem]:
    problems: list[Problem] = []
    if kind not in _WHAT:
        return problems
    options, default = spec.get("enum"), spec.get("default")
    if isinstance(options, list):
        problems += [
            Problem(
                code="bad-param",
                message=f"every value of `enum` must be {_WHAT[kind]}, as `type` says",
                path=("params", name, "enum", position),
            )
            for position, option in enumerate(options)
            if not _fits(option, kind)
        ]
    path = ("params", name, "default")
    if default is not None and not _fits(default, kind):
        what = f"the default must be {_WHAT[kind]}, as `type` says"
        problems.append(Problem(code="bad-param", message=what, path=path))
    elif default is not None and isinstance(options, list) and default not in options:
        what = f"the default must be one of {listed(map(_text, options))}"
        problems.append(Problem(code="bad-param", message=what, path=path))
    return problems


def _converted(name: str, text: str, spec: dict[str, object]) -> tuple[object, str]:
    """Return a given text as a value of the param's type, or None and a complaint."""
    kind = _kind(spec)
    value = _parsed(text, kind)
    options = spec.get("enum")
    if isinstance(options, list) and value not in options:
        return None, f"--param {name}={text}: must be one of {listed(map(_text, options))}"
    if value is None:
        return None, f"--param {name}={text}: must be {_WHAT.get(kind, kind)}"
    return value, ""


def _parsed(text: str, kind: str) -> Value | None:
    match kind:
        case "integer":
            return int(text) if _INTEGER.fullmatch(text) else None
        case "number":
            if _INTEGER.fullmatch(text):
                return int(text)
            number = float(text) if _NUMBER.fullmatch(text) else math.inf
            return number if math.isfinite(number) else None
        case "boolean":
            return {"true": True, "false": False}.get(text.casefold())
        case _:
            return text


def _fits(value: object, kind: str) -> bool:
    match kind:
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return is_number and math.isfinite(float(str(value)))
        case "boolean":
            return isinstance(value, bool)
        case _:
            return isinstance(value, str)


def _stand_in(name: str, spec: dict[str, object], kind: str) -> Value:
    """Return a value of the right type: empty where none is required, else like a real one."""
    options = spec.get("enum")
    if spec.get("required") is False:
        return _EMPTY.get(kind, "")
    for option in options if isinstance(options, list) else ():
        if isinstance(option, Value) and _fits(option, kind):
            return option
    return _EMPTY.get(kind) or name


def _kind(spec: Mapping[str, object]) -> str:
    kind = spec.get("type", "string")
    return kind if isinstance(kind, str) else "string"


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _known(name: str, specs: Mapping[str, object]) -> str:
    hint = did_you_mean(name, specs)
    if hint:
        return hint
    return f"; it has {listed(specs)}" if specs else "; it has none"
