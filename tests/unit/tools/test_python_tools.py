"""Python tools in every form: functions, ready tools, classes; one object, a file, a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from agency_cli.importing import CannotImport
from agency_cli.manifest import PythonTool
from agency_cli.tools.python import python_tools
from agency_runs import build, run

SHOP = '''
import functools
from typing import Literal

from agents import RunContextWrapper, function_tool
from pydantic import BaseModel, Field, field_validator

from helper import borrowed, borrowed_tool


def buy(what: str, count: int = 1) -> str:
    """Buy something.

    Args:
        what: What to buy.
    """
    return f"bought {count} {what}"


async def sell(what: str) -> str:
    """Sell something."""
    return f"sold {what}"


@function_tool
def ready(what: str) -> str:
    """Have it ready."""
    return what


@functools.cache
def cached(what: str) -> str:
    return what


class Weigh(BaseModel):
    """Weigh something
    on a scale."""

    what: str = Field(description="What lies on the scale.")
    unit: Literal["g", "kg"]

    @field_validator("what")
    @classmethod
    def _is_no_ghost(cls, what):
        if what == "ghost":
            raise ValueError("a ghost weighs nothing")
        return what

    def run(self):
        return f"5 {self.unit} of {self.what}"


class Ship(BaseModel):
    where: str = "home"

    async def run(self, context: RunContextWrapper):
        return f"shipped {self.where} in run {context.context.run_id}"


class NoTool(BaseModel):
    what: str


def _helper() -> str:
    return "x"


def loose(prices: dict[str, int]) -> int:
    return sum(prices.values())


NUMBER = 5
'''
HELPER = """
from agents import function_tool


def borrowed() -> str:
    return "x"


@function_tool
def borrowed_tool() -> str:
    return "x"
"""
PUBLIC = ["buy", "sell", "ready", "cached", "Weigh", "Ship", "loose"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


def tools_of(folder: Path, reference: str, **keys: object):
    return python_tools(PythonTool.model_validate({"python": reference, **keys}), folder)


def test_all_public_tools_of_a_file_are_offered_in_their_order(folder):
    assert [tool.name for tool in tools_of(folder, "shop.py")] == PUBLIC


def test_a_folder_is_all_its_files_but_helpers_and_folders(folder):
    tools = folder / "tools"
    (tools / "below").mkdir(parents=True)
    (tools / "b.py").write_text("from a import one\n\n\ndef two(): return one()\n")
    (tools / "a.py").write_text("def one(): return 1\n")
    (tools / "_c.py").write_text("def three(): return 3\n")
    (tools / "below" / "d.py").write_text("def four(): return 4\n")
    (tools / "notes.txt").write_text("five")
    assert [tool.name for tool in tools_of(folder, "tools/")] == ["one", "two"]


@pytest.mark.parametrize("reference", ["empty.py", "empty/"])
def test_a_file_or_folder_without_a_tool_is_told(folder, reference):
    (folder / "empty").mkdir()
    (folder / "empty.py").write_text("import os\n\nNUMBER = 5\n\n\ndef _helper(): pass\n")
    with pytest.raises(CannotImport, match=f"{reference} defines no public function, Func"):
        tools_of(folder, reference)


def test_a_file_of_a_folder_that_fails_is_named(folder):
    (folder / "tools").mkdir()
    (folder / "tools" / "good.py").write_text("def one(): return 1\n")
    (folder / "tools" / "wrong.py").write_text("1 / 0\n")
    with pytest.raises(CannotImport, match=r"importing wrong\.py failed: ZeroDivisionError"):
        tools_of(folder, "tools/")


def test_a_function_that_yields_is_found_among_the_others_of_a_file(folder):
    (folder / "more.py").write_text("def one(): return 1\n\n\ndef two(): yield 2\n")
    with pytest.raises(CannotImport, match=r"two of more\.py yields"):
        tools_of(folder, "more.py")


def test_a_class_offers_its_fields(folder):
    (tool,) = tools_of(folder, "shop.py:Weigh")
    assert (tool.name, tool.description) == ("Weigh", "Weigh something\non a scale.")
    assert tool.strict_json_schema
    assert set(tool.params_json_schema["properties"]) == {"what", "unit"}
    (named,) = tools_of(folder, "shop.py:Weigh", name="weigh", description="Weigh it.")
    assert (named.name, named.description) == ("weigh", "Weigh it.")


def test_a_class_without_run_is_told_what_it_lacks(folder):
    with pytest.raises(CannotImport, match="a Pydantic class with a method `run`"):
        tools_of(folder, "shop.py:NoTool")


@pytest.mark.parametrize(
    ("reference", "arguments", "told"),
    [
        ("shop.py:Weigh", {"what": "flour", "unit": "kg"}, "5 kg of flour"),
        ("shop.py:Weigh", {"what": "flour", "unit": "t"}, "'t' is not one of ['g', 'kg']"),
        ("shop.py:Weigh", {"what": "ghost", "unit": "g"}, "a ghost weighs nothing"),
        ("shop.py:Ship", {"where": "away"}, "shipped away in run "),
        ("shop.py:cached", {"what": "this"}, "this"),
        ("shop.py:loose", {"prices": {"a": 1, "b": 2}}, "3"),
    ],
)
def test_each_form_is_called_with_what_the_model_wrote(
    folder, fake_server, reference, arguments, told
):
    agency = build(
        folder,
        fake_server,
        f"""
        tools: {{t: {{python: "{reference}"}}}}
        agents: {{a: {{instructions: You work., tools: [t]}}}}
        """,
    )
    name = reference.partition(":")[2]
    when = fake_server.when
    when(instructions="You work.", turn=0).calls(name, **arguments)
    when(instructions="You work.", tool_output=told).says("I see.")
    assert run(agency).output == "I see."


def test_a_schema_is_strict_where_it_can_be(folder):
    strict = {tool.name: tool.strict_json_schema for tool in tools_of(folder, "shop.py")}
    assert strict == dict.fromkeys(PUBLIC, True) | {"loose": False, "Ship": True}


def test_strict_is_as_the_manifest_says(folder):
    for reference in ("shop.py:buy", "shop.py:Weigh", "shop.py:ready"):
        (tool,) = tools_of(folder, reference, strict=False)
        assert not tool.strict_json_schema
    with pytest.raises(CannotImport, match=r"cannot have a strict schema .* set `strict: false`"):
        tools_of(folder, "shop.py:loose", strict=True)
    (tool,) = tools_of(folder, "shop.py:buy", strict=False)
    assert tool.params_json_schema["required"] == ["what"]
