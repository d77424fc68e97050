"""A manifest that was read and looked through, sound or not; every problem is collected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from agency_cli.checks import ERRORS, MOST_PROBLEMS, WARNINGS, Subject, Text, run_checks
from agency_cli.checks.flows import too_many
from agency_cli.errors import Problem
from agency_cli.loading.composing import compose
from agency_cli.loading.extensions import without_extensions
from agency_cli.loading.files import (
    Place,
    TextFile,
    missing_documents,
    missing_python_files,
    read_instruction_files,
)
from agency_cli.loading.follow_ups import Doubts
from agency_cli.loading.including import with_includes
from agency_cli.loading.interpolation import EnvReference, Interpolation
from agency_cli.loading.params import Given, Params, read_params
from agency_cli.loading.reading import decode_text, read_text
from agency_cli.loading.schemas import Schemas, read_schemas
from agency_cli.loading.sources import Sources
from agency_cli.loading.typed import typed
from agency_cli.manifest import Manifest


class Draft(NamedTuple):
    """What is known of a manifest after looking through all of it.

    Attributes:
        folder: Absolute; paths in the manifest resolve against it.
        sources: Its texts.
        params: Its params.
        manifest: As far as it can be told; sound only without errors.
        instructions: What each agent is told, shared instructions first, by its key.
        schemas: The JSON Schemas of final outputs and guardrails.
        missing_env: Unset variables of credentials, by place.
        env: Its references to environment variables.
        errors: Located, in the order in which they are shown.
        warnings: Located.
    """

    folder: Path
    sources: Sources
    params: Params
    manifest: Manifest | None
    instructions: Mapping[str, str]
    schemas: Schemas
    missing_env: Mapping[tuple[str | int, ...], tuple[str, ...]]
    env: tuple[EnvReference, ...]
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


STANDARD_INPUT: Final = "<stdin>"
"""What messages call a manifest that is given as bytes."""


def read_draft(
    path: Path,
    params: Mapping[str, Given],
    environ: Mapping[str, str],
    *,
    given: bytes | None = None,
) -> Draft:
    """Read a manifest and look for every problem in it.

    Args:
        path: The manifest.
        params: Values of params.
        environ: The environment's variables.
        given: The manifest itself, which is then not read; its paths resolve against the folder
            of `path` all the same.

    Raises:
        ManifestError: It cannot be read, or is not YAML.
    """
    if given is None:
        shown = str(path)
        data, text = read_text(path, shown)
    else:
        shown, data = STANDARD_INPUT, given
        text = decode_text(data, shown)
    composed, composing_problems = compose(text, shown)
    inclusion = with_includes(composed, path.absolute().parent, shown)
    document = inclusion.document
    whole = document.data()
    assert isinstance(whole, dict)
    sources = Sources(shown, data, document, inclusion.files, {})
    reader = _Reader(sources, path.absolute().parent, whole, environ)
    return reader.draft(params, [*composing_problems, *inclusion.problems])


class _Reader:
    """The one pass from a document to a draft."""

    def __init__(
        self, sources: Sources, folder: Path, whole: dict[str, Any], environ: Mapping[str, str]
    ) -> None:
        self._sources = sources
        self._folder = folder
        self._whole = whole
        self._environ = environ
        self._param_files: Mapping[Place, TextFile] = {}
        self._schemas = Schemas({}, {}, [])

    def draft(self, given: Mapping[str, Given], composing_problems: Iterable[Problem]) -> Draft:
        written = without_extensions(self._whole)
        params = read_params(written.get("params"), given, self._folder)
        self._param_files = params.files
        interpolation = Interpolation(self._environ, params.texts(), params.open)
        document = interpolation.value(written)
        assert isinstance(document, dict)
        result = typed(document, written)
        manifest = result.manifest
        self._sources = self._sources._replace(renamed=result.renamed)
        doubts = Doubts(set(result.mended), result.renamed, interpolation.open_places)
        shape = [*composing_problems, *params.problems]
        references = filter(doubts.is_independent, interpolation.problems)
        shape += _known_places(references, result.problems)
        shape += filter(doubts.is_decided, result.problems)
        rest: list[Problem] = []
        warnings: list[Problem] = []
        shared, texts = "", dict[str, Text]()
        excess = [] if manifest is None else list(too_many(manifest))
        rest += excess
        if manifest is not None and not excess:
            unread = [*filter(doubts.is_independent, self._read_files(manifest))]
            rest += unread
            # What a file that cannot be read would say is not known either.
            doubts.mended.update(problem.path for problem in unread)
            # The files of instructions can hold references that lead nowhere, too.
            before = len(interpolation.problems)
            shared = self._shared(manifest, interpolation)
            texts = self._own(manifest, interpolation)
            rest += interpolation.problems[before:]
            subject = Subject(manifest, self._whole, texts, frozenset(interpolation.used_params))
            rest += run_checks(subject, ERRORS, is_certain=doubts.is_certain)
            warnings = run_checks(subject, WARNINGS, is_certain=doubts.is_worth_a_warning)
        return Draft(
            folder=self._folder,
            sources=self._sources,
            params=params,
            manifest=None if excess else manifest,
            instructions={key: _joined(shared, text.text) for key, text in texts.items()},
            schemas=self._schemas,
            missing_env=interpolation.missing_env,
            env=tuple(interpolation.env),
            errors=(*self._located(shape, in_order=True), *self._located(rest)),
            warnings=tuple(self._located(warnings)),
        )

    def _read_files(self, manifest: Manifest) -> list[Problem]:
        shown_folder = os.path.dirname(self._sources.shown)  # noqa: PTH120 - as written
        files, problems = read_instruction_files(
            manifest, self._folder, shown_folder, self._sources.locate
        )
        schemas = read_schemas(manifest, self._folder, shown_folder, self._sources.locate)
        self._schemas = schemas
        included = self._sources.files
        read = {**included, **self._param_files, **files, **schemas.files}
        self._sources = self._sources._replace(files=read)
        missing = missing_python_files(manifest, self._folder)
        documents = missing_documents(manifest, self._folder)
        return [*problems, *schemas.problems, *missing, *documents]

    def _shared(self, manifest: Manifest, interpolation: Interpolation) -> str:
        place = ("shared_instructions_file",)
        if place in self._sources.files:
            return interpolation.text(self._sources.files[place].text, place, prompt=True)
        return manifest.shared_instructions or ""

    def _own(self, manifest: Manifest, interpolation: Interpolation) -> dict[str, Text]:
        texts = {}
        for key, agent in manifest.agents.items():
            place = ("agents", key, "instructions_file")
            if place in self._sources.files:
                file = self._sources.files[place]
                texts[key] = Text(place, interpolation.text(file.text, place, prompt=True))
            elif agent.instructions is not None:
                texts[key] = Text(("agents", key, "instructions"), agent.instructions)
        return texts

    def _located(self, problems: Iterable[Problem], *, in_order: bool = False) -> list[Problem]:
        """Add the places; what concerns the shape is shown in the order of the text."""
        problems = list(problems)
        located = [self._sources.locate(problem) for problem in problems[:MOST_PROBLEMS]]
        if in_order:
            located.sort(key=self._reading_order)
        if len(problems) > MOST_PROBLEMS:
            what = f"there are more problems than these {MOST_PROBLEMS}; mend these first"
            more = Problem(code="more-problems", message=what, severity=problems[0].severity)
            located.append(self._sources.locate(more))
        return located

    def _reading_order(self, problem: Problem) -> tuple[bool, str, int, int]:
        """Put the manifest first, then the files that it includes, each from its top."""
        file = problem.file or ""
        return file != self._sources.shown, file, problem.line or 0, problem.column or 0


def _known_places(problems: Iterable[Problem], shape: Iterable[Problem]) -> list[Problem]:
    """Leave out what stands below an unknown key: what it should hold is not known."""
    unknown = {problem.path for problem in shape if problem.code == "unknown-key"}
    return [
        problem
        for problem in problems
        if not any(problem.path[:length] in unknown for length in range(1, len(problem.path) + 1))
    ]


def _joined(shared: str, own: str) -> str:
    return "\n\n".join(text for text in (shared.strip(), own.strip()) if text)
