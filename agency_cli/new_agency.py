"""A new agency: the files of a template, with its own name and model in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from agency_cli.checks.nearest import did_you_mean
from agency_cli.errors import UsageError
from agency_cli.loading.scalars import resolve
from agency_cli.manifest.base import NAME_PATTERN
from agency_cli.schema import shipped_schema_text

TEMPLATES: Final[Mapping[str, str]] = {
    "solo": "one agent that answers",
    "team": "a lead who asks two specialists, at the same time",
    "handoff": "a reception that gives the conversation to sales or support",
    "pipeline-with-tools": "three agents in a row, with Python functions and files as tools",
}
"""Each template and what it shows; its files are in the folder of its name."""

MANIFEST: Final = "agency.yaml"
SCHEMA_FILE: Final = ".agency/agency.schema.json"
DEFAULT_MODEL: Final = "gpt-5-mini"
_HOME: Final = Path(__file__).with_name("templates")
# Git and packagers would take a real `.gitignore`, in the templates, at its word.
# Names of tests are unique, because pytest takes no two of a name from folders side by side.
_RENAMED: Final = {
    "gitignore": ".gitignore",
    "test_agency.py": "test_{slug}.py",
    "test_tools.py": "test_{slug}_tools.py",
}
_NAME_LINE: Final = "name: my_agency\n"
_MODEL_LINE: Final = f"defaults: {{model: {DEFAULT_MODEL}}}\n"
_COST_LINE: Final = re.compile(r"^  (max_cost_usd: .*)$", re.MULTILINE)


def require_name(name: str) -> None:
    """Make sure that an agency, and its folder, can go by a name.

    Raises:
        UsageError: They cannot.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise UsageError(
            f"{name!r} is no name for an agency: a letter, then letters, digits, `_`, `-` and `.`,"
            " at most 64; --folder says where it goes"
        )


def require_template(template: str) -> None:
    """Make sure that there is such a template.

    Raises:
        UsageError: There is none.
    """
    if template not in TEMPLATES:
        hint = did_you_mean(template, TEMPLATES)
        raise UsageError(f"no template named {template!r}{hint}; there are {', '.join(TEMPLATES)}")


def files_of(template: str, *, name: str, model: str) -> dict[str, str]:
    """Return the texts of a new agency's files, by their places in its folder.

    Args:
        template: One of `TEMPLATES`.
        name: Of the agency.
        model: What every agent uses that names no other.

    Raises:
        UsageError: The name, the template or the model cannot be.
    """
    require_name(name)
    require_template(template)
    if not model.strip() or not model.isprintable():
        raise UsageError(f"{model!r} is no name of a model; the usual one is {DEFAULT_MODEL}")
    slug = re.sub(r"\W", "_", name)
    found = [*_files_in(_HOME / template), *_files_in(_HOME / "shared")]
    files = {_RENAMED.get(place, place).format(slug=slug): text for place, text in sorted(found)}
    files[MANIFEST] = _personal(files[MANIFEST], name, model)
    files[SCHEMA_FILE] = shipped_schema_text()
    return files


def _files_in(folder: Path) -> Iterator[tuple[str, str]]:
    for path in folder.rglob("*"):
        # Python leaves its caches beside the modules of a template, too.
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")


def _personal(manifest: str, name: str, model: str) -> str:
    manifest = manifest.replace(_NAME_LINE, f"name: {_scalar(name)}\n")
    if model == DEFAULT_MODEL:
        return manifest
    manifest = manifest.replace(_MODEL_LINE, f"defaults: {{model: {_scalar(model)}}}\n")
    if model == "local":
        return manifest
    # What nobody knows the price of must not stand under a limit of money.
    return _COST_LINE.sub(r"  # \1   # for models whose prices are known", manifest)


def _scalar(text: str) -> str:
    """Write a text in YAML, in quotes where it would be something else without them."""
    is_plain = re.fullmatch(r"[\w./-]+(:[\w./-]+)*", text) and resolve(text) == text
    return text if is_plain and text[0] not in "-." else json.dumps(text, ensure_ascii=False)
