"""Whole documents, as services have them: OpenAPI 3.0 and 3.1."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from pydantic import SecretStr

from agency_cli.manifest import OpenApiTool
from agency_cli.tools.openapi.function_tools import openapi_tools
from http_service import http_service
from services import call, properties

DOCUMENTS = Path(__file__).parents[2] / "openapi_documents"


def tools(name, notices=None, **spec):
    declared = OpenApiTool(openapi=name, **spec)
    told = [] if notices is None else notices
    return {tool.name: tool for tool in openapi_tools(declared, DOCUMENTS, told.append)}


def test_the_petstore_becomes_tools_but_for_what_takes_a_file():
    notices = []
    found = tools("petstore_3_0.yaml", notices)
    assert list(found) == [
        *("addPet", "updatePet", "findPetsByStatus", "findPetsByTags", "getPetById"),
        *("updatePetWithForm", "deletePet", "getInventory", "placeOrder", "getOrderById"),
        *("deleteOrder", "createUser", "createUsersWithListInput", "loginUser", "logoutUser"),
        *("getUserByName", "updateUser", "deleteUser"),
    ]
    (notice,) = notices
    assert notice.startswith("uploadFile is left out: its body is to be application/octet-stream")
    assert list(properties(found["addPet"])) == [
        "id", "name", "category", "photoUrls", "tags", "status"]  # fmt: skip
    assert found["addPet"].params_json_schema["required"] == ["name", "photoUrls"]
    assert properties(found["updateUser"]).keys() >= {"username", "username_in_body"}


def test_the_petstore_is_called_as_it_says():
    with http_service() as service:
        found = tools("petstore_3_0.yaml", base_url=f"{service.url}/api/v3/",
                      headers={"api_key": SecretStr("special")})  # fmt: skip
        call(found["findPetsByStatus"], status=["available", "sold"])
        call(found["addPet"], name="Rex", photoUrls=[], category={"name": "dogs"})
        call(found["updateUser"], username="ann", username_in_body="anna")
        call(found["createUsersWithListInput"], body=[{"username": "ann"}])
        call(found["deletePet"], petId=7)
        seen = [(each.method, each.path) for each in service.asked]
        assert seen == [
            ("GET", "/api/v3/pet/findByStatus"),
            ("POST", "/api/v3/pet"),
            ("PUT", "/api/v3/user/ann"),
            ("POST", "/api/v3/user/createWithList"),
            ("DELETE", "/api/v3/pet/7"),
        ]
        assert service.asked[0].query == [("status", "available"), ("status", "sold")]
        assert service.asked[1].json == {
            "name": "Rex", "photoUrls": [], "category": {"name": "dogs"}}  # fmt: skip
        assert service.asked[2].json == {"username": "anna"}
        assert {each.headers["api_key"] for each in service.asked} == {"special"}


def test_a_document_of_3_1_becomes_tools_without_its_webhooks():
    found = tools("library_3_1.json")
    assert list(found) == ["search_books", "add_book", "lend"]
    assert list(properties(found["lend"])) == ["isbn", "body"]
    sequel = found["add_book"].params_json_schema["$defs"]["Book"]["allOf"][1]["properties"]
    assert sequel["sequel"] == {"$ref": "#/$defs/Book", "description": "What follows."}


def test_a_service_of_3_1_is_called_as_it_says():
    with http_service() as service:
        found = tools("library_3_1.json", base_url=service.url)
        call(found["search_books"], filter={"author": "Austen", "year": 1815}, page={"size": 5})
        call(found["add_book"], body={"title": "Emma", "sequel": {"title": "None"}})
        assert "does not match" in call(found["lend"], isbn="../x", body={"reader": "Ann"})
        call(found["lend"], isbn="1-2", body={"reader": "Ann"})
        assert service.asked[0].query == [
            *(("filter[author]", "Austen"), ("filter[year]", "1815")),
            ("page", '{"size": 5}'),
        ]
        assert service.asked[1].json == {"title": "Emma", "sequel": {"title": "None"}}
        assert [each.path for each in service.asked[2:]] == ["/loans/1-2"]


@pytest.mark.parametrize("name", [each.name for each in DOCUMENTS.iterdir()])
def test_all_schemas_of_arguments_are_sound(name):
    for tool in tools(name).values():
        Draft202012Validator.check_schema(tool.params_json_schema)
