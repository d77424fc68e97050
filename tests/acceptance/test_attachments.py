"""What goes with a message: files for the model, and values for tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import agency
from fake_server import Fault

MANIFEST = """\
version: 1
name: looker
providers: {{fake: {{base_url: "{url}", api: {api}, api_key: k}}}}
models: {{mini: {{model: gpt-5-mini, provider: fake}}}}
agents:
  one: {{instructions: You look., model: mini, tools: [who]}}
tools: {{who: {{python: "tools.py:who"}}}}
"""
TOOLS = """
from agents import RunContextWrapper


def who(context: RunContextWrapper) -> str:
    return "for " + context.context.extras.get("user", "nobody")
"""
PNG = b"\x89PNG\r\n\x1a\n\0\0"
PDF = b"%PDF-1.7 \0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "dot.png").write_bytes(PNG)
    (tmp_path / "paper.pdf").write_bytes(PDF)
    (tmp_path / "notes.md").write_text("A ```fence``` and\nmore.\n")
    return tmp_path


def run(folder: Path, server, *options: str, api: str = "responses"):
    path = folder / "agency.yaml"
    path.write_text(MANIFEST.format(url=server.base_url, api=api))
    return agency("run", path, "Look at these", *options, folder=folder)


ATTACHED = ("--attach", "dot.png", "--attach", "notes.md", "--attach", "paper.pdf")
TEXT = "Look at these\n\nnotes.md:\n````\nA ```fence``` and\nmore.\n````"


@pytest.mark.parametrize("api", ["responses", "chat_completions"])
def test_texts_are_inlined_and_media_go_beside_the_message(folder, fake_server, api):
    fake_server.when().says("I see.")
    done = run(folder, fake_server, *ATTACHED, api=api)
    assert (done.code, done.out.strip()) == (0, "I see."), done.err
    body = fake_server.requests[0].body
    (message,) = [
        item for item in body.get("input", body.get("messages", [])) if item.get("role") == "user"
    ]
    text, image, paper = message["content"]
    assert text["text"] == TEXT
    assert "data:image/png;base64,iVBORw0KGgoAAA==" in json.dumps(image)
    assert "data:application/pdf;base64,JVBERi0xLjcgAA==" in json.dumps(paper)
    assert "paper.pdf" in json.dumps(paper)


def test_a_text_alone_is_a_message_as_any_other(folder, fake_server):
    fake_server.when().says("I see.")
    run(folder, fake_server, "--attach", "notes.md")
    assert fake_server.requests[0].messages[-1].text == TEXT


def test_a_run_is_resumed_with_what_was_attached(folder, fake_server):
    fake_server.when().fails(Fault.status(401, times=1))
    fake_server.when().says("I see.")
    done = run(folder, fake_server, *ATTACHED, "--json")
    run_id = json.loads(done.out)["run_id"]
    (folder / "dot.png").write_bytes(PNG + b"x")
    line = ("runs", "resume", run_id)
    refused = agency(*line, folder=folder)
    assert refused.code == 2
    assert "dot.png, which was attached, is another file now; put it back" in refused.err
    (folder / "dot.png").write_bytes(PNG)
    done = agency(*line, folder=folder)
    assert (done.code, done.out.strip()) == (0, "I see."), done.err
    first, last = fake_server.requests[0], fake_server.requests[-1]
    assert first.body["input"] == last.body["input"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone.md", "--attach gone.md: it does not exist"),
        (".", "--attach .: it is no file"),
        ("data.bin", "it is neither a text, nor a PNG"),
        ("latin.txt", "it is neither UTF-8 text, nor a PNG"),
        ("long.txt", "a text may have 1,000,000 bytes at most"),
        ("huge.png", "it has more than 20,000,000 bytes"),
    ],
)
def test_what_cannot_go_with_a_message_is_told_before_anything_is_sent(
    folder, fake_server, name, reason
):
    (folder / "data.bin").write_bytes(b"\0\1\2")
    (folder / "latin.txt").write_bytes("Grün".encode("latin-1"))
    (folder / "long.txt").write_bytes(b"x" * 1_000_001)
    with (folder / "huge.png").open("wb") as huge:
        huge.truncate(20_000_001)
    done = run(folder, fake_server, "--attach", name)
    assert done.code == 2
    assert reason in done.err
    assert fake_server.requests == []


def test_tools_find_what_the_command_line_gives_them_also_after_a_resume(folder, fake_server):
    fake_server.when(tool_results=0).calls("who")
    fake_server.when(tool_output="for Ada = 1").says("Hello Ada.")
    given = ("--context", "user=Bob", "--context", "user=Ada = 1")
    done = run(folder, fake_server, *given)
    assert (done.code, done.out.strip()) == (0, "Hello Ada."), done.err
    fake_server.requests.clear()
    done = run(folder, fake_server, *given, "--max-turns", "1", "--json")
    run_id = json.loads(done.out)["run_id"]
    done = agency("runs", "resume", run_id, "--max-turns", "3", folder=folder)
    assert (done.code, done.out.strip()) == (0, "Hello Ada."), done.err
    assert run(folder, fake_server, "--context", "user").code == 2
