"""Every key of the format, misspelt: one problem, at the key, with the right suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest

from agency_cli.loading import check_manifest
from agency_cli.loading.composing import compose

WHOLE = (Path(__file__).parents[2] / "manifests" / "every_key.yaml").read_text(encoding="utf-8")
DOCUMENT = compose(WHOLE, "every_key.yaml")[0]
# Mappings whose keys are names, or belong to somebody else's format.
FREE = {
    "params",
    "providers",
    "models",
    "tools",
    "guardrails",
    "agents",
    "headers",
    "env",
    "when",
    "options",
    "query",
    "metadata",
    "extra_params",
    "extra_query",
    "extra_body",
    "extra_headers",
    "extra_args",
    "context_management",
    "prompt_cache_options",
    "json_schema",
    "output_schema",
}


def keys(value, path=()):
    """Yield the path of every key whose spelling the format decides."""
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from keys(inner, (*path, index))
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        is_free = bool(path) and (path[-1] in FREE or FREE & set(path[2:]))
        if not is_free and not key.startswith("x-"):
            yield (*path, key)
        if not key.startswith("x-"):
            yield from keys(inner, (*path, key))


PATHS = list(keys(DOCUMENT.data()))


def test_the_manifest_with_every_key_is_sound(tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_text(WHOLE, encoding="utf-8")
    assert check_manifest(path, environ={}) == ()
    assert len(PATHS) > 150


@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
def test_a_misspelt_key_is_named_once_with_its_place_and_what_was_meant(path, tmp_path):
    key = str(path[-1])
    line, column = DOCUMENT.place(path, at_key=True)
    lines = WHOLE.splitlines()
    start = lines[line - 1][: column - 1]
    misspelt = f"{key[:-1]}_{key[-1]}"
    lines[line - 1] = start + misspelt + lines[line - 1][len(start) + len(key) :]
    file = tmp_path / "agency.yaml"
    file.write_text("\n".join(lines), encoding="utf-8")
    found = [p for p in check_manifest(file, environ={}) if p.severity == "error"]
    if path == ("params",):
        # Without its params, a manifest also has references to them that lead nowhere.
        found = [p for p in found if p.code != "unknown-param"]
    assert [(p.code, p.line, p.column) for p in found] == [("unknown-key", line, column)]
    assert f"{misspelt!r} (did you mean {key!r}?)" in found[0].message
    assert found[0].path == (*path[:-1], misspelt)
