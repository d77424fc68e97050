"""HTTP services from the command line: runs, approvals, resuming, secrets, doctor, exit codes."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from command_line import LONGEST, agency, command, environment
from fake_server import ToolCall
from http_service import Answer, HttpService, http_service
from services import document, getting, posting, written

MANIFEST = """\
version: 1
name: shop
defaults: {{model: gpt-5-mini}}
tools:
  shop:
    openapi: {openapi}
    base_url: {url}
    headers: {{X-Key: "${{env.SHOP_KEY:-}}"}}
{more}
agents:
  clerk: {{instructions: You are the clerk., tools: [shop]}}
"""
THING = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}


@pytest.fixture
def service():
    with http_service() as running:
        yield running


def shop(folder: Path, service: HttpService, *more: str, openapi: str = "service.yaml") -> Path:
    paths = {
        "/things": {
            **getting({"name": "q", "in": "query", "schema": {"type": "string"}})["/things"],
            **posting(THING, required=True)["/things"],
        }
    }
    written(folder, document(paths))
    lines = "\n".join(f"    {line}" for line in more)
    path = folder / "agency.yaml"
    path.write_text(MANIFEST.format(openapi=openapi, url=service.url, more=lines))
    return path


def tool_nodes(out: str) -> list[dict[str, object]]:
    return [node for node in json.loads(out)["tree"]["children"] if node["kind"] == "tool"]


def sent(service: HttpService) -> list[object]:
    return [each.json for each in service.asked if each.method == "POST"]


def wait_until(condition) -> None:
    end = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def killed_in_a_call(path: Path, service: HttpService, fake_server) -> str:
    """Let a run be killed while its second request is under way; return the run's id."""
    fake_server.when(tool_results=0).calls("make", name="one")
    fake_server.when(tool_results=1).calls("make", name="two")
    fake_server.when().says("Done.")
    process = subprocess.Popen(
        command("run", path, "Go", "--jsonl"),
        env=environment(path.parent, fake_server.env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(service.asked) == 1)
    service.answers["/things"] = Answer(wait=600)
    wait_until(lambda: len(service.asked) == 2)
    process.kill()
    process.wait(timeout=LONGEST)
    service.answers.clear()
    (run,) = json.loads(agency("runs", "list", "--json", folder=path.parent).out)
    return str(run["run_id"])


def test_a_run_calls_operations_and_shows_them_in_its_tree(tmp_path, service, fake_server):
    service.answers["/things"] = Answer(200, b'{"found": 3}')
    fake_server.when(tool_results=0).calls("look", q="cats")
    fake_server.when().says("Three.")
    path = shop(tmp_path, service)
    done = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    (node,) = tool_nodes(done.out)
    assert (node["name"], node["status"]) == ("look", "ok")
    assert service.asked[0].query == [("q", "cats")]
    assert fake_server.requests[-1].tool_outputs == (
        '[200 OK; application/json]\n{"found": 3}',
    )  # fmt: skip


def test_what_a_service_refuses_is_an_error_of_the_call_and_not_of_the_run(
    tmp_path, service, fake_server
):
    service.answers["/things"] = Answer(409, b'{"error": "there is one"}')
    fake_server.when(tool_results=0).calls("make", name="a")
    fake_server.when().says("It is there already.")
    path = shop(tmp_path, service)
    done = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    (node,) = tool_nodes(done.out)
    assert (node["status"], node["error"]) == (
        "error",
        'HTTP 409 Conflict: {"error": "there is one"}',
    )
    (told,) = fake_server.requests[-1].tool_outputs
    assert told == 'make failed: HTTP 409 Conflict: {"error": "there is one"}'


def test_calls_of_one_answer_are_made_at_the_same_time(tmp_path, service, fake_server):
    service.answers["/things"] = Answer(wait=1)
    calls = [ToolCall("look", {"q": text}) for text in "abc"]
    fake_server.when(tool_results=0).calls_raw(*calls)
    fake_server.when().says("Done.")
    path = shop(tmp_path, service)
    process = subprocess.Popen(
        command("run", path, "Go", "--quiet"),
        env=environment(tmp_path, fake_server.env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    wait_until(lambda: service.asked)
    service.answers["/things"] = Answer()
    process.communicate(timeout=LONGEST)
    assert process.returncode == 0
    assert {each.query[0][1] for each in service.asked} == set("abc")


@pytest.mark.parametrize(
    ("rules", "answer"),
    [
        ('[{tool: "POST *", then: deny}, {then: never}]', "deny"),
        ('[{tool: "GET *", then: never}, {then: deny}]', "deny"),
        ("[{tool: make, when: {name: secret*}, then: deny}, {then: never}]", "deny"),
        ("[{tool: make, when: {name: other*}, then: deny}, {then: never}]", "never"),
    ],
)
def test_rules_of_approval_look_at_methods_names_and_arguments(
    tmp_path, service, fake_server, rules, answer
):
    fake_server.when(tool_results=0).calls("make", name="secret plan")
    fake_server.when().says("Done.")
    path = shop(tmp_path, service, f"approval: {rules}")
    done = agency("run", path, "Go", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert bool(sent(service)) == (answer == "never")


def test_a_rule_about_an_argument_that_no_operation_takes_is_a_problem(tmp_path, service):
    path = shop(tmp_path, service, "approval: [{when: {nme: a}, then: deny}]")
    done = agency("validate", "--deep", path, folder=tmp_path)
    assert done.code == 2
    assert "'nme'" in done.out
    assert "did you mean 'name'?" in done.out


def test_a_call_that_waits_for_approval_is_made_after_it_in_another_process(
    tmp_path, service, fake_server
):
    fake_server.when(tool_results=0).calls("make", name="a")
    fake_server.when().says("Done.")
    path = shop(tmp_path, service, "approval: ask")
    paused = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert paused.code == 4, paused.err
    assert not service.asked
    run_id = json.loads(paused.out)["run_id"]
    line = ("runs", "resume", run_id, "--approve", "all", "--manifest", path)
    resumed = agency(*line, folder=tmp_path, environ=fake_server.env)
    assert resumed.code == 0, resumed.err
    assert sent(service) == [{"name": "a"}]


def test_a_run_that_was_killed_goes_on_and_repeats_no_call_that_was_done(
    tmp_path, service, fake_server
):
    path = shop(tmp_path, service)
    run_id = killed_in_a_call(path, service, fake_server)
    done = agency("runs", "resume", run_id, "--manifest", path, folder=tmp_path,
                  environ=fake_server.env)  # fmt: skip
    assert done.code == 0, done.err
    assert sent(service) == [{"name": "one"}, {"name": "two"}, {"name": "two"}]


def test_a_call_that_was_cut_off_is_reported_where_that_is_said(tmp_path, service, fake_server):
    path = shop(tmp_path, service, "on_resume: report")
    run_id = killed_in_a_call(path, service, fake_server)
    done = agency("runs", "resume", run_id, "--manifest", path, folder=tmp_path,
                  environ=fake_server.env)  # fmt: skip
    assert done.code == 0, done.err
    assert sent(service) == [{"name": "one"}, {"name": "two"}]
    assert "whether it took effect is unknown" in fake_server.requests[-1].tool_outputs[-1]


def test_a_recipient_of_a_message_has_its_operations(tmp_path, service, fake_server):
    path = shop(tmp_path, service)
    path.write_text(
        f"{path.read_text()}  boss: {{instructions: You are the boss.}}\nentry: boss\n"
        "flows: [boss > clerk]\n".replace("[boss > clerk]", '["boss > clerk"]')
    )
    asked = {"recipient_agent": "clerk", "message": "go", "additional_instructions": None}
    fake_server.when(instructions="the boss", turn=0).calls_raw(ToolCall("send_message", asked))
    fake_server.when(instructions="the clerk", tool_results=0).calls("make", name="a")
    fake_server.when().says("Done.")
    done = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert sent(service) == [{"name": "a"}]


def test_a_chat_calls_operations_in_each_message(tmp_path, service, fake_server):
    fake_server.when(tool_results=0).calls("make", name="a")
    fake_server.when().says("Done.")
    path = shop(tmp_path, service)
    done = agency("chat", path, folder=tmp_path, environ=fake_server.env, stdin="One\nTwo\n")
    assert done.code == 0, done.err
    assert sent(service)[0] == {"name": "a"}


def test_secrets_of_a_service_are_in_no_journal_and_no_output(tmp_path, service, fake_server):
    # A service that gives back what it got.
    service.answers["/things"] = Answer(403, b'{"error": "bad key hidden-key-123, hidden-q-456"}')
    fake_server.when(tool_results=0).calls("look")
    fake_server.when().says("Done.")
    path = shop(tmp_path, service, 'query: {key: "${env.SHOP_QUERY}"}')
    environ = {**fake_server.env, "SHOP_KEY": "hidden-key-123", "SHOP_QUERY": "hidden-q-456"}
    done = agency("run", path, "Go", "--jsonl", folder=tmp_path, environ=environ)
    assert done.code == 0, done.err
    (asked,) = service.asked
    assert asked.headers["x-key"] == "hidden-key-123"
    assert asked.query == [("key", "hidden-q-456")]
    kept = b"".join(each.read_bytes() for each in (tmp_path / "store").rglob("*.db*"))
    shown = agency("runs", "show", "--json", json.loads(done.out.splitlines()[-1])["run_id"],
                   folder=tmp_path).out  # fmt: skip
    for secret in ("hidden-key-123", "hidden-q-456"):
        assert secret.encode() not in kept
        assert secret not in shown


def test_a_variable_that_a_service_needs_is_asked_for_before_the_run(
    tmp_path, service, fake_server
):
    path = shop(tmp_path, service, 'query: {key: "${env.SHOP_QUERY}"}')
    done = agency("run", path, "Go", folder=tmp_path, environ=fake_server.env)
    assert done.code == 6
    assert "SHOP_QUERY" in done.err
    assert not fake_server.requests


def test_plain_validate_only_looks_whether_the_document_is_there(tmp_path, service):
    path = shop(tmp_path, service)
    (tmp_path / "service.yaml").write_text("swagger: '2.0'")
    assert agency("validate", path, folder=tmp_path).code == 0
    done = agency("validate", "--deep", path, folder=tmp_path)
    assert done.code == 2
    assert f"{path}:6:14: error: tools.shop.openapi: service.yaml is Swagger 2.0;" in done.out
    (tmp_path / "service.yaml").unlink()
    (tmp_path / "servce.yml").touch()
    done = agency("validate", path, folder=tmp_path)
    assert f"{path}:6:14: error: tools.shop.openapi: the file 'service.yaml' does not" in done.out
    assert "(did you mean 'servce.yml'?)  [missing-file]" in done.out


def test_a_document_that_is_not_sound_is_exit_2_before_any_model_call(
    tmp_path, service, fake_server
):
    path = shop(tmp_path, service, "operations: [look, mke]")
    done = agency("run", path, "Go", folder=tmp_path, environ=fake_server.env)
    assert done.code == 2
    assert f"{path}:9:24: error: tools.shop.operations[1]: no operation matches 'mke' (did you" in (
        done.err
    )
    assert "Traceback" not in done.err
    assert not fake_server.requests


def test_a_document_that_cannot_be_fetched_is_exit_6_before_any_model_call(tmp_path, fake_server):
    with http_service() as gone:
        path = shop(tmp_path, gone, openapi=f"{gone.url}/openapi.json")
    done = agency("run", path, "Go", "--json", folder=tmp_path, environ=fake_server.env)
    assert done.code == 6
    assert f"agency.yaml:6: tools.shop.openapi: {gone.url}/openapi.json cannot be fetched" in (
        done.err
    )
    assert not fake_server.requests
    assert agency("validate", path, folder=tmp_path).code == 0


def test_two_services_with_the_same_operations_need_a_prefix(tmp_path, service):
    path = shop(tmp_path, service)
    text = path.read_text().replace("agents:", "  other:\n    openapi: service.yaml\nagents:")
    path.write_text(text.replace("tools: [shop]", "tools: [shop, other]"))
    done = agency("validate", "--deep", path, folder=tmp_path)
    assert done.code == 2
    assert "two tools named 'look', of tools.shop and of tools.other" in done.out
    assert "give tools.other another `prefix`" in done.out
    path.write_text(path.read_text().replace("agents:", "    prefix: o_\nagents:"))
    assert agency("validate", "--deep", path, folder=tmp_path).code == 0


def test_an_operation_that_no_tool_can_be_made_of_is_told_and_the_run_goes_on(
    tmp_path, service, fake_server
):
    fake_server.when().says("Done.")
    path = shop(tmp_path, service)
    paths = {**getting(), "/photo": posting({}, "image/png")["/things"]}
    written(tmp_path, document(paths))
    done = agency("run", path, "Go", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert "tools.shop: make is left out: its body is to be image/png" in done.err
    assert [tool.name for tool in fake_server.requests[0].tools] == ["look"]


def findings(path: Path, fake_server, *arguments: str):
    done = agency("doctor", path, "--json", *arguments, folder=path.parent,
                  environ=fake_server.env)  # fmt: skip
    rows = {(row["kind"], row["name"]): row for row in json.loads(done.out)["findings"]}
    return done.code, rows


def test_the_doctor_reads_the_document_and_tries_the_service(tmp_path, service, fake_server):
    code, rows = findings(shop(tmp_path, service, "operations: [look]"), fake_server)
    assert code == 0, rows
    row = rows["openapi", "shop"]
    assert (row["status"], row["needed_by"]) == ("ok", ["clerk"])
    assert row["detail"] == "service.yaml, 2 operations, 1 of them offered"
    assert rows["service", "127.0.0.1"]["detail"].endswith("answers")
    assert not service.asked, "nothing is asked of it"


def test_the_doctor_exits_with_6_where_a_service_or_its_document_is_missing(tmp_path, fake_server):
    with http_service() as gone:
        path = shop(tmp_path, gone)
    code, rows = findings(path, fake_server)
    assert code == 6
    assert rows["service", "127.0.0.1"]["status"] == "missing"
    path = shop(tmp_path, gone, openapi=f"{gone.url}/openapi.json")
    code, rows = findings(path, fake_server)
    assert (code, rows["openapi", "shop"]["status"]) == (6, "missing")
    assert "cannot be fetched" in rows["openapi", "shop"]["detail"]


def test_the_doctor_fetches_nothing_offline(tmp_path, service, fake_server):
    path = shop(tmp_path, service, openapi=f"{service.url}/openapi.json")
    code, rows = findings(path, fake_server, "--offline")
    assert code == 0
    assert rows["openapi", "shop"]["status"] == "note"
    assert rows["service", "127.0.0.1"]["detail"].endswith("was not tried")
    assert not service.asked


def test_a_document_with_its_parts_can_be_included_from_another_folder(
    tmp_path, service, fake_server
):
    fake_server.when(tool_results=0).calls("look")
    fake_server.when().says("Done.")
    written(tmp_path, document(getting()), "shared/api/service.yaml")
    (tmp_path / "shared" / "shop.yaml").write_text(
        f"tools: {{shop: {{openapi: api/service.yaml, base_url: '{service.url}'}}}}\n"
    )
    path = tmp_path / "agency.yaml"
    path.write_text(
        "version: 1\nname: a\ninclude: [shared/shop.yaml]\ndefaults: {model: gpt-5-mini}\n"
        "agents: {clerk: {instructions: You are the clerk., tools: [shop]}}\n"
    )
    done = agency("run", path, "Go", folder=tmp_path, environ=fake_server.env)
    assert done.code == 0, done.err
    assert len(service.asked) == 1
