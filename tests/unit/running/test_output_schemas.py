"""Final outputs that must satisfy a schema: asked for, checked, sent back once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agency_cli.errors import ExitCode, LimitReached, ManifestError, Refused
from agency_cli.events import Notice
from agency_cli.rendering.run_json import run_json
from agency_runs import build, message, run
from fake_server import Fault, Reply
from journalled import send_to, write

ONE = """
agents:
  clerk:
    instructions: You are the clerk.
    output_schema:
      type: object
      properties: {name: {type: string}, age: {type: integer, minimum: 0}}
      required: [name, age]
      additionalProperties: false
"""
TEAM = """
entry: boss
agents:
  boss: {instructions: You are the boss.}
  clerk:
    instructions: You are the clerk.
    output_schema: parts/person.yaml
flows: [boss > clerk]
"""
GOOD, BAD = '{"name": "Ada", "age": 36}', '{"name": "Ada", "age": -1}'
PERSON = """
type: object
properties:
  name: {type: string}
  age: {type: integer, minimum: 0}
required: [name, age]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "person.yaml").write_text(PERSON)
    return tmp_path


@pytest.mark.parametrize("api", ["chat_completions", "responses"])
def test_the_provider_is_asked_for_the_schema_and_the_object_comes_back(tmp_path, fake_server, api):
    fake_server.when().says(GOOD)
    done = run(build(tmp_path, fake_server, ONE, api=api))
    assert json.loads(done.output) == {"name": "Ada", "age": 36}
    body = fake_server.requests[0].body
    told = (
        body["response_format"]["json_schema"]
        if "response_format" in body
        else body["text"]["format"]
    )
    assert (told["name"], told["strict"]) == ("final_output", True)
    assert told["schema"]["properties"]["age"] == {"type": "integer", "minimum": 0}
    assert run_json(done.tree)["final_output"] == {"name": "Ada", "age": 36}


@pytest.mark.parametrize("api", ["chat_completions", "responses"])
@pytest.mark.parametrize(
    ("first", "fault"),
    [
        (BAD, "age: -1 is less than the minimum of 0"),
        ("Ada is 36.", "it is not JSON"),
        ('{"name": "Ada"}', "'age' is a required property"),
        ('{"name": "Ada", "age": NaN}', "it is not JSON"),
        ("[1]", "[1] is not of type 'object'"),
    ],
)
def test_what_does_not_fit_is_sent_back_once_with_what_is_wrong(
    tmp_path, fake_server, api, first, fault
):
    when = fake_server.when
    when(user="does not fit the schema").says(GOOD)
    when().says(first)
    done = run(build(tmp_path, fake_server, ONE, api=api))
    assert json.loads(done.output) == {"name": "Ada", "age": 36}
    assert fault in fake_server.requests[1].messages[-1].text
    assert len(fake_server.requests) == 2
    assert any("is sent back" in event.text for event in done.events if isinstance(event, Notice))
    assert done.tree.totals.usage.requests == 2


def test_what_does_not_fit_twice_ends_the_run_with_5(tmp_path, fake_server):
    fake_server.when().says(BAD)
    done = run(build(tmp_path, fake_server, ONE))
    assert isinstance(done.error, Refused)
    assert done.error.exit_code == ExitCode.REFUSED
    assert "of clerk does not fit its output_schema, again: age: -1" in str(done.error)
    assert len(fake_server.requests) == 2
    assert done.output is None


def test_a_model_that_refuses_is_not_asked_for_json(tmp_path, fake_server):
    fake_server.when().replies(Reply(refusal="I will not."))
    done = run(build(tmp_path, fake_server, ONE))
    assert "I will not." in str(done.error)
    assert len(fake_server.requests) == 1


def test_json_in_a_fence_is_json(tmp_path, fake_server):
    fake_server.when().says(f"```json\n{GOOD}\n```")
    assert json.loads(run(build(tmp_path, fake_server, ONE)).output)["age"] == 36


def test_a_sender_reads_the_object_as_json(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("clerk", "Who?"))
    when(instructions="the boss", tool_output=GOOD).says("Ada, 36.")
    when(instructions="the clerk").says(GOOD)
    assert run(build(folder, fake_server, TEAM)).output == "Ada, 36."


