"""`agency doctor`, typed as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Finished, agency, environment
from fake_server import FakeServer
from petstores import service_beside

EXAMPLES = sorted(Path(__file__).parents[2].glob("agencies/*/agency.yaml"))
MANIFEST = """\
version: 1
name: demo
providers:
  one: {{base_url: "{one}", api_key: "${{env.ONE_KEY}}", headers: {{X-Team: "${{env.TEAM:-us}}"}}}}
  two: {{base_url: "{two}", api_key: "${{env.TWO_KEY}}"}}
  spare: {{base_url: "http://127.0.0.1:9/v1", api_key: "${{env.SPARE_KEY}}"}}
models:
  cheap: {{model: gpt-5-mini, provider: one, fallback: [llama]}}
  llama: {{model: llama3.3, provider: two}}
  own: {{model: home, provider: one, price: {{input: 1.25, output: 3}}}}
tools:
  files: {{builtin: files, root: output}}
  dump: {{python: "json:dumps"}}
agents:
  ceo: {{instructions: Plan., model: cheap, tools: [files, dump]}}
  dev: {{instructions: Write., model: own, description: Writes.}}
entry: ceo
flows: ["ceo > dev"]
"""
KEYS = {"ONE_KEY": "sesame-one-0815", "TWO_KEY": "sesame-two-0815"}


@pytest.fixture
def crew(tmp_path, fake_server):
    path = tmp_path / "crew.yaml"
    path.write_text(MANIFEST.format(one=fake_server.base_url, two=fake_server.base_url))
    return path


def doctor(crew: Path, *arguments: str | Path, **environ: str) -> Finished:
    return agency("doctor", crew, *arguments, folder=crew.parent, environ=environ)


def found(crew: Path, *arguments: str | Path, **environ: str):
    """Return what was found, by kind and name, and the exit code."""
    done = doctor(crew, "--json", *arguments, **environ)
    document = json.loads(done.out)
    assert document["ok"] == (done.code == 0)
    assert document["missing"] == sum(each["status"] == "missing" for each in document["findings"])
    return {(each["kind"], each["name"]): each for each in document["findings"]}, done.code


def test_a_machine_that_has_everything_passes(crew, fake_server):
    done = doctor(crew, **KEYS)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == f"{crew}: nothing is missing"
    assert not fake_server.requests
    assert not (crew.parent / "store").exists(), "looking makes nothing"


def test_everything_that_is_missing_is_told_at_once_with_what_to_do(crew):
    text = crew.read_text().replace("json:dumps", "nowhere_at_all.deep:dumps")
    text = text.replace("fallback: [llama]", "fallback: [llama, litellm/anthropic/claude]")
    crew.write_text(text)
    done = doctor(crew)
    assert (done.code, done.err) == (6, "")
    lines = done.out.splitlines()
    assert lines[-1] == f"{crew}: 4 things are missing"
    assert lines[lines.index("to do:") + 1 : -2] == [
        "  ONE_KEY: export ONE_KEY=...",
        "  TWO_KEY: export TWO_KEY=...",
        "  litellm: pip install 'agency-cli[litellm]'",
        "  nowhere_at_all: install what brings the Python package nowhere_at_all",
    ]


def test_each_variable_is_told_with_who_needs_it(crew):
    findings, code = found(crew, TWO_KEY="k2")
    assert code == 6
    statuses = {
        name: each["status"] for (kind, name), each in findings.items() if kind == "variable"
    }
    assert statuses == {"ONE_KEY": "missing", "TEAM": "ok", "TWO_KEY": "ok", "SPARE_KEY": "note"}
    assert findings["variable", "ONE_KEY"]["needed_by"] == ["providers.one.api_key"]
    assert "no agent uses what needs it" in findings["variable", "SPARE_KEY"]["detail"]
    assert "has a default" in findings["variable", "TEAM"]["detail"]


def test_no_value_of_a_variable_is_shown(crew, fake_server):
    url = "http://user:${env.URL_WORD}@127.0.0.1:9/v1"
    crew.write_text(crew.read_text().replace(fake_server.base_url, url))
    secret = {
        **KEYS,
        "TEAM": "sesame-team",
        "URL_WORD": "sesame-word",
        "SPARE_KEY": "sesame-spare",
        "OPENAI_API_KEY": "sesame-openai",
        "HTTPS_PROXY": "http://u:sesame-proxy@127.0.0.1:9",
    }
    store = "postgresql://user:sesame-store@127.0.0.1:9/db"
    for arguments in ((), ("--json",), ("--store", store), ("--model", "gpt-5", "--json")):
        done = doctor(crew, *arguments, **secret)
        assert "sesame" not in done.out + done.err
        assert done.code == 6
    alone = agency("doctor", folder=crew.parent, environ=secret)
    assert "sesame" not in alone.out + alone.err


def test_prices_are_told_with_where_they_come_from(crew):
    findings, _ = found(crew, **KEYS)
    listed, own = findings["price", "one/gpt-5-mini"], findings["price", "one/home"]
    assert listed["detail"] == "$0.25 in, $2 out, for a million tokens; from the list"
    assert own["detail"] == "$1.25 in, $3 out, for a million tokens; from the manifest"
    unknown = findings["price", "two/llama3.3"]
    assert (unknown["status"], unknown["needed_by"]) == ("note", ["ceo as a fallback"])
    assert findings["price", "list"]["detail"].startswith("genai-prices 0.")
    crew.write_text(crew.read_text() + "limits: {max_cost_usd: 1}\n")
    findings, code = found(crew, **KEYS)
    assert "max_cost_usd cannot be kept" in findings["price", "two/llama3.3"]["detail"]
    assert code == 0


def test_a_server_that_does_not_answer_is_missing_unless_nothing_is_tried(crew, fake_server):
    with FakeServer() as server:
        gone = server.base_url
    crew.write_text(MANIFEST.format(one=fake_server.base_url, two=gone))
    findings, code = found(crew, **KEYS)
    assert code == 6
    assert findings["server", "one"]["status"] == "ok"
    assert "cannot be reached" in findings["server", "two"]["detail"]
    findings, code = found(crew, "--offline", **KEYS)
    assert code == 0
    assert findings["server", "two"]["status"] == "note"


def test_a_proxy_is_tried_in_place_of_the_server_behind_it(crew, fake_server):
    crew.write_text(crew.read_text().replace(fake_server.base_url, "https://model.example/v1"))
    proxy = fake_server.base_url.removesuffix("/v1")
    findings, code = found(crew, HTTPS_PROXY=proxy, NO_PROXY="", **KEYS)
    assert code == 0
    assert "the proxy for model.example answers" in findings["server", "one"]["detail"]


def test_models_of_the_command_line_need_what_they_need_and_no_more(crew):
    findings, code = found(crew, "--model", "local")
    kinds = {kind for kind, _ in findings}
    assert "server" not in kinds
    assert "price" not in kinds
    assert findings["variable", "ONE_KEY"]["status"] == "note"
    assert ("weights", "local") in findings
    assert findings["package", "xllamacpp"]["needed_by"] == ["ceo", "dev"]
    assert code == 0
    findings, code = found(crew, "--model", "local:nowhere.gguf")
    assert (code, findings["weights", "local:nowhere.gguf"]["status"]) == (6, "missing")


def test_openai_needs_its_key_unless_another_server_stands_for_it(crew, fake_server):
    findings, code = found(crew, "--model", "gpt-5", "--offline")
    assert code == 6
    assert findings["variable", "OPENAI_API_KEY"]["needed_by"] == ["ceo", "dev"]
    findings, code = found(crew, "--model", "gpt-5", OPENAI_BASE_URL=fake_server.base_url)
    assert code == 0
    assert ("variable", "OPENAI_API_KEY") not in findings
    assert findings["variable", "OPENAI_BASE_URL"]["status"] == "ok"


def test_the_store_is_opened_where_there_is_one(crew, fake_server):
    fake_server.when().says("Done.")
    text = crew.read_text().replace("[files, dump]", "[files]")
    crew.write_text(text.replace('  dump: {python: "json:dumps"}\n', ""))
    assert agency("run", crew, "go", folder=crew.parent, environ=KEYS).code == 0
    findings, code = found(crew, **KEYS)
    assert code == 0
    assert findings["store", "store"]["detail"].startswith("version ")
    for file in (crew.parent / "store").glob("agency.db*"):
        file.unlink()
    (crew.parent / "store" / "agency.db").write_text("no database at all" * 100)
    findings, code = found(crew, **KEYS)
    assert code == 6
    assert "not a database" in findings["store", "store"]["detail"]


def test_a_place_where_nothing_can_be_written_is_missing(crew):
    (crew.parent / "output").write_text("a file, not a folder")
    (crew.parent / "store").write_text("a file, not a folder")
    findings, code = found(crew, **KEYS)
    assert code == 6
    assert findings["folder", "output"]["status"] == "missing"
    assert findings["store", "store"]["status"] == "missing"


def test_a_manifest_with_problems_shows_them(crew):
    crew.write_text(crew.read_text().replace("entry: ceo", "entry: coe"))
    done = doctor(crew)
    assert (done.code, done.out) == (2, "")
    assert "unknown-agent" in done.err


def test_without_a_manifest_the_machine_is_told_of(tmp_path):
    done = agency("doctor", "--json", folder=tmp_path, environ={"OPENAI_API_KEY": "k"})
    assert done.code == 0
    document = json.loads(done.out)
    assert document["manifest"] is None
    names = {(each["kind"], each["name"]): each["status"] for each in document["findings"]}
    assert names["package", "openai-agents"] == "ok"
    assert names["variable", "OPENAI_API_KEY"] == "ok"
    assert names["variable", "AGENCY_MODEL"] == "note"
    assert names["price", "list"] == "ok"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_every_example_needs_nothing_more_with_the_embedded_model(path, tmp_path):
    with service_beside(path.parent) as environ:
        done = agency("doctor", path, "--model", "local", folder=tmp_path, environ=environ)
    assert done.code == 0, done.out + done.err


def test_the_sdk_is_not_imported_where_models_are_named(crew):
    code = (
        "import sys; from agency_cli.cli.app import run_command_line;"
        f"run_command_line(['doctor', {str(crew)!r}, '--offline']);"
        "print(*({'agents', 'openai', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(crew.parent, KEYS),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.strip() == ""
