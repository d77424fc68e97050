"""The JSON Schemas that final outputs must satisfy: read from their files, and looked at."""

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
from agency_cli.manifest import Manifest

_OTHERWISE = "a JSON Schema is an object; write `type: object`"


class OutputSchemas(NamedTuple):
    """What the agents' `output_schema` say.

    Attributes:
        files: The files that hold them, by the place that names them.
        by_agent: The schemas by agents' keys; those that are Python classes are not in it.
        problems: What is wrong; those within a file are located.
    """

    files: dict[Place, TextFile]
    by_agent: dict[str, Mapping[str, Any]]
    problems: list[Problem]


def read_output_schemas(
    manifest: Manifest, folder: Path, shown_folder: str, locate: Callable[[Problem], Problem]
) -> OutputSchemas:
    """Read every schema of a final output.

    Args:
        manifest: Names the files, or holds the schemas.
        folder: Where files are looked for.
        shown_folder: The folder as the person wrote it, empty for the current one.
        locate: Adds file, line and column to a problem.
    """
    found = OutputSchemas({}, {}, [])
    for key, agent in manifest.agents.items():
        place: Place = ("agents", key, "output_schema")
        given = agent.output_schema
        if isinstance(given, Mapping):
            found.problems.extend(_problems(given, place, None))
            found.by_agent[key] = given
        elif (name := agent.output_schema_file) is not None:
            shown = os.path.join(shown_folder, name)  # noqa: PTH118 - as written, `..` and all
            try:
                at = locate(Problem(code="", message="", path=place))
                data, text = read_text(folder / name, shown, at=at)
                schema = mapping_of(text, shown, place, _OTHERWISE)
            except ManifestError as error:
                found.problems.extend(error.problems)
                continue
            found.files[place] = TextFile(shown, data, text)
            found.problems.extend(_problems(schema, place, shown))
            found.by_agent[key] = schema
    return found


def _problems(schema: Mapping[str, Any], place: Place, shown: str | None) -> Iterator[Problem]:
    for inner, what, at_key in faults_of(schema):
        if shown is None:
            yield Problem(code="bad-schema", message=what, path=(*place, *inner), at_key=at_key)
        else:
            where = Problem(code="", message="", path=inner).dotted_path
            told = f"{where}: {what}" if where else what
            yield Problem(code="bad-schema", message=told, path=place, file=shown, line=1, column=1)
