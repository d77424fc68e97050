"""The JSON Schema of manifests."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path

import jsonschema
import pytest
from pydantic import ValidationError

from agency_cli.loading.composing import compose
from agency_cli.loading.extensions import without_extensions
from agency_cli.manifest import Manifest, ModelSettings
from agency_cli.schema import generate_schema, load_schema, schema_text

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "tests" / "manifests"
EXAMPLES = [*MANIFESTS.glob("valid/*.yaml"), *ROOT.glob("agencies/*/agency.yaml")]


def objects(schema):
    return [("Manifest", schema), *schema["$defs"].items()]


def test_the_file_is_what_the_models_say():
    text = (ROOT / "schemas" / "agency.schema.json").read_text(encoding="utf-8")
    assert text == schema_text(), "the schema is stale; run: python -m agency_cli.schema"


def test_the_schema_is_a_sound_schema():
    jsonschema.Draft202012Validator.check_schema(load_schema())


def test_every_key_of_every_mapping_has_a_title_and_a_description():
    for name, definition in objects(generate_schema()):
        assert definition.get("description"), name
        for key, prop in definition["properties"].items():
            assert prop.get("description"), f"{name}.{key}"
            assert prop.get("title") or "$ref" in prop, f"{name}.{key}"


def test_no_mapping_takes_keys_that_it_does_not_name():
    for name, definition in objects(generate_schema()):
        assert definition["additionalProperties"] is False, name


def test_free_form_keys_are_taken_where_they_are_promised():
    takers = {
        name
        for name, definition in objects(generate_schema())
        if "^x-" in definition.get("patternProperties", {})
    }
    tools = {name for name in takers if name.endswith("Tool")}
    assert takers - tools == {"Manifest", "AgentSpec", "FlowSpec"}
    assert len(tools) == 8


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_sound_manifests_satisfy_the_schema_alone(path):
    jsonschema.validate(document_in(path), load_schema())


def test_the_settings_of_a_model_are_those_of_the_sdk():
    from agents import ModelSettings as SdkSettings  # noqa: PLC0415 - it takes a second

    assert set(ModelSettings.model_fields) == set(SdkSettings.__dataclass_fields__)


def test_models_and_schema_take_the_same_documents():
    """Hold the models, which judge first, and the schema, which explains, to one opinion."""
    chance = random.Random(20)  # noqa: S311 - a test that can be repeated
    whole = without_extensions(document_in(MANIFESTS / "every_key.yaml"))
    validator = jsonschema.Draft202012Validator(load_schema())
    verdicts = {True: 0, False: 0}
    for _ in range(600):
        document = copy.deepcopy(whole)
        change = mutate(document, chance)
        verdict = validator.is_valid(document)
        verdicts[verdict] += 1
        assert taken(document) == verdict, (change, json.dumps(document, default=str))
    assert min(verdicts.values()) > 50


def document_in(path):
    document, problems = compose(path.read_text(encoding="utf-8"), path.name)
    assert not problems
    return document.data()


def taken(document):
    try:
        Manifest.model_validate(document)
    except ValidationError:
        return False
    return True


def mutate(document, chance):
    """Change one value, key or item somewhere in a document, and say how."""
    places = list(containers(document))
    container = chance.choice(places)
    key = chance.choice(list(container) if isinstance(container, dict) else range(len(container)))
    match chance.randrange(4):
        case 0:
            values = [None, True, False, 0, -1, 1, 7, 0.5, 3.5, "", "text", "a b", [], ["x"], {}]
            container[key] = chance.choice([*values, {"a": 1}, chance.choice(places)])
            return "value", key, container[key]
        case 1:
            del container[key]
            return "deleted", key, None
        case 2 if isinstance(container, dict):
            container[f"{key}x"] = container.pop(key)
            return "renamed", key, None
        case _ if isinstance(container, dict):
            container[chance.choice(["python", "name", "a b", "to", "model"])] = "json:dumps"
            return "added", key, None
        case _:
            container.append("added")
            return "appended", key, None


def containers(value):
    if isinstance(value, dict | list):
        if value:
            yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)
