"""Python packages that not everybody needs."""

from __future__ import annotations

import importlib.util
import platform
from collections.abc import Iterator
from importlib import metadata

from agency_cli.checks.tools import named_python
from agency_cli.doctor.case import Case
from agency_cli.doctor.finding import Finding

EXTRAS = {"xllamacpp": "local", "litellm": "litellm"}
"""Packages of our extras, each with the name of its extra."""
USUAL = ("agency-cli", "openai-agents", "openai", "genai-prices")


def extras(case: Case) -> Iterator[Finding]:
    """Packages that the models of the manifest need."""
    users: dict[str, dict[str, None]] = {}
    for model, agents in case.models():
        if model.is_embedded:
            users.setdefault("xllamacpp", {}).update(dict.fromkeys(agents))
        elif model.endpoint is None:
            users.setdefault("litellm", {}).update(dict.fromkeys(agents))
    for package, needed_by in users.items():
        yield _extra(package, tuple(needed_by), is_needed=True)


def imported_packages(case: Case) -> Iterator[Finding]:
    """Packages that tools and message classes are taken from; none is imported."""
    places: dict[str, list[str]] = {}
    for path, reference in named_python(case.loaded.manifest) if case.loaded else ():
        module = reference.partition(":")[0]
        if not module.endswith((".py", "/")):
            places.setdefault(module.partition(".")[0], []).append(".".join(map(str, path)))
    for package, needed_by in places.items():
        there = importlib.util.find_spec(package) is not None
        yield Finding(
            kind="package",
            name=package,
            status="ok" if there else "missing",
            detail="can be imported" if there else "cannot be imported",
            advice="" if there else f"install what brings the Python package {package}",
            needed_by=tuple(needed_by),
        )


def installed(_case: Case) -> Iterator[Finding]:
    """Python, the packages that matter most, and which extras there are."""
    yield Finding(kind="package", name="python", status="ok", detail=platform.python_version())
    for package in USUAL:
        yield Finding(kind="package", name=package, status="ok", detail=_version(package))
    for package in EXTRAS:
        yield _extra(package, (), is_needed=False)


def _extra(package: str, users: tuple[str, ...], *, is_needed: bool) -> Finding:
    if importlib.util.find_spec(package) is not None:
        detail = _version(package)
        return Finding(kind="package", name=package, status="ok", detail=detail, needed_by=users)
    return Finding(
        kind="package",
        name=package,
        status="missing" if is_needed else "note",
        detail="not installed",
        advice=f"pip install 'agency-cli[{EXTRAS[package]}]'",
        needed_by=users,
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "of an unknown version"
