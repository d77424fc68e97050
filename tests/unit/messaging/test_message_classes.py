"""Classes of messages: what cannot work is told before anything runs, and none leaks."""

from __future__ import annotations

import pytest

from agency_cli.errors import ManifestError
from agency_runs import build, message, run

TEAM = """
entry: boss
agents:
  boss: {instructions: You are the boss.}
  worker: {instructions: You are the worker.}
  other: {instructions: You are the other.}
flows:
"""


def team(*flows: str) -> str:
    return TEAM + "\n".join(f"  - {flow}" for flow in flows)


def test_a_class_without_a_tool_name_beside_a_plain_flow_is_a_located_problem(
    tmp_path, fake_server
):
    (tmp_path / "messages.py").write_text(
        "from pydantic import BaseModel\n"
        "from agency_cli import SendMessage\n"
        "class Plain(SendMessage):\n"
        "    class ExtraParams(BaseModel):\n        urgency: int\n"
    )
    flows = team("boss > other", "{from: boss, to: worker, send_message: 'messages.py:Plain'}")
    with pytest.raises(ManifestError) as caught:
        build(tmp_path, fake_server, flows)
    (problem,) = caught.value.problems
    assert (problem.code, problem.dotted_path) == ("tool-name-clash", "flows[1]")
    assert "send_message" in problem.message


def test_a_class_whose_tool_has_the_name_that_a_flow_of_the_pair_gives_it_is_told_once(
    tmp_path, fake_server
):
    (tmp_path / "messages.py").write_text(
        "from agency_cli import SendMessage\nclass Note(SendMessage):\n    tool_name = 'note'\n"
    )
    flow = "{from: boss, to: worker, send_message: 'messages.py:Note'%s}"
    with pytest.raises(ManifestError) as caught:
        build(tmp_path, fake_server, team(flow % "", flow % ", tool_name: note"))
    assert {problem.code for problem in caught.value.problems} == {"duplicate-flow"}


UNUSABLE = """
from typing import Callable
from pydantic import BaseModel
from agency_cli import SendMessage

class NoModel(SendMessage):
    class ExtraParams:
        severity: str

class BadName(SendMessage):
    tool_name = "ask politely!"

class NoSchema(SendMessage):
    class ExtraParams(BaseModel):
        how: Callable[[int], int]

class Needy(SendMessage):
    def __init__(self, paper): ...

class Short(SendMessage):
    def compose(self, message): return message

class Silent(SendMessage):
    def compose(self, message, params, sender, recipient): return "  "
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("NoModel", "no Pydantic model"),
        ("BadName", "letters, digits, _ or -"),
        ("NoSchema", "has no JSON Schema"),
        ("Needy", "Needy() cannot be called"),
        ("Short", "Short.compose cannot be called"),
    ],
)
def test_a_class_that_cannot_work_is_a_problem_before_anything_runs(
    tmp_path, fake_server, name, said
):
    (tmp_path / "messages.py").write_text(UNUSABLE)
    flow = f"{{from: boss, to: worker, send_message: 'messages.py:{name}'}}"
    with pytest.raises(ManifestError) as caught:
        build(tmp_path, fake_server, team(flow))
    (problem,) = caught.value.problems
    assert problem.code == "broken-message-class"
    assert said in problem.message
    assert (problem.dotted_path, bool(problem.line)) == ("flows[0].send_message", True)


def test_a_class_that_composes_nothing_asks_nobody(tmp_path, fake_server):
    (tmp_path / "messages.py").write_text(UNUSABLE)
    fake_server.when(instructions="the boss", turn=0).calls(
        "send_message", **message("worker", "x")
    )
    fake_server.when(instructions="the boss", tool_output="gave no text").says("ok")
    flow = "{from: boss, to: worker, send_message: 'messages.py:Silent'}"
    assert run(build(tmp_path, fake_server, team(flow))).output == "ok"


def test_packages_of_one_name_beside_two_agencies_do_not_meet(tmp_path, fake_server):
    for name in ("first", "second"):
        package = tmp_path / name / "shared" / "words"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"ABOUT = 'Ask {name}.'\n")
        (tmp_path / name / "messages.py").write_text(
            "from shared.words import ABOUT\n"
            "from agency_cli import SendMessage\n"
            "class Note(SendMessage):\n    __doc__ = ABOUT\n"
        )
    fake_server.when(instructions="the boss").says("done")
    text = team("{from: boss, to: worker, send_message: 'messages.py:Note'}")
    for name in ("first", "second"):
        run(build(tmp_path / name, fake_server, text))
    told = [request.tools[0].description.splitlines()[0] for request in fake_server.requests]
    assert told == ["Ask first.", "Ask second."]