def test_a_sender_hears_that_its_recipient_could_not_answer(folder, fake_server):
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("clerk", "Who?"))
    when(instructions="the boss", tool_output="does not fit its output_schema").says("Nobody.")
    when(instructions="the clerk").says(BAD)
    done = run(build(folder, fake_server, TEAM))
    assert done.output == "Nobody."
    assert done.nodes("message")[0].status == "error"


def test_tools_are_called_before_the_answer_is_looked_at(tmp_path, fake_server):
    (tmp_path / "tools.py").write_text("def look() -> str:\n    return '36'\n")
    text = ONE + '    tools: [look]\ntools: {look: {python: "tools.py:look"}}\n'
    fake_server.when(turn=0).calls("look")
    fake_server.when(tool_output="36").says(GOOD)
    assert json.loads(run(build(tmp_path, fake_server, text)).output)["age"] == 36
    assert len(fake_server.requests) == 2


def test_corrections_are_turns_like_others(tmp_path, fake_server):
    fake_server.when().says(BAD)
    done = run(build(tmp_path, fake_server, ONE), max_turns=1)
    assert isinstance(done.error, LimitReached)
    assert len(fake_server.requests) == 1


def test_a_conversation_remembers_the_answer_that_did(tmp_path, fake_server):
    path = write(tmp_path, fake_server, ONE)
    fake_server.when(user="does not fit the schema").says(GOOD)
    fake_server.when(user="and now?").says('{"name": "Bob", "age": 1}')
    fake_server.when().says(BAD)
    send_to(path, "who?", thread="t")
    done = send_to(path, "and now?", thread="t")
    assert json.loads(done.output)["name"] == "Bob"
    remembered = [item.text for item in fake_server.requests[-1].messages]
    assert remembered == ["who?", GOOD, "and now?"]


def test_a_provider_that_fails_in_between_is_asked_again_with_the_correction(tmp_path, fake_server):
    fake_server.when(user="does not fit the schema").fails(Fault.status(500, times=1))
    fake_server.when(user="does not fit the schema").says(GOOD)
    fake_server.when().says(BAD)
    assert json.loads(run(build(tmp_path, fake_server, ONE)).output)["age"] == 36
    assert len(fake_server.requests) == 3


def test_a_pydantic_class_is_a_schema(tmp_path, fake_server):
    (tmp_path / "people.py").write_text(
        "from pydantic import BaseModel, field_validator\n\n\n"
        "class Person(BaseModel):\n    name: str\n    age: int\n\n"
        "    @field_validator('name')\n    @classmethod\n    def _known(cls, name):\n"
        "        if name == 'Nobody':\n            raise ValueError('nobody is nobody')\n"
        "        return name\n"
    )
    text = 'agents: {clerk: {instructions: You are., output_schema: "people.py:Person"}}\n'
    fake_server.when(user="nobody is nobody").says(GOOD)
    fake_server.when().says('{"name": "Nobody", "age": 1}')
    assert json.loads(run(build(tmp_path, fake_server, text)).output)["name"] == "Ada"
    (tmp_path / "other.py").write_text("Person = 5\n")
    with pytest.raises(ManifestError, match="is no Pydantic class"):
        build(tmp_path, fake_server, text.replace("people.py", "other.py"))


def test_after_a_handoff_the_schema_of_the_new_agent_holds(folder, fake_server):
    text = TEAM.replace("flows: [boss > clerk]", "flows: [{from: boss, to: clerk, kind: handoff}]")
    fake_server.when(instructions="the boss").calls("transfer_to_clerk")
    fake_server.when(instructions="the clerk").says(GOOD)
    assert run_json(run(build(folder, fake_server, text)).tree)["final_output"]["age"] == 36


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{\n  "type": "object",\n  "properties": {"a": [}\n}\n', 3, "not JSON or YAML"),
        ("- a\n", 1, "a JSON Schema is an object"),
        ("type: array\n", 1, "one object"),
        ("type: object\npropertys: {}\n", 1, "did you mean 'properties'?"),
        ("type: objekt\n", 1, "this is no JSON Schema"),
    ],
)
def test_a_file_that_is_no_schema_is_told_at_its_place(folder, fake_server, text, line, reason):
    (folder / "parts" / "person.yaml").write_text(text)
    with pytest.raises(ManifestError, match=reason) as caught:
        build(folder, fake_server, TEAM)
    (problem,) = [each for each in caught.value.problems if each.severity == "error"]
    assert problem.file.endswith("parts/person.yaml")
    assert problem.line == line
