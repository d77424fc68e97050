"""A call of an operation's tool becomes the request that its document describes."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr

from agency_cli.foreign import ToolRefused
from http_service import Answer, http_service
from services import call, document, getting, posting, properties, tools_of


@pytest.fixture
def service():
    with http_service() as running:
        yield running


@pytest.fixture
def look(service, tmp_path):
    """Call `look` with one parameter, and return the request that arrived."""

    def looked(parameter, value, path="/things", **spec):
        tools = tools_of(tmp_path, document(getting(parameter, path=path)),
                         base_url=service.url, **spec)  # fmt: skip
        told = call(tools["look"], **{parameter["name"]: value})
        assert told.startswith("[200 OK"), told
        return service.asked[-1]

    return looked


@pytest.fixture
def make(service, tmp_path):
    """Call `make`, and return the request that arrived."""

    def made(schema, kind="application/json", *, required=True, **arguments):
        content = document(posting(schema, kind, required=required))
        tools = tools_of(tmp_path, content, base_url=service.url)
        told = call(tools["make"], **arguments)
        assert told.startswith("[200 OK"), told
        return service.asked[-1]

    return made


def parameter(place, **rest):
    return {"name": "v", "in": place, "required": True, "schema": {}, **rest}


@pytest.mark.parametrize(
    ("rest", "value", "expected"),
    [
        ({}, "a b&c=d", [("v", "a b&c=d")]),
        ({}, 3, [("v", "3")]),
        ({}, True, [("v", "true")]),
        ({}, ["a", "b"], [("v", "a"), ("v", "b")]),
        ({"explode": False}, ["a", "b"], [("v", "a,b")]),
        ({"style": "spaceDelimited"}, ["a", "b"], [("v", "a b")]),
        ({"style": "pipeDelimited"}, ["a", "b"], [("v", "a|b")]),
        ({"style": "pipeDelimited", "explode": True}, ["a", "b"], [("v", "a"), ("v", "b")]),
        ({}, {"x": 1, "y": "z"}, [("x", "1"), ("y", "z")]),
        ({"explode": False}, {"x": 1, "y": "z"}, [("v", "x,1,y,z")]),
        ({"style": "deepObject"}, {"x": 1, "y": "z"}, [("v[x]", "1"), ("v[y]", "z")]),
        ({"schema": None, "content": {"application/json": {}}}, {"x": [1]}, [("v", '{"x": [1]}')]),
    ],
)
def test_values_stand_in_a_query_as_their_style_says(look, rest, value, expected):
    assert look(parameter("query", **rest), value).query == expected


@pytest.mark.parametrize(
    ("rest", "value", "expected"),
    [
        ({}, "a/b c?#", "/things/a%2Fb%20c%3F%23"),
        ({}, ["a", "b"], "/things/a,b"),
        ({}, {"x": 1}, "/things/x,1"),
        ({"explode": True}, {"x": 1}, "/things/x=1"),
        ({"style": "label"}, ["a", "b"], "/things/.a,b"),
        ({"style": "label", "explode": True}, ["a", "b"], "/things/.a.b"),
        ({"style": "matrix"}, ["a", "b"], "/things/;v=a,b"),
        ({"style": "matrix", "explode": True}, ["a", "b"], "/things/;v=a;v=b"),
        ({"style": "matrix", "explode": True}, {"x": 1}, "/things/;x=1"),
    ],
)
def test_values_stand_in_a_path_as_their_style_says(look, rest, value, expected):
    assert look(parameter("path", **rest), value, path="/things/{v}").path == expected


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_no_value_makes_another_path_of_a_path(service, tmp_path, value):
    content = document(getting(parameter("path"), path="/things/{v}"))
    tools = tools_of(tmp_path, content, base_url=service.url)
    assert call(tools["look"], v=value) == f"refused: v cannot be {value!r}"
    assert not service.asked


def test_headers_and_cookies_are_sent(service, tmp_path):
    parameters = [
        {"name": "X-Many", "in": "header", "schema": {"type": "array"}},
        {"name": "session", "in": "cookie", "schema": {"type": "string"}},
    ]
    tools = tools_of(tmp_path, document(getting(*parameters)), base_url=service.url)
    call(tools["look"], **{"X-Many": [1, 2], "session": "a;b"})
    (asked,) = service.asked
    assert asked.headers["x-many"] == "1,2"
    assert asked.headers["cookie"] == "session=a%3Bb"


def test_a_header_cannot_end_early(service, tmp_path):
    content = document(getting({"name": "X-One", "in": "header", "schema": {}}))
    tools = tools_of(tmp_path, content, base_url=service.url)
    assert "no header can" in call(tools["look"], **{"X-One": "a\r\nX-Two: b"})
    assert not service.asked


THING = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "size": {"type": "object", "properties": {"w": {"type": "integer"}}},
    },
}


def test_a_body_of_properties_is_made_of_arguments(make):
    asked = make(THING, name="Ä", tags=["a"], size={"w": 2})
    assert asked.json == {"name": "Ä", "tags": ["a"], "size": {"w": 2}}
    assert asked.headers["content-type"] == "application/json"


def test_what_is_left_out_is_not_sent(make):
    assert make(THING, name="a", tags=None).json == {"name": "a"}


def test_a_body_that_is_no_plain_object_is_one_argument(make):
    assert make({"type": "array", "items": {"type": "integer"}}, body=[1, 2]).json == [1, 2]
    assert make({"oneOf": [THING, {"type": "null"}]}, body={"name": "a"}).json == {"name": "a"}


def test_a_body_that_may_be_left_out_is_left_out(make):
    assert make(THING, required=False).body == b""
    assert make({"type": "object", "properties": {"a": {}}}, required=False).body == b""


def test_a_body_that_is_needed_is_sent_even_empty(make):
    assert make({"type": "object", "properties": {"a": {}}}).json == {}


def test_a_form_is_sent_as_one(make):
    asked = make(THING, "application/x-www-form-urlencoded", name="a b", tags=["x", "y"],
                 size={"w": 2})  # fmt: skip
    assert asked.body == b"name=a+b&tags=x&tags=y&size=%7B%22w%22%3A+2%7D"
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"


def test_texts_of_several_parts_are_sent_as_such(make):
    schema = {**THING, "properties": {**THING["properties"], "photo": {"type": "string",
              "format": "binary"}}}  # fmt: skip
    asked = make(schema, "multipart/form-data", name="Ä", tags=["x", "y"])
    assert asked.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert asked.body.count(b'name="tags"') == 2
    assert "\r\n\r\nÄ\r\n" in asked.body.decode()
    assert b"photo" not in asked.body


def test_a_text_is_sent_as_it_is(make):
    asked = make({"type": "string"}, "text/plain", body="Ä\nb")
    assert asked.body.decode() == "Ä\nb"
    assert asked.headers["content-type"] == "text/plain; charset=utf-8"


def test_names_that_clash_are_told_apart(service, tmp_path):
    paths = posting({"type": "object", "properties": {"id": {"type": "string"}}})
    paths["/things/{id}"] = paths.pop("/things")
    paths["/things/{id}"]["post"]["parameters"] = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
        {"name": "id", "in": "query", "schema": {"type": "integer"}},
    ]
    tools = tools_of(tmp_path, document(paths), base_url=service.url)
    assert list(properties(tools["make"])) == ["id", "id_in_query", "id_in_body"]
    call(tools["make"], id=1, id_in_query=2, id_in_body="three")
    (asked,) = service.asked
    assert (asked.path, asked.query, asked.json) == ("/things/1", [("id", "2")], {"id": "three"})


def test_what_the_manifest_sends_is_sent_with_each_request_and_no_model_is_asked(service, tmp_path):
    parameters = [
        {"name": "X-KEY", "in": "header", "required": True, "schema": {"type": "string"}},
        {"name": "api_key", "in": "query", "required": True, "schema": {"type": "string"}},
        {"name": "q", "in": "query", "schema": {"type": "string"}},
    ]
    given = {"headers": {"X-Key": SecretStr("s1")}, "query": {"api_key": SecretStr("s&2")}}
    tools = tools_of(tmp_path, document(getting(*parameters)), base_url=service.url, **given)
    assert list(properties(tools["look"])) == ["q"]
    call(tools["look"], q="a")
    (asked,) = service.asked
    assert asked.headers["x-key"] == "s1"
    assert asked.query == [("q", "a"), ("api_key", "s&2")]


def test_arguments_that_do_not_fit_are_told_and_nothing_is_sent(service, tmp_path):
    content = document(posting(THING, required=True))
    tool = tools_of(tmp_path, content, base_url=service.url)["make"]
    assert "'name' is a required property" in call(tool)
    assert "name: 3 is not of type 'string'" in call(tool, name=3)
    assert "colour" in call(tool, name="a", colour="red")
    assert not service.asked


def look_tool(tmp_path, service, **spec):
    return tools_of(tmp_path, document(getting()), base_url=service.url, **spec)["look"]


def test_an_answer_is_told_with_its_status(service, tmp_path):
    tool = look_tool(tmp_path, service)
    service.answers["/things"] = Answer(201, b'{"id": 7}')
    assert call(tool) == '[201 Created; application/json]\n{"id": 7}'
    service.answers["/things"] = Answer(204, b"", {})
    assert call(tool) == "[204 No Content]"


def test_what_goes_wrong_is_told_with_the_status_and_a_bounded_text(service, tmp_path):
    tool = look_tool(tmp_path, service)
    service.answers["/things"] = Answer(404, b'{"error": "no such thing"}')
    assert call(tool) == 'refused: HTTP 404 Not Found: {"error": "no such thing"}'
    service.answers["/things"] = Answer(500, b"x" * 300_000, {"Content-Type": "text/plain"})
    told = call(tool)
    assert told.startswith("refused: HTTP 500 Internal Server Error: xxx")
    assert len(told) < 5_000


def test_a_long_answer_is_cut_and_bytes_are_told(service, tmp_path):
    tool = look_tool(tmp_path, service)
    service.answers["/things"] = Answer(200, b"x" * 300_000, {"Content-Type": "text/plain"})
    told = call(tool)
    assert len(told) < 201_000
    assert told.endswith("[cut here, after 200,000 bytes]")
    service.answers["/things"] = Answer(200, b"\x89PNG" + b"x" * 6, {"Content-Type": "image/png"})
    assert call(tool) == "[200 OK; image/png]\n(10 bytes that are not text)"


def test_an_answer_in_another_encoding_is_read(service, tmp_path):
    tool = look_tool(tmp_path, service)
    headers = {"Content-Type": "text/plain; charset=latin-1"}
    service.answers["/things"] = Answer(200, "Käse".encode("latin-1"), headers)
    assert call(tool).endswith("Käse")


def test_a_redirect_is_followed_on_the_same_server_and_not_to_another(service, tmp_path):
    tool = look_tool(tmp_path, service, headers={"X-Key": SecretStr("s1")})
    service.answers["/things"] = Answer(307, b"", {"Location": "/moved?a=1"})
    service.answers["/moved"] = Answer(200, b'{"here": 1}')
    assert call(tool).endswith('{"here": 1}')
    assert service.asked[-1].headers["x-key"] == "s1"
    with http_service() as other:
        service.answers["/things"] = Answer(302, b"", {"Location": f"{other.url}/moved"})
        assert "redirects to another server, 127.0.0.1, which is not followed" in call(tool)
        assert not other.asked


def test_a_circle_of_redirects_ends(service, tmp_path):
    service.answers["/things"] = Answer(302, b"", {"Location": "/things"})
    assert "more than 5 redirects" in call(look_tool(tmp_path, service))


def test_a_service_that_does_not_answer_in_time_is_given_up(service, tmp_path):
    service.answers["/things"] = Answer(wait=20)
    told = call(look_tool(tmp_path, service, timeout_seconds=0.3))
    assert "took longer than 0.3 s (`timeout_seconds`)" in told
    assert "whether it took effect is unknown" in told


def test_a_service_that_is_not_there_is_told(tmp_path):
    with http_service() as gone:
        tool = look_tool(tmp_path, gone)
    told = call(tool)
    assert told.startswith(f"refused: {gone.url}/things cannot be reached")


def test_a_secret_in_the_query_is_in_no_message(tmp_path):
    with http_service() as gone:
        tool = look_tool(tmp_path, gone, query={"key": SecretStr("hidden-123")})
    assert "hidden-123" not in call(tool)


def test_arguments_that_are_no_json_object_are_told(service, tmp_path):
    tool = look_tool(tmp_path, service)
    for text in ("[1]", "{", "3"):
        with pytest.raises(ToolRefused, match="JSON"):
            asyncio.run(tool.on_invoke_tool(None, text))
    assert not service.asked
