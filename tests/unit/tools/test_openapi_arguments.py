"""What documents of services refer to, and their schemas, as the arguments of tools."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agency_cli.tools.openapi.references import Part, References
from agency_cli.tools.openapi.schemas import Schemas
from http_service import Answer, http_service
from services import (
    OK,
    document,
    getting,
    paths_of,
    posting,
    properties,
    read,
    refused,
    tools_of,
    written,
)

# References.


def test_references_to_files_beside_the_document_are_followed(tmp_path):
    shared = {"Id": {"name": "id", "in": "query", "schema": {"$ref": "#/Kind"}},
              "Kind": {"type": "integer"}}  # fmt: skip
    written(tmp_path, shared, "parts/shared.yaml")
    content = document(getting({"$ref": "parts/shared.yaml#/Id"}))
    tool = tools_of(tmp_path, content)["look"]
    assert properties(tool) == {"id": {"$ref": "#/$defs/Kind"}}
    assert tool.params_json_schema["$defs"] == {"Kind": {"type": "integer"}}


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("../secret.yaml#/a", "outside the document's folder"),
        ("file:///etc/passwd", "outside the document's folder"),
        ("https://elsewhere.example/a.yaml#/b", "allow that with `remote_refs: true`"),
        ("gone.yaml#/a", "does not exist"),
        ("#/components/parameters/Gone", "leads to nothing"),
        ("#anchor", "names an anchor"),
        ("ftp://a.example/b", "no address that can be read"),
    ],
)
def test_a_reference_that_may_not_be_followed_is_told(tmp_path, ref, said):
    written(tmp_path, {"a": {}}, "secret.yaml")
    (tmp_path / "api").mkdir()
    fault = refused(tmp_path / "api", document(getting({"$ref": ref})), operations=["look"])
    assert said in str(fault)
    assert (fault.code, fault.place) == ("unusable-operation", ("operations", 0))
    assert len(str(fault)) < 400


def test_links_lead_out_of_the_folder_no_more_than_names(tmp_path):
    written(tmp_path, {"a": {"name": "a", "in": "query"}}, "secret.yaml")
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    content = document(getting({"$ref": "link.yaml#/a"}))
    assert "outside" in str(refused(tmp_path / "api", content))


def test_remote_references_are_followed_where_that_is_allowed(tmp_path):
    with http_service() as running:
        part = {"a": {"name": "far", "in": "query", "schema": {"type": "string"}}}
        running.answers["/part.json"] = Answer(200, json.dumps(part).encode())
        content = document(getting({"$ref": f"{running.url}/part.json#/a"}))
        tool = tools_of(tmp_path, content, remote_refs=True)["look"]
        assert list(properties(tool)) == ["far"]
        assert len(running.asked) == 1


def test_a_circle_of_references_is_told(tmp_path):
    loops = {"A": {"$ref": "#/components/parameters/B"}, "B": {"$ref": "#/components/parameters/A"}}
    content = document(getting({"$ref": "#/components/parameters/A"}),
                       components={"parameters": loops})  # fmt: skip
    assert "leads in a circle" in str(refused(tmp_path, content))


def test_schemas_that_hold_themselves_stay_small(tmp_path):
    node = {"type": "object", "required": ["children"], "properties": {
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}}}  # fmt: skip
    content = document(posting({"$ref": "#/components/schemas/Node"}, required=True),
                       components={"schemas": {"Node": node}})  # fmt: skip
    tool = tools_of(tmp_path, content)["make"]
    assert list(properties(tool)) == ["children"]
    assert properties(tool)["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert list(tool.params_json_schema["$defs"]) == ["Node"]
    Draft202012Validator(tool.params_json_schema).validate({"children": [{"children": []}]})


def test_schemas_without_end_are_cut_where_they_are_farthest(tmp_path):
    def thing(number):
        following = {"$ref": f"#/components/schemas/T{(number + 1) % 900}"}
        return {"type": "object", "description": "x" * 500, "properties": {"next": following}}

    schemas = {f"T{number}": thing(number) for number in range(900)}
    content = document(posting({"$ref": "#/components/schemas/T0"}),
                       components={"schemas": schemas})  # fmt: skip
    tool = tools_of(tmp_path, content)["make"]
    assert len(json.dumps(tool.params_json_schema)) < 60_000
    Draft202012Validator.check_schema(tool.params_json_schema)


# Schemas.


def converted(schema):
    return Schemas(References("file:///a.yaml", {}, remote=False)).converted(
        Part(schema, "file:///a.yaml")
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["a"], "nullable": True},
         {"type": ["string", "null"], "enum": ["a", None]}),
        ({"allOf": [{"type": "string"}], "nullable": True, "description": "d"},
         {"description": "d", "anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}]}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True},
         {"type": "integer", "exclusiveMinimum": 1}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "integer", "format": "int64", "example": 3, "x-a": 1, "xml": {}},
         {"type": "integer"}),
        ({"type": "string", "format": "date", "default": "2026-01-01"},
         {"type": "string", "format": "date", "default": "2026-01-01"}),
        ({"type": "string", "pattern": "[a-z]++(?<n>"}, {"type": "string"}),
        ({"oneOf": [{"type": "string"}, {"const": 3}], "discriminator": {"propertyName": "a"}},
         {"oneOf": [{"type": "string"}, {"const": 3}]}),
        ({"required": True, "type": "any"}, {}),
        (True, True),
        (None, {}),
    ],
)  # fmt: skip
def test_schemas_of_openapi_become_json_schema(schema, expected):
    assert converted(schema) == expected


words = st.sampled_from(
    [
        *("type", "enum", "required", "title", "description", "default", "format", "pattern"),
        *("minimum", "exclusiveMinimum", "minLength", "uniqueItems", "multipleOf", "nullable"),
        *("properties", "items", "allOf", "oneOf", "additionalProperties", "not", "if", "$schema"),
        *("$id", "readOnly", "example", "patternProperties", "prefixItems", "$defs", "contains"),
    ]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    | st.sampled_from(["string", "object", "array", "[", "a.b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(words, values, max_size=6))
def test_whatever_a_document_holds_a_sound_schema_comes_of_it(schema):
    Draft202012Validator.check_schema(converted(schema))


def test_arguments_are_strict_where_nothing_can_be_left_out(tmp_path):
    needed = {"name": "a", "in": "query", "required": True, "schema": {"type": "string"}}
    assert tools_of(tmp_path, document(getting(needed)))["look"].strict_json_schema
    loose = tools_of(tmp_path, document(getting({**needed, "required": False})))["look"]
    assert not loose.strict_json_schema


def test_an_operation_takes_the_parameters_of_its_path_unless_it_has_its_own(tmp_path):
    paths = getting({"name": "a", "in": "query", "schema": {"type": "integer"}})
    paths["/things"]["parameters"] = [
        {"name": "a", "in": "query", "schema": {"type": "string"}},
        {"name": "b", "in": "query", "description": "The other."},
    ]
    tool = tools_of(tmp_path, document(paths))["look"]
    assert properties(tool) == {"a": {"type": "integer"}, "b": {"description": "The other."}}


@pytest.mark.parametrize("kind", ["application/octet-stream", "image/png", "application/xml"])
def test_a_body_that_no_model_can_write_leaves_the_operation_out(tmp_path, kind):
    paths = {**posting({"type": "string"}, kind), **paths_of("other")}
    service = read(tmp_path, document(paths))
    assert [each.name for each in service.operations] == ["other"]
    assert service.left_out == (
        f"make is left out: its body is to be {kind}, which no model can write",
    )
    fault = refused(tmp_path, document(paths), operations=["make"])
    assert fault.code == "unusable-operation"


def test_a_file_that_must_be_sent_leaves_the_operation_out(tmp_path):
    schema = {"type": "object", "required": ["photo"],
              "properties": {"photo": {"type": "string", "format": "binary"}}}  # fmt: skip
    fault = refused(tmp_path, document(posting(schema, "multipart/form-data", required=True)))
    assert "needs the file 'photo'" in str(fault)


def test_an_unsound_parameter_leaves_its_operation_out(tmp_path):
    paths = {**getting({"name": "a", "in": "somewhere"}), **paths_of("other")}
    (left_out,) = read(tmp_path, document(paths)).left_out
    assert left_out.startswith("look is left out: a parameter is not sound: in: ")


def test_json_is_chosen_among_the_forms_of_a_body(tmp_path):
    paths = posting({"type": "object", "properties": {"a": {}}})
    content = paths["/things"]["post"]["requestBody"]["content"]
    paths["/things"]["post"]["requestBody"]["content"] = {
        "application/xml": {}, "application/x-www-form-urlencoded": {"schema": {}},
        "application/vnd.api+json": content["application/json"]}  # fmt: skip
    (operation,) = read(tmp_path, document(paths)).operations
    assert operation.signature.body.content_type == "application/vnd.api+json"


def test_keys_and_values_of_yaml_mean_what_they_do_in_json(tmp_path):
    text = """
        openapi: 3.0.3
        info: {title: T, version: 1.0}
        servers: [{url: https://a.example}]
        paths:
          /things:
            get:
              operationId: on
              parameters:
                - {name: no, in: query, schema: {type: string, enum: [on, off, 2026-01-01]}}
              responses:
                200: {description: ok}
        """
    tool = tools_of(tmp_path, text)["on"]
    assert properties(tool) == {"no": {"type": "string", "enum": ["on", "off", "2026-01-01"]}}


def test_the_description_is_that_of_the_document_bounded(tmp_path):
    content = document(getting(summary="Look.", description="y" * 5000))
    tool = tools_of(tmp_path, content, description="Of things.")["look"]
    assert tool.description.startswith("Of things.\n\nLook.\n\nyyy")
    assert len(tool.description) < 1_100
    assert tools_of(tmp_path, document(getting()))["look"].description == "GET /things"


def test_a_large_document_is_read(tmp_path):
    schemas = {f"T{n}": {"type": "object", "properties": {
        "next": {"$ref": f"#/components/schemas/T{(n + 1) % 500}"},
        **{f"f{k}": {"type": "string", "description": "x" * 150} for k in range(10)}}}
        for n in range(500)}  # fmt: skip
    paths = {f"/t{n}/{{id}}": {
        "parameters": [{"name": "id", "in": "path", "required": True}],
        "get": {"operationId": f"get{n}", **OK},
        "post": {"operationId": f"post{n}", **OK, "requestBody": {"content": {
            "application/json": {"schema": {"$ref": f"#/components/schemas/T{n}"}}}}}}
        for n in range(250)}  # fmt: skip
    content = json.dumps(document(paths, components={"schemas": schemas}))
    assert len(content) > 1_000_000
    tools = tools_of(tmp_path, content)
    assert len(tools) == 500
    assert max(len(json.dumps(tool.params_json_schema)) for tool in tools.values()) < 60_000
