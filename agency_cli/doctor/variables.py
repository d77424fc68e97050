"""Variables of the environment: set or not; their values are nobody's business."""

from __future__ import annotations

from collections.abc import Iterator

from agency_cli.doctor.case import Case
from agency_cli.doctor.finding import Finding
from agency_cli.errors import Problem
from agency_cli.loading import EnvReference
from agency_cli.manifest import McpTool
from agency_cli.models.choice import ModelChoice

OWN = {
    "OPENAI_API_KEY": "models of OpenAI cannot be called",
    "OPENAI_BASE_URL": "models that name no provider are asked at OpenAI",
    "AGENCY_MODEL": "the SDK's default model is used where a manifest names none",
    "AGENCY_HOME": "each agency keeps its runs beside its manifest",
    "AGENCY_CACHE": "weights are kept in the user's cache",
}
"""Variables that the program itself reads, and what it means that one is not set."""

OF_MODELS = ("providers", "models", "defaults", "agents")
"""Keys of a manifest below which credentials are those of models."""


def variables(case: Case) -> Iterator[Finding]:
    """Every variable that the manifest refers to, and those of OpenAI where it is asked."""
    places: dict[str, list[EnvReference]] = {}
    for reference in case.loaded.env if case.loaded else ():
        places.setdefault(reference.name, []).append(reference)
    for name, references in places.items():
        yield _referred(case, name, references)
    built_in = [(model, users) for model, users in case.models() if _is_built_in(case, model)]
    users = tuple(dict.fromkeys(user for _, each in built_in for user in each))
    if built_in and case.environ.get("OPENAI_BASE_URL"):
        what = "set; models that name no provider are asked there"
        yield Finding(kind="variable", name="OPENAI_BASE_URL", status="ok", detail=what)
    if any(model.endpoint and model.endpoint.missing for model, _ in built_in):
        yield _missing("OPENAI_API_KEY", users)
    elif built_in and case.environ.get("OPENAI_API_KEY"):
        yield Finding(
            kind="variable", name="OPENAI_API_KEY", status="ok", detail="set", needed_by=users
        )


def own_variables(case: Case) -> Iterator[Finding]:
    """The variables that the program itself reads."""
    for name, otherwise in OWN.items():
        is_set = bool(case.environ.get(name))
        detail = "set" if is_set else f"not set: {otherwise}"
        yield Finding(kind="variable", name=name, status="ok" if is_set else "note", detail=detail)


def _referred(case: Case, name: str, references: list[EnvReference]) -> Finding:
    places = tuple(Problem(code="", message="", path=each.path).dotted_path for each in references)
    if case.environ.get(name):
        return Finding(kind="variable", name=name, status="ok", detail="set", needed_by=places)
    needed = [each for each in references if each.is_credential and not each.has_default]
    if not needed:
        without = not any(each.has_default for each in references)
        detail = "empty" if without else "not set; the manifest has a default"
        return Finding(kind="variable", name=name, status="ok", detail=detail, needed_by=places)
    if all(_is_unused(case, each) for each in needed):
        detail = "not set; no agent uses what needs it"
        return Finding(kind="variable", name=name, status="note", detail=detail, needed_by=places)
    if all(_is_unused(case, each) or _is_optional(case, each) for each in needed):
        detail = "not set; agents do without what needs it"
        return Finding(kind="variable", name=name, status="note", detail=detail, needed_by=places)
    return _missing(name, places)


def _missing(name: str, needed_by: tuple[str, ...]) -> Finding:
    return Finding(
        kind="variable",
        name=name,
        status="missing",
        detail="not set",
        advice=f"export {name}=...",
        needed_by=needed_by,
    )


def _is_unused(case: Case, reference: EnvReference) -> bool:
    """Say whether the variable stands in a credential of models, none of which any agent uses."""
    needed = {variable for model, _ in case.models() for variable in model.missing}
    return reference.path[0] in OF_MODELS and reference.name not in needed


def _is_optional(case: Case, reference: EnvReference) -> bool:
    """Say whether the variable is one of a server that is not required."""
    tools = case.loaded.manifest.tools if case.loaded else {}
    tool = tools.get(str(reference.path[1])) if reference.path[0] == "tools" else None
    return isinstance(tool, McpTool) and not tool.required


def _is_built_in(case: Case, model: ModelChoice) -> bool:
    """Say whether OPENAI_API_KEY and OPENAI_BASE_URL tell how the model is reached."""
    declared = case.loaded.manifest.providers if case.loaded else {}
    return (
        model.endpoint is not None
        and model.endpoint.provider == "openai"
        and "openai" not in declared
    )
