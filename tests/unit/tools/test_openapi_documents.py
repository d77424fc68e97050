"""Documents of services: what is read of them, what is refused, and what tools come of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agency_cli.manifest import OpenApiTool
from agency_cli.tools.openapi.faults import NotFetched, Unusable
from agency_cli.tools.openapi.references import Part, References
from agency_cli.tools.openapi.schemas import Schemas
from agency_cli.tools.openapi.service import read_service
from http_service import Answer, http_service
from services import document, getting, posting, properties, read, tools_of, written

OK = {"responses": {"200": {"description": "ok"}}}


def refused(folder, content, **spec):
    with pytest.raises(Unusable) as caught:
        read(folder, content, **spec)
    assert "\n" not in str(caught.value)
    return caught.value


def names(folder, content, **spec):
    return [each.name for each in read(folder, content, **spec).operations]


def paths_of(*ids):
    return {f"/{number}": {"get": {"operationId": each, **OK}} for number, each in enumerate(ids)}


# Documents that cannot be used.


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("swagger: '2.0'\npaths: {}", "is Swagger 2.0; convert it to OpenAPI 3"),
        ("openapi: 4.0.0\npaths: {}", "is OpenAPI 4.0.0; versions 3.x can be read"),
        ("info: {}", "is no OpenAPI document; one begins with `openapi: 3.1.0`"),
        ("openapi: 3.1.0\npaths: {}", "describes no operation under `paths`"),
        ("openapi: 3.1.0", "describes no operation under `paths`"),
        ("openapi: 3.1.0\npaths: [a]", "describes no operation under `paths`"),
        ("- a", "holds no mapping"),
        ("", "holds no mapping"),
        ("a: [b", "service.yaml:2:1 is neither JSON nor YAML"),
        ('{"a": ', "is neither JSON nor YAML"),
        ("a: &a [*a]", "nests beyond all bounds"),
        ("[" * 5000, "nest"),
        ("a: !!python/object/apply:os.system [true]", "neither JSON nor YAML"),
    ],
)
def test_a_document_that_cannot_be_used_is_told_in_one_line(tmp_path, content, said):
    fault = refused(tmp_path, content)
    assert said in str(fault)
    assert (fault.code, fault.place) == ("broken-openapi", ("openapi",))


def test_aliases_cannot_grow_without_bound(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "grows beyond all bounds" in str(refused(tmp_path, "\n".join(lines)))


def test_a_file_that_is_not_there_is_told_with_what_was_meant(tmp_path):
    written(tmp_path, document(getting()), "petstore.yaml")
    with pytest.raises(Unusable, match=r"'petstor\.yaml' does not exist .*'petstore\.yaml'"):
        read_service(OpenApiTool(openapi="petstor.yaml"), tmp_path)


def test_bytes_that_are_no_text_are_told(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"a: \xff")
    with pytest.raises(Unusable, match="is not UTF-8"):
        read_service(OpenApiTool(openapi="a.yaml"), tmp_path)


# Where the service is.


@pytest.mark.parametrize(
    ("servers", "expected"),
    [
        ([{"url": "https://a.example/v1"}, {"url": "https://b.example"}], "https://a.example/v1"),
        ([{"url": "https://{host}/{v}", "variables": {"host": {"default": "a.example"},
           "v": {"default": "v2", "enum": ["v2"]}}}], "https://a.example/v2"),
    ],
)  # fmt: skip
def test_the_first_server_is_asked_with_its_variables_defaulted(tmp_path, servers, expected):
    service = read(tmp_path, document(getting(), servers=servers))
    assert service.operations[0].base_url == expected


def test_servers_of_an_operation_and_of_a_path_come_first(tmp_path):
    paths = {
        "/a": {"servers": [{"url": "https://path.example"}], "get": {**OK},
               "put": {**OK, "servers": [{"url": "https://own.example"}]}},
        "/b": {"get": {**OK}},
    }  # fmt: skip
    service = read(tmp_path, document(paths))
    assert {each.called.route: each.base_url for each in service.operations} == {
        "GET /a": "https://path.example",
        "PUT /a": "https://own.example",
        "GET /b": "https://api.example.org/v1",
    }


@pytest.mark.parametrize("servers", [[], [{"url": "/v1"}], [{"url": "https://{host}/"}]])
def test_a_document_that_names_no_server_needs_a_base_url(tmp_path, servers):
    content = document(getting(), servers=servers)
    fault = refused(tmp_path, content)
    assert fault.code == "missing-base-url"
    assert "give its address as `base_url`" in str(fault)
    service = read(tmp_path, content, base_url="https://b.example")
    assert service.operations[0].base_url == "https://b.example"


def test_a_document_is_fetched_and_its_servers_are_relative_to_it():
    with http_service() as running:
        body = json.dumps(document(getting(), servers=[{"url": "../v2"}])).encode()
        running.answers["/docs/openapi.json"] = Answer(200, body)
        url = f"{running.url}/docs/openapi.json"
        service = read_service(OpenApiTool(openapi=url), None)
        assert service.operations[0].base_url == f"{running.url}/v2"
        running.answers["/docs/openapi.json"] = Answer(404, b"")
        with pytest.raises(NotFetched, match="HTTP 404 Not Found; check the address"):
            read_service(OpenApiTool(openapi=url), None)
    with pytest.raises(NotFetched, match="cannot be fetched"):
        read_service(OpenApiTool(openapi=url), None)


# Names and choice.


def test_a_tool_is_named_by_its_operation_id(tmp_path):
    assert names(tmp_path, document(paths_of("listPets", "get-pet"))) == ["listPets", "get-pet"]
    assert names(tmp_path, document(paths_of("a", "b")), prefix="x_") == ["x_a", "x_b"]


def test_without_an_id_it_is_named_by_method_and_path(tmp_path):
    paths = {"/pets/{petId}": {"get": OK, "delete": OK}, "/": {"get": OK}}
    assert names(tmp_path, document(paths)) == ["get_pets_petId", "delete_pets_petId", "get"]


def test_an_id_that_two_operations_have_names_neither(tmp_path):
    assert names(tmp_path, document(paths_of("same", "same", "other"))) == [
        "get_0", "get_1", "other"]  # fmt: skip


def test_names_that_come_out_the_same_are_told_apart_and_stay(tmp_path):
    first = names(tmp_path, document(paths_of("a.b", "a b", "a_b")))
    assert first[2] == "a_b"
    assert len(set(first)) == 3
    chosen = names(tmp_path, document(paths_of("a.b", "a b", "a_b")), operations=["a.b"])
    assert chosen == first[:1], "a name does not depend on what else is chosen"


def test_names_fit_providers_and_are_none_of_the_flows(tmp_path):
    long = "x" * 100
    found = names(tmp_path, document(paths_of(long, f"{long}y", "größe", "send_message",
                                              "transfer_to_ceo")))  # fmt: skip
    assert len(set(found)) == 5
    for name in found:
        assert len(name) <= 64
        assert name.replace("_", "").replace("-", "").isascii()
        assert not name.startswith(("send_message", "transfer_to_"))


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["listPets"], ["listPets"]),
        (["*Pet"], ["getPet", "dropPet"]),
        (["GET *"], ["listPets", "getPet"]),
        (["get /pets/*"], ["getPet"]),
        (["* /pets/{id}", "listPets"], ["listPets", "getPet", "dropPet"]),
    ],
)
def test_patterns_choose_by_id_or_by_method_and_path(tmp_path, patterns, expected):
    paths = {"/pets": {"get": {"operationId": "listPets", **OK}},
             "/pets/{id}": {"get": {"operationId": "getPet", **OK},
                            "delete": {"operationId": "dropPet", **OK}}}  # fmt: skip
    assert names(tmp_path, document(paths), operations=patterns) == expected


def test_a_pattern_that_matches_nothing_is_told_with_what_is_near(tmp_path):
    fault = refused(tmp_path, document(paths_of("listPets", "getPet")), operations=["*", "listPet"])
    assert str(fault) == (
        "no operation matches 'listPet' (did you mean 'listPets'?); the document has: listPets,"
        " getPet"
    )
    assert (fault.code, fault.place) == ("unknown-operation", ("operations", 1))


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
