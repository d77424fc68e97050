"""The value of each param: given, its default, or not there yet."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Final, NamedTuple

from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.errors import ManifestError, Problem
from agency_cli.loading.files import TextFile
from agency_cli.loading.nodes import Path
from agency_cli.loading.reading import read_text

Value = str | int | float | bool | list[str]
Given = str | Sequence[str]
"""What somebody gave: one text, or several where an option was repeated."""

_TYPES: Final = (str, int, float, bool, list)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,100}")
_NUMBER: Final = re.compile(r"[+-]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_WHAT: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "file": "the path of a text file",
    "list": "a list of texts",
}
_EMPTY: Final[dict[str, Value]] = {
    "string": "", "integer": 0, "number": 0, "boolean": False, "file": "", "list": [],
}  # fmt: skip


class Params(NamedTuple):
    """What is known of the params of one manifest.

    Attributes:
        values: By name; a stand-in of the right type where there is no value.
        open: Params without a value.
        problems: What is wrong with the declarations.
        complaints: What is wrong with the values that were given, for whoever gave them.
        files: The files that values were read from, by the places of their params.
    """

    values: Mapping[str, Value]
    open: frozenset[str]
    problems: tuple[Problem, ...]
    complaints: tuple[str, ...]
    files: Mapping[Path, TextFile]

    def texts(self) -> dict[str, str]:
        """Return each value as it stands in a text."""
        return {name: _text(value) for name, value in self.values.items()}


def read_params(
    declared: object, given: Mapping[str, Given], folder: FilePath = FilePath()
) -> Params:
    """Find the value of every param.

    Args:
        declared: What stands under `params`; of any shape, since it is not checked yet.
        given: Values from the command line; files are looked for in the current folder.
        folder: That of the manifest, where files that are defaults are looked for.
    """
    specs = declared if isinstance(declared, dict) else {}
    found = [_found(name, written, given, folder) for name, written in specs.items()]
    complaints = [
        f"--param {name}: the manifest has no such param{_known(name, specs)}"
        for name in given
        if name not in specs
    ]
    complaints += [each.complaint for each in found if each.complaint]
    complaints += [
        f"the param {each.name!r} ({each.missing}) has no value; give it with"
        f" --param {each.name}=VALUE"
        for each in found
        if each.missing
    ]
    return Params(
        values={each.name: each.value for each in found},
        open=frozenset(each.name for each in found if each.missing),
        problems=tuple(problem for each in found for problem in each.problems),
        complaints=tuple(complaints),
        files={("params", each.name): each.file for each in found if each.file},
    )


class _Found(NamedTuple):
    """What is known of one param.

    Attributes:
        name: Its name.
        value: Its value, or a stand-in.
        problems: What is wrong with its declaration.
        complaint: What is wrong with the value that was given.
        missing: What it is for, where it has no value and needs one.
        file: The file that its value was read from.
    """

    name: str
    value: Value
    problems: tuple[Problem, ...] = ()
    complaint: str = ""
    missing: str = ""
    file: TextFile | None = None


def _found(name: str, written: object, given: Mapping[str, Given], folder: FilePath) -> _Found:
    spec = written if isinstance(written, dict) else {}
    kind, complaint = _kind(spec), ""
    problems = tuple(_declaration_problems(name, spec, kind))
    value: object = spec.get("default")
    if name in given:
        value, complaint = _converted(name, given[name], spec)
    if kind == "file" and isinstance(value, str):
        place = FilePath() if name in given else folder
        return _of_file(_Found(name, "", problems), value, place, is_given=name in given)
    if isinstance(value, _TYPES) and _fits(value, kind):
        return _Found(name, value, problems)
    missing = ""
    if name not in given and spec.get("required") is not False:
        missing = str(spec.get("description") or _WHAT.get(kind, kind))
    return _Found(name, _stand_in(name, spec, kind), problems, complaint, missing)


def _of_file(found: _Found, path: str, folder: FilePath, *, is_given: bool) -> _Found:
    file, fault = _file(path, folder)
    if file is not None:
        return found._replace(value=file.text, file=file)
    if is_given:
        return found._replace(complaint=f"--param {found.name}={path}: {fault}")
    place = ("params", found.name, "default")
    problem = Problem(code="missing-file", message=f"{path}: {fault}", path=place)
    return found._replace(problems=(*found.problems, problem))


def _file(name: str, folder: FilePath) -> tuple[TextFile | None, str]:
    """Return a file, or what is wrong with it."""
    try:
        data, text = read_text(folder / name, name)
    except ManifestError as error:
        return None, error.problems[0].message
    return TextFile(name, data, text), ""


def _declaration_problems(name: str, spec: dict[str, object], kind: str) -> list[Problem]:
    problems: list[Problem] = []
    if kind not in _WHAT:
        return problems
    options, default = spec.get("enum"), spec.get("default")
    if isinstance(options, list):
        problems += [
            Problem(
                code="bad-param",
                message=f"every value of `enum` must be"
                f" {_WHAT['string' if kind == 'list' else kind]}, as `type` says",
                path=("params", name, "enum", position),
            )
            for position, option in enumerate(options)
            if not _fits(option, "string" if kind == "list" else kind)
        ]
    path = ("params", name, "default")
    if default is not None and not _fits(default, kind):
        what = f"the default must be {_WHAT[kind]}, as `type` says"
        problems.append(Problem(code="bad-param", message=what, path=path))
    elif default is not None and isinstance(options, list) and not _allowed(default, options):
        what = f"the default must be one of {listed(map(_text, options))}"
        problems.append(Problem(code="bad-param", message=what, path=path))
    return problems


def _converted(name: str, given: Given, spec: dict[str, object]) -> tuple[object, str]:
    """Return what was given as a value of the param's type, or None and a complaint."""
    kind = _kind(spec)
    texts = [given] if isinstance(given, str) else list(given)
    text = texts[-1]
    value = _listed(texts) if kind == "list" else _parsed(text, kind)
    options = spec.get("enum")
    if isinstance(options, list) and not _allowed(value, options):
        return None, f"--param {name}={text}: must be one of {listed(map(_text, options))}"
    if value is None:
        return None, f"--param {name}={text}: must be {_WHAT.get(kind, kind)}"
    return value, ""


