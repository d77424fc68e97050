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
from abc import ABC, abstractmethod
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

class ShortStatic(SendMessage):
    @staticmethod
    def reply(self, output, params, sender, recipient): return output

class Constant(SendMessage):
    compose = "Please."

class Empty(SendMessage):
    reply = None

class Computed(SendMessage):
    @property
    def compose(self): return lambda *_: "x"

class Yields(SendMessage):
    def compose(self, message, params, sender, recipient):
        yield message

class YieldsAsync(SendMessage):
    async def reply(self, output, params, sender, recipient):
        yield output

class YieldsStatic(SendMessage):
    @staticmethod
    def compose(message, params, sender, recipient):
        yield message

class Abstract(SendMessage, ABC):
    @abstractmethod
    def greeting(self): ...

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
        ("ShortStatic", "ShortStatic.reply cannot be called"),
        ("Constant", "Constant.compose cannot be called"),
        ("Empty", "Empty.reply cannot be called"),
        ("Computed", "Computed.compose cannot be called"),
        ("Yields", "Yields.compose yields; let it return its whole text"),
        ("YieldsAsync", "YieldsAsync.reply yields; let it return its whole text"),
        ("YieldsStatic", "YieldsStatic.compose yields"),
        ("Abstract", "Abstract is abstract"),
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


FORMS = """
import functools
from agency_cli import SendMessage

class Static(SendMessage):
    @staticmethod
    def compose(message, params, sender, recipient): return f"<{message}> for {recipient}"

    @staticmethod
    async def reply(output, params, sender, recipient): return f"{sender} reads {output}"

class OfClass(SendMessage):
    @classmethod
    async def compose(cls, message, params, sender, recipient):
        return f"<{message}> for {recipient}"

    @classmethod
    def reply(cls, output, params, sender, recipient): return f"{sender} reads {output}"

class Writer:
    async def __call__(self, text, params, sender, recipient): return f"<{text}> for {recipient}"

class Held(SendMessage):
    compose = Writer()
    reply = staticmethod(lambda output, params, sender, recipient: f"{sender} reads {output}")

class Partial(SendMessage):
    def write(self, form, text, params, sender, recipient):
        return form.format(text=text, sender=sender, recipient=recipient)

    compose = functools.partialmethod(write, "<{text}> for {recipient}")
    reply = functools.partialmethod(write, "{sender} reads {text}")

class Inherited(Static):
    pass
"""


@pytest.mark.parametrize("name", ["Static", "OfClass", "Held", "Partial", "Inherited"])
def test_the_texts_of_a_class_may_be_written_by_any_form_of_method(tmp_path, fake_server, name):
    (tmp_path / "messages.py").write_text(FORMS)
    when = fake_server.when
    when(instructions="the boss", turn=0).calls("send_message", **message("worker", "x"))
    when(instructions="the worker", user="<x> for worker").says("fine")
    when(instructions="the boss", tool_output="boss reads fine").says("ok")
    flow = f"{{from: boss, to: worker, send_message: 'messages.py:{name}'}}"
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
