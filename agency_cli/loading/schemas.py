"""The JSON Schemas of a manifest: read from their files, and looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agency_cli.checks.json_schemas import faults_of
from agency_cli.errors import ManifestError, Problem
from agency_cli.loading.data_files import mapping_of
from agency_cli.loading.files import Place, TextFile
from agency_cli.loading.reading import read_text
from agency_cli.manifest import Manifest, SchemaGuardrail

_OTHERWISE = "a JSON Schema is an object; write `type: object`"


class Schemas(NamedTuple):
    """The schemas of final outputs and of guardrails.

    Attributes:
        files: The files that hold them, by the place that names them.
        by_place: The schemas by their places; those that are Python classes are not in it.
        problems: What is wrong; those within a file are located.
    """

    files: dict[Place, TextFile]
    by_place: dict[Place, Mapping[str, Any]]
    problems: list[Problem]

    def of(self, section: str) -> dict[str, Mapping[str, Any]]:
        """Return those of `agents` or of `guardrails`, by their keys."""
        return {str(place[1]): each for place, each in self.by_place.items() if place[0] == section}


def read_schemas(
    manifest: Manifest, folder: Path, shown_folder: str, locate: Callable[[Problem], Problem]
) -> Schemas:
    """Read every schema.

    Args:
        manifest: Names the files, or holds the schemas.
        folder: Where files are looked for.
        shown_folder: The folder as the person wrote it, empty for the current one.
        locate: Adds file, line and column to a problem.
    """
    found = Schemas({}, {}, [])
    for place, given in _declared(manifest):
        is_output = place[0] == "agents"
        if isinstance(given, Mapping):
            found.problems.extend(_problems(given, place, None, is_output=is_output))
            found.by_place[place] = given
            continue
        shown = os.path.join(shown_folder, given)  # noqa: PTH118 - as written, `..` and all
        try:
            at = locate(Problem(code="", message="", path=place))
            data, text = read_text(folder / given, shown, at=at)
            schema = mapping_of(text, shown, place, _OTHERWISE)
        except ManifestError as error:
            found.problems.extend(error.problems)
            continue
        found.files[place] = TextFile(shown, data, text)
        found.problems.extend(_problems(schema, place, shown, is_output=is_output))
        found.by_place[place] = schema
    return found


def _declared(manifest: Manifest) -> Iterator[tuple[Place, str | Mapping[str, Any]]]:
    for key, agent in manifest.agents.items():
        if agent.output_schema is not None and agent.output_class is None:
            yield ("agents", key, "output_schema"), agent.output_schema
    for key, guardrail in manifest.guardrails.items():
        if isinstance(guardrail, SchemaGuardrail):
            yield ("guardrails", key, "json_schema"), guardrail.json_schema


def _problems(
    schema: Mapping[str, Any], place: Place, shown: str | None, *, is_output: bool
) -> Iterator[Problem]:
    for inner, what, at_key in faults_of(schema, is_output=is_output):
        if shown is None:
            yield Problem(code="bad-schema", message=what, path=(*place, *inner), at_key=at_key)
        else:
            where = Problem(code="", message="", path=inner).dotted_path
            told = f"{where}: {what}" if where else what
            yield Problem(code="bad-schema", message=told, path=place, file=shown, line=1, column=1)
