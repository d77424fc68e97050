"""Files of JSON or YAML that hold one mapping."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agency_cli.errors import ManifestError, Problem
from agency_cli.loading.nodes import line_and_column
from agency_cli.loading.reading import read_text
from agency_cli.problem_codes import ProblemCode

Place = tuple[str | int, ...]


def read_mapping(path: Path, shown: str) -> Mapping[str, Any]:
    """Return what a file of JSON or YAML holds.

    Args:
        path: The file.
        shown: The file as messages name it.

    Raises:
        ManifestError: It cannot be read, or holds something else.
    """
    _, text = read_text(path, shown)
    return mapping_of(text, shown, (), "this must be names with values, such as `language: Go`")


def mapping_of(text: str, shown: str, place: Place, otherwise: str) -> Mapping[str, Any]:
    """Return what a text of JSON, or of YAML, which JSON is as well, holds.

    Args:
        text: The text.
        shown: Its file as messages name it.
        place: Where a manifest names it.
        otherwise: What is said where it is no mapping.

    Raises:
        ManifestError: It cannot be read, or is no mapping.
    """
    import yaml  # noqa: PLC0415 - only for such a file

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = yaml.load(text, Loader=loader)  # noqa: S506 - one of the two safe ones
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = line_and_column(text, mark.index) if mark is not None else (1, 1)
        what = getattr(error, "problem", None) or "it cannot be read"
        raise _refused(f"not JSON or YAML: {what}", shown, place, line, column) from None
    except (ValueError, RecursionError):
        raise _refused("not JSON or YAML that can be read", shown, place, 1, 1) from None
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise _refused(otherwise, shown, place, 1, 1)
    return value


def _refused(what: str, shown: str, place: Place, line: int, column: int) -> ManifestError:
    code: ProblemCode = "bad-schema" if place else "bad-file"
    return ManifestError(
        [Problem(code=code, message=what, path=place, file=shown, line=line, column=column)]
    )
