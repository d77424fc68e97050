"""Documents of services: what is read of them, what is refused, and what tools come of it."""

from __future__ import annotations

import json

import pytest

from agency_cli.manifest import OpenApiTool
from agency_cli.tools.openapi.faults import NotFetched, Unusable
from agency_cli.tools.openapi.service import read_service
from http_service import Answer, http_service
from services import OK, document, getting, paths_of, read, refused, written


def names(folder, content, **spec):
    return [each.name for each in read(folder, content, **spec).operations]


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


def test_what_may_be_secret_in_an_address_is_in_no_message():
    with http_service() as gone:
        pass
    url = gone.url.replace("://", "://ann:pass-word@") + "/openapi.json?key=hidden-123"
    with pytest.raises(NotFetched) as caught:
        read_service(OpenApiTool(openapi=url), None)
    assert f"{gone.url}/openapi.json cannot be fetched" in str(caught.value)
    assert "pass-word" not in str(caught.value)
    assert "hidden-123" not in str(caught.value)


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
