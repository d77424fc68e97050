"""Exports of runs: what is read back is checked, whole, and added in one piece or not at all."""

from __future__ import annotations

import copy
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agency_cli.calltree import CallTree
from agency_cli.cli.asking import Standing
from agency_cli.errors import UsageError
from agency_cli.rendering.html import run_page
from agency_cli.rendering.run_json import run_json
from agency_cli.rendering.runs import list_json, list_text
from agency_cli.run_context.past import Past
from agency_cli.store import Runs, Threads, open_database
from agency_cli.store.exchange import Imported, export_lines, insert_runs, read_export, reading
from agency_cli.store.runs import closed
from agency_runs import message
from fake_server import FakeServer, Fault
from journalled import Journalled, send_to, write

TEAM = """
entry: boss
agents:
  boss: {instructions: You are the boss.}
  worker: {instructions: You are the worker., tools: [add]}
tools: {add: {python: "tools.py:add", approval: ask}}
flows: [{from: boss, to: worker, on_error: fail}]
"""
KEY = "sk-very-secret-1"
HOSTILE = [
    None,
    True,
    -1,
    10**400,
    float("inf"),
    0.5,
    "",
    "x" * 5_000,
    "half \ud800 of a character, a \x00, \x1b[31m and \u202e",
    "<script>alert(1)</script>",
    "2026-01-01T00:00:00",
    "../../etc/passwd",
    [],
    {},
    [{"a": [None]}],
]
"""What might stand in any place of a file, in whose place something else is expected."""
ANYTHING = {"item", "output"}
"""Keys of what the SDK wrote, which the store does not look into."""


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Journalled:
    """Two runs on one thread, through the real SDK; the second failed below its second level."""
    folder: Path = tmp_path_factory.mktemp("home")
    (folder / "tools.py").write_text("def add(a: int, b: int) -> int:\n    return a + b\n")
    with FakeServer() as server:
        when = server.when
        when(instructions="the boss", user="hello").says(f"I know {KEY}.")
        when(instructions="the boss", tool_results=0).calls(
            "send_message", **message("worker", "Add")
        )
        when(instructions="the worker", tool_results=0).calls("add", a=1, b=2)
        when(instructions="the worker").fails(Fault.status(401))
        path = write(folder, server, TEAM, key=KEY)
        send_to(path, f"hello, is it {KEY}?", thread="t")
        return send_to(path, "go", thread="t", standing=Standing(yes=True))


@pytest.fixture(scope="module")
def lines(home) -> list[dict[str, Any]]:
    return exported(home.runs)


def exported(runs: Runs) -> list[dict[str, Any]]:
    return export_lines(runs.database, [run.id for run in runs.all()])


def text_of(lines: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def add(folder: Path, content: bytes, name: str = "x.jsonl") -> tuple[Runs, Imported]:
    """Import a file into the store of a folder."""
    export = read_export(io.BytesIO(content), name)
    database = open_database(f"sqlite:///{folder / 'away.db'}")
    return Runs(database), insert_runs(database, export)


def refusal(folder: Path, content: bytes) -> str:
    """Return the one line by which a file is refused; nothing of it is in the store."""
    with pytest.raises(UsageError) as refused:
        add(folder, content)
    if (folder / "away.db").exists():
        database = open_database(f"sqlite:///{folder / 'away.db'}")
        assert (Runs(database).all(), Threads(database).all()) == ([], [])
    text = str(refused.value)
    assert text.isprintable()
    assert text.endswith("; nothing was imported")
    return text


def test_a_store_that_imported_an_export_exports_the_same_lines(home, lines, store, tmp_path):
    database = open_database(store)
    away = Runs(database)
    imported = insert_runs(database, read_export(io.BytesIO(text_of(lines)), "x.jsonl"))
    assert exported(away) == lines
    again, _ = add(tmp_path, text_of(exported(away)), "y.jsonl")
    assert exported(again) == lines
    assert set(imported.new) == {run.id for run in home.runs.all()}
    assert [run.status for run in away.all()] == ["error", "ok"]
    assert away.all() == home.runs.all()
    assert list(away.calls()) == list(home.runs.calls())


def test_where_one_run_of_a_file_does_not_fit_none_of_it_is_added(home, lines, tmp_path):
    whole = text_of(lines)
    other = text_of(export_lines(home.runs.database, [home.run.id])).replace(b'"go"', b'"stay"')
    away, _ = add(tmp_path, other)
    before = exported(away)
    assert home.run.id in {run.id for run in away.all()}
    with pytest.raises(UsageError, match="is in this store already, and went another way there"):
        add(tmp_path, whole)
    assert exported(away) == before


def test_no_key_of_a_provider_leaves_with_an_export(home, lines):
    whole = text_of(lines).decode()
    assert KEY not in whole
    assert "I know [secret]." in whole
    history = Threads(home.runs.database).history("t")
    assert "I know [secret]." in json.dumps([item.item for item in history])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "x.jsonl:1: the file is empty"),
        (b"\n", "x.jsonl:1: not JSON"),
        (b"\x7fELF\x02\x01\xff\xfe", "x.jsonl:1: not UTF-8 text"),
        (b"\x1f\x8b\x08\x00\xff", "x.jsonl:1: not UTF-8 text"),
        (b"[]\n", "x.jsonl:1: not a JSON object"),
        (b"[" * 100_000, "x.jsonl:1: JSON that is nested too deeply"),
        (b'{"record": "header"', "x.jsonl:1: not JSON"),
        (b'{"event": "run_started"}\n', "x.jsonl:1: "),
        (b'{"record": "end", "lines": 1}\n', "x.jsonl:1: not an export of runs"),
    ],
)
def test_what_is_no_export_is_refused_at_its_line(tmp_path, content, reason):
    assert refusal(tmp_path, content).startswith(reason)