def _listed(texts: Sequence[str]) -> list[str]:
    """Return the items of a list: each text is one, or all are in one text, as a JSON array."""
    if len(texts) == 1 and texts[0].lstrip().startswith("["):
        import json  # noqa: PLC0415 - rarely needed

        with suppress(ValueError, RecursionError):
            items = json.loads(texts[0])
            if all(isinstance(item, str | int | float) for item in items):
                return [_text(item) for item in items]
    return [text for text in texts if text]


def _allowed(value: object, options: list[object]) -> bool:
    return all(item in options for item in (value if isinstance(value, list) else [value]))


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
        case "list":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case _:
            return isinstance(value, str)


def _stand_in(name: str, spec: dict[str, object], kind: str) -> Value:
    """Return a value of the right type: empty where none is required, else like a real one."""
    options = spec.get("enum")
    if spec.get("required") is False:
        return _EMPTY.get(kind, "")
    for option in options if isinstance(options, list) else ():
        if kind == "list" and isinstance(option, str):
            return [option]
        if isinstance(option, _TYPES) and _fits(option, kind):
            return option
    return _EMPTY.get(kind) or ([name] if kind == "list" else name)


def _kind(spec: Mapping[str, object]) -> str:
    kind = spec.get("type", "string")
    return kind if isinstance(kind, str) else "string"


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _known(name: str, specs: Mapping[str, object]) -> str:
    hint = did_you_mean(name, specs)
    if hint:
        return hint
    return f"; it has {listed(specs)}" if specs else "; it has none"
