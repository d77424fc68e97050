"""Sound manifests for those who run them, problems for those who check them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from agency_cli.errors import ManifestError, Problem, UsageError
from agency_cli.loading.draft import Draft, read_draft
from agency_cli.loading.interpolation import EnvReference
from agency_cli.loading.params import Given
from agency_cli.loading.sources import Sources
from agency_cli.manifest import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedManifest:
    """A sound manifest, and everything that was read for it.

    Attributes:
        path: The manifest, as it was named.
        folder: Absolute; paths in the manifest resolve against it.
        manifest: Interpolated.
        digest: SHA-256 of the manifest and the files of instructions that it names.
        params: The value of every param.
        instructions: What each agent is told, by its key: the shared instructions, a blank line,
            its own.
        output_schemas: The JSON Schemas of final outputs, by agents' keys; Python classes are not
            in it.
        guardrail_schemas: The JSON Schemas of guardrails, by their keys.
        warnings: Located.
        missing_env: Environment variables that credentials need and that are not set, by the
            credential's place; the credential is empty.
        env: Every reference to an environment variable.
        sources: The texts, for the places of problems that are found later.
    """

    path: Path
    folder: Path
    manifest: Manifest
    digest: str
    params: Mapping[str, object]
    instructions: Mapping[str, str]
    output_schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    guardrail_schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()
    missing_env: Mapping[tuple[str | int, ...], tuple[str, ...]] = field(default_factory=dict)
    env: tuple[EnvReference, ...] = ()
    sources: Sources = field(repr=False, compare=False)

    def locate(self, problem: Problem) -> Problem:
        """Return a problem, found by its path, with file, line and column."""
        return self.sources.locate(problem)

    def place_of(self, path: tuple[str | int, ...]) -> str:
        """Return where the manifest says something, as `agency.yaml:40`."""
        found = self.locate(Problem(code="", message="", path=path))
        return f"{found.file}:{found.line}"


class Report(NamedTuple):
    """What checking one manifest found: errors, then warnings.

    Attributes:
        problems: Located.
        manifest: What could be understood; None where that is nothing.
        included: The files that add to it, as messages name them.
    """

    problems: tuple[Problem, ...]
    manifest: Manifest | None = None
    included: tuple[str, ...] = ()

    @property
    def has_errors(self) -> bool:
        return any(problem.severity == "error" for problem in self.problems)

    def with_more(self, errors: Iterable[Problem]) -> Report:
        """Return a report of these errors too."""
        return self._replace(problems=(*errors, *self.problems))


def load_manifest(
    path: Path | str,
    *,
    params: Mapping[str, Given] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> LoadedManifest:
    """Read, check and type a manifest.

    Args:
        path: The manifest.
        params: Values of params as texts, by name; several for a list.
        environ: The environment's variables.

    Raises:
        ManifestError: The manifest has problems; all of them.
        UsageError: Params that do not exist, lack a value, or cannot have the one given.
    """
    path = Path(path)
    draft = read_draft(path, params or {}, environ)
    if draft.errors:
        raise ManifestError([*draft.errors, *draft.warnings])
    if draft.params.complaints:
        raise UsageError("; ".join(draft.params.complaints))
    return _loaded(path, draft)


def load_without_params(
    path: Path | str, *, environ: Mapping[str, str] = os.environ, given: bytes | None = None
) -> LoadedManifest:
    """Read, check and type a manifest that is not to be run; params need no values for that.

    Args:
        path: The manifest.
        environ: The environment's variables.
        given: The manifest itself, which is then not read from `path`.

    Raises:
        ManifestError: The manifest has problems; all of them.
    """
    draft = read_draft(Path(path), {}, environ, given=given)
    if draft.errors:
        raise ManifestError([*draft.errors, *draft.warnings])
    return _loaded(Path(path), draft)


def _loaded(path: Path, draft: Draft) -> LoadedManifest:
    assert draft.manifest is not None
    return LoadedManifest(
        path=path,
        folder=draft.folder,
        manifest=draft.manifest,
        digest=draft.sources.digest(),
        params=draft.params.values,
        instructions=draft.instructions,
        output_schemas=draft.schemas.of("agents"),
        guardrail_schemas=draft.schemas.of("guardrails"),
        warnings=draft.warnings,
        missing_env=draft.missing_env,
        env=draft.env,
        sources=draft.sources,
    )


def examine_manifest(
    path: Path | str, *, environ: Mapping[str, str] = os.environ, given: bytes | None = None
) -> Report:
    """Return what is wrong with a manifest; params need no values for that.

    Args:
        path: The manifest.
        environ: The environment's variables.
        given: The manifest itself, which is then not read from `path`.
    """
    try:
        draft = read_draft(Path(path), {}, environ, given=given)
    except ManifestError as error:
        return Report(error.problems)
    return Report((*draft.errors, *draft.warnings), draft.manifest, draft.sources.included)


def check_manifest(
    path: Path | str, *, environ: Mapping[str, str] = os.environ
) -> tuple[Problem, ...]:
    """Return the errors, then the warnings, of a manifest; params need no values for that."""
    return examine_manifest(path, environ=environ).problems
