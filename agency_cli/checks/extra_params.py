"""Extra params: each a JSON Schema that can be kept, under a name that is free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel

from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.manifest import MESSAGE_PARAMETERS

Fault = tuple[Path, str]
"""Where in a param's schema something is wrong, and what."""

_IN_PLACE: Final = ("allOf", "anyOf", "oneOf")
_TYPES: Final = "string, number, integer, boolean, array, object or null"


def free_names(subject: Subject) -> Iterator[Problem]:
    """No extra param hides what every message, or every object of params, has."""
    for path, params in _declared(subject):
        for name in params:
            if name in MESSAGE_PARAMETERS:
                what = f"every message has a parameter {name!r} already; choose another name"
            elif name.startswith("_") or (name.startswith("model_") and hasattr(BaseModel, name)):
                what = f"{name!r} is kept for Pydantic, which holds the params; choose another name"
            else:
                continue
            yield Problem(code="param-clash", message=what, path=(*path, name), at_key=True)


def sound_schemas(subject: Subject) -> Iterator[Problem]:
    """Each extra param is a JSON Schema, its references lead somewhere, its default keeps it."""
    for path, params in _declared(subject):
        faults = {name: _malformed(schema) for name, schema in params.items()}
        # What cannot be read stands for anything, so that the others can still be looked at.
        readable = {name: {} if faults[name] else schema for name, schema in params.items()}
        for name in params:
            fault = (
                faults[name] or _broken_reference(readable, name) or _bad_default(readable, name)
            )
            if fault:
                place, what = fault
                yield Problem(code="bad-schema", message=what, path=(*path, name, *place))


def _declared(subject: Subject) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for index, flow in enumerate(subject.manifest.flows):
        if not isinstance(flow, str) and flow.extra_params:
            yield ("flows", index, "extra_params"), flow.extra_params


def _malformed(schema: Mapping[str, Any]) -> Fault | None:
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 - slow, rarely needed

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        place = tuple(error.absolute_path)
        advice = f"; write {_TYPES}" if place[-1:] == ("type",) else ""
        return place, f"this is no JSON Schema: {error.message}{advice}"
    return None


def _broken_reference(params: Mapping[str, Any], name: str) -> Fault | None:
    root = {"properties": params}
    for place, reference in _references(params[name], ()):
        if _target(root, reference) is None:
            return place, (
                f"{reference!r} leads nowhere; write '#/properties/PARAM/...', a place in these"
                " extra_params"
            )
    if _is_circle(params[name], root, ()):
        return (), "its references lead in a circle, so no value can be checked"
    return None


def _bad_default(params: Mapping[str, Any], name: str) -> Fault | None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow, rarely needed

    if "default" not in params[name] or any(_broken_reference(params, other) for other in params):
        return None
    validator = Draft202012Validator(
        {"properties": params}, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    for error in validator.iter_errors({name: params[name]["default"]}):
        return ("default",), f"the default does not keep its own schema: {error.message}"
    return None


def _references(part: Any, place: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                yield (*place, key), value
            elif key not in ("default", "enum", "const", "examples"):
                yield from _references(value, (*place, key))
    elif isinstance(part, list):
        for index, value in enumerate(part):
            yield from _references(value, (*place, index))


def _target(root: Any, reference: str) -> dict[str, Any] | None:
    """Return what `#/...` refers to; other documents are never fetched."""
    if not reference.startswith("#/"):
        return None
    found = root
    for part in reference[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdecimal():
            found = found[int(key)] if int(key) < len(found) else None
        else:
            found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, dict) else None


def _is_circle(schema: Any, root: Any, passed: tuple[str, ...]) -> bool:
    """Say whether checking one value leads back to itself; lists and objects go deeper first."""
    if not isinstance(schema, dict):
        return False
    reference = schema.get("$ref")
    if isinstance(reference, str) and (
        reference in passed or _is_circle(_target(root, reference), root, (*passed, reference))
    ):
        return True
    return any(
        _is_circle(part, root, passed) for keyword in _IN_PLACE for part in schema.get(keyword, ())
    )
