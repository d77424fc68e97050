"""Extra params: each a JSON Schema that can be kept, under a name that is free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel

from agency_cli.checks.schema_words import (
    has_other_places,
    subschemas,
    unknown_formats,
    unknown_words,
)
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


def words_with_effect(subject: Subject) -> Iterator[Problem]:
    """Every word in the schema of an extra param is one that is heeded, in whatever depth."""
    for path, params in _declared(subject):
        for name, schema in params.items():
            for place, what in unknown_words(schema):
                where = (*path, name, *place)
                yield Problem(code="bad-schema", message=what, path=where, at_key=True)
            for place, what in unknown_formats(schema):
                yield Problem(code="bad-schema", message=what, path=(*path, name, *place))


def sound_schemas(subject: Subject) -> Iterator[Problem]:
    """Each extra param is a JSON Schema, its references lead somewhere, its default keeps it."""
    for path, params in _declared(subject):
        faults = {name: _malformed(schema) for name, schema in params.items()}
        # What cannot be read stands for anything, so that the others can still be looked at.
        readable = {
            name: {} if faults[name] or has_other_places(schema) else schema
            for name, schema in params.items()
        }
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
    for place, schema in subschemas(params[name]):
        reference = schema.get("$ref")
        if isinstance(reference, str) and _target(root, reference) is None:
            return (*place, "$ref"), (
                f"{reference!r} leads nowhere; write '#/properties/PARAM/...', a place in these"
                " extra_params"
            )
    if _is_circle(params[name], root, ()):
        return (), "its references lead in a circle, so no value can be checked"
    return None


def _bad_default(params: Mapping[str, Any], name: str) -> Fault | None:
    from agency_cli.checks.param_values import (  # noqa: PLC0415 - slow, rarely needed
        FORMAT_CHECKER,
        ParamValidator,
    )

    if "default" not in params[name] or any(_broken_reference(params, other) for other in params):
        return None
    validator = ParamValidator({"properties": params}, format_checker=FORMAT_CHECKER)
    for error in validator.iter_errors({name: params[name]["default"]}):
        return ("default",), f"the default does not keep its own schema: {error.message}"
    return None


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
