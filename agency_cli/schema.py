"""The JSON Schema of manifests: generated from the models, read from a file when it is needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

Schema = dict[str, Any]

_NAME: Final = "agency.schema.json"
# Shipped in the wheel beside this file; in a checkout, where editors look for it.
_PLACES: Final = (Path(__file__).with_name(_NAME), Path(__file__).parents[1] / "schemas" / _NAME)
_HEAD: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "urn:agency-cli:manifest:1",
}


@cache
def load_schema() -> Schema:
    """Return the generated schema, as it was shipped; read once."""
    schema: Schema = json.loads(shipped_schema_text())
    return schema


def shipped_schema_text() -> str:
    """Return the text of the generated schema, as it was shipped."""
    place = next(place for place in _PLACES if place.is_file())
    return place.read_text(encoding="utf-8")


def schema_text() -> str:
    """Generate the schema from the models, as it stands in the file."""
    return json.dumps(generate_schema(), indent=2, ensure_ascii=False) + "\n"


def generate_schema() -> Schema:
    """Generate the schema from the models."""
    # Every command imports this module, but only the generator needs the models.
    from agency_cli.manifest import Manifest  # noqa: PLC0415 - see above

    schema = Manifest.model_json_schema()
    documented = _attribute_docs()
    for name, definition in (("Manifest", schema), *schema["$defs"].items()):
        for key, prop in definition.get("properties", {}).items():
            prop.setdefault("title", key.replace("_", " ").title())
            prop["description"] = documented[name][key]
    for part in _parts(schema):
        _tidy(part)
    return _HEAD | schema


def _tidy(part: Schema) -> None:
    # A default of null says only that the key may be left out.
    if "default" in part and part["default"] is None:
        del part["default"]
    # Pydantic says which keys a mapping takes, but not that it takes no others.
    if "patternProperties" in part:
        part.setdefault("additionalProperties", False)


def _parts(value: object) -> Iterator[Schema]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)


def _attribute_docs() -> dict[str, dict[str, str]]:
    """Return the text below each attribute of each model, by class and by the key in YAML.

    Pydantic can collect them too, but does so whenever the models are imported.
    """
    import inspect  # noqa: PLC0415 - only the generator needs it

    from agency_cli.manifest.base import Strict  # noqa: PLC0415 - only the generator needs it

    docs: dict[str, dict[str, str]] = {}
    for model in _subclasses(Strict):
        found: dict[str, str] = {}
        for base in reversed(model.__mro__):
            if issubclass(base, Strict):
                found |= _docs_in(inspect.getsource(base))
        docs[model.__name__] = {
            field.alias or name: found[name] for name, field in model.model_fields.items()
        }
    return docs


def _docs_in(source: str) -> dict[str, str]:
    import ast  # noqa: PLC0415 - only the generator needs it
    from itertools import pairwise  # noqa: PLC0415 - only the generator needs it

    body = ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for statement, following in pairwise(body.body):
        match statement, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                docs[name] = " ".join(text.split())
            case _:
                continue
    return docs


def _subclasses(model: type[Any]) -> Iterator[type[Any]]:
    for subclass in model.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _main(arguments: list[str]) -> int | str:
    """Write the schema; with `--check`, only say whether the file is stale."""
    place, text = _PLACES[1], schema_text()
    if "--check" not in arguments:
        place.write_text(text, encoding="utf-8")
    elif not place.is_file() or place.read_text(encoding="utf-8") != text:
        return f"{place} is stale; run: python -m agency_cli.schema"
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