def test_a_file_that_was_cut_anywhere_is_refused(tmp_path, lines):
    whole = text_of(lines)
    for number in range(1, len(lines)):
        cut = text_of(lines[:number])
        assert f"x.jsonl:{number}: " in refusal(tmp_path, cut)
        assert f"x.jsonl:{number}: not JSON" in refusal(tmp_path, cut[:-3])
    assert ": not JSON" in refusal(tmp_path, whole[:-5])


def test_a_line_that_is_missing_or_comes_twice_is_noticed(tmp_path, lines):
    for number in range(len(lines)):
        refusal(tmp_path, text_of(lines[:number] + lines[number + 1 :]))
        refusal(tmp_path, text_of([*lines[: number + 1], *lines[number:]]))


def test_an_export_of_another_version_says_which(tmp_path, lines):
    newer = [{**lines[0], "version": 2, "written_by": "agency 9"}, *lines[1:]]
    assert "an export of version 2, written by 'agency 9'" in refusal(tmp_path, text_of(newer))


def test_a_line_without_end_is_not_read_to_its_end(tmp_path, lines, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST_LINE", 1024 * 1024)
    huge = text_of(lines[:1]) + b'{"record": "' + b"x" * (2 * 1024 * 1024)
    assert "x.jsonl:2: the line is longer than 1 MiB" in refusal(tmp_path, huge)


def test_whatever_stands_in_a_file_is_refused_at_its_line_or_can_be_shown(store, lines):
    refusals, accepted = [], 0
    database = open_database(store)
    for number, changed in mutations(lines):
        content = text_of([*lines[:number], changed, *lines[number + 1 :]])
        try:
            imported = insert_runs(database, read_export(io.BytesIO(content), "x.jsonl"))
        except UsageError as error:
            refusals.append(str(error))
        else:
            accepted += 1
            show_all(Runs(database), Threads(database))
            Runs(database).delete(*imported.new)
            for thread in Threads(database).all():
                Threads(database).delete(thread.id)
    for text in refusals:
        assert re.match(r"x\.jsonl:\d+: ", text)
        assert text.isprintable()
        assert len(text) < 500
    assert len(refusals) > 300
    assert accepted > 50, "texts may be anything"


def mutations(lines: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield lines in which one value is another or missing: each place of each kind of line."""
    seen = set()
    for number, line in enumerate(lines):
        kind = (line["record"], (line.get("event") or {}).get("event"), bool(line.get("kept")))
        if kind in seen:
            continue
        seen.add(kind)
        for path in places(line):
            for value in HOSTILE:
                yield number, with_value(line, path, value)
            yield number, without(line, path)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in parts:
        if isinstance(part, dict | list) and key not in ANYTHING:
            yield from places(part, (*path, key))
        else:
            yield (*path, key)


def with_value(line: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(line)
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


def without(line: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    changed = copy.deepcopy(line)
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return changed


def show_all(runs: Runs, threads: Threads) -> None:
    found = runs.all()
    list_text(found, max(run.started_at for run in found))
    list_json(found).encode("utf-8", "surrogatepass")
    list(runs.calls())
    for thread in threads.all():
        threads.history(thread.id)
    for run in found:
        events = [row.event for row in runs.recorded(run)]
        json.dumps(run_json(CallTree.of(events)), allow_nan=False)
        run_page(events).encode()
        Past.of(closed(runs.rows(run.id)))


def test_a_run_that_was_killed_is_killed_where_it_is_imported(home, lines, tmp_path):
    run_id = home.run.id
    rows = [n for n, line in enumerate(lines) if line.get("run_id") == run_id and "event" in line]
    for end in rows[1:]:
        kept = [line for n, line in enumerate(lines[:-1]) if n < end or n > rows[-1]]
        content = text_of([*kept, {"record": "end", "lines": len(kept) + 1}])
        folder = tmp_path / str(end)
        folder.mkdir()
        away, _ = add(folder, content)
        assert away.find(run_id).status == "killed"
        show_all(away, Threads(away.database))
