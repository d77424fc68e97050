"""MCP servers that do not start, go away or hang: one clear line, and nothing left behind."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from agency_cli.errors import LimitReached, ManifestError, ServerUnavailable
from agency_runs import build, run, runs
from fake_server import Reply, ToolCall
from mcp_agencies import SERVERS, is_running, one_agent, serving, started, stdio

BROKEN = {
    "ends": ("ended before it answered", "no licence found"),
    "garbage": ("did not answer within 1.5 seconds", "what it writes is no MCP"),
    "hangs": ("did not answer within 1.5 seconds", "startup_timeout_seconds"),
    "hangs_at_list": ("did not answer within 1.5 seconds",),
    "no_tools": ("has no tools",),
    "no_schema": ("lists tools that are none",),
}
SHORT = ", startup_timeout_seconds: 1.5"


@pytest.mark.parametrize(("how", "said"), BROKEN.items(), ids=BROKEN)
def test_a_required_server_that_is_broken_ends_the_run_before_a_model_is_asked(
    tmp_path, fake_server, how, said
):
    more = "" if how == "ends" else SHORT
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", how), more=more))
    outcome = run(agency)
    assert isinstance(outcome.error, ServerUnavailable)
    assert outcome.error.exit_code == 6
    text = str(outcome.error)
    assert text.startswith("agency.yaml:") or "agency.yaml:" in text
    assert "tools.desk: the MCP server 'desk'" in text
    assert "\n" not in text
    for part in said:
        assert part in text
    assert not fake_server.requests
    assert outcome.tree.ended.error.kind == "server"


@pytest.mark.parametrize("how", BROKEN)
def test_without_a_server_that_is_not_required_the_run_goes_on(tmp_path, fake_server, how):
    more = f"{'' if how == 'ends' else SHORT}, required: false"
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", how), more=more))
    fake_server.when().says("Done.")
    first, second = runs(agency, [{}, {}])
    assert first.output == second.output == "Done."
    assert not fake_server.requests[0].tools
    notices = [event.text for event in first.events if hasattr(event, "text")]
    (notice,) = [text for text in notices if "the run goes on without it" in text]
    assert "tools.desk" in notice
    assert not [e for e in second.events if "goes on without" in getattr(e, "text", "")]


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ("command: no_such_program_here", "there is no program 'no_such_program_here'"),
        ("command: python, folder: nowhere", "there is no folder nowhere"),
    ],
)
def test_what_is_not_there_is_named(tmp_path, fake_server, server, said):
    outcome = run(build(tmp_path, fake_server, one_agent(server)))
    assert isinstance(outcome.error, ServerUnavailable)
    assert said in str(outcome.error)


class _Refusing(BaseHTTPRequestHandler):
    status = 500

    def _refuse(self):
        self.send_response(self.status)
        self.send_header("content-length", "0")
        self.end_headers()

    do_POST = do_GET = _refuse  # noqa: N815 - names that http.server looks for

    def log_message(self, *_):
        pass


@pytest.fixture
def refusing():
    server = HTTPServer(("127.0.0.1", 0), _Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("transport", ["streamable_http", "sse"])
@pytest.mark.parametrize(("status", "said"), [(500, "500"), (401, "headers"), (404, "404")])
def test_a_server_that_refuses_over_http_is_told_with_its_status(
    tmp_path, fake_server, refusing, transport, status, said
):
    refusing.RequestHandlerClass.status = status
    url = f'url: "http://u:pass-word@127.0.0.1:{refusing.server_port}/mcp", transport: {transport}'
    outcome = run(build(tmp_path, fake_server, one_agent(url)))
    assert isinstance(outcome.error, ServerUnavailable)
    assert "tools.desk: the MCP server 'desk' cannot be used" in str(outcome.error)
    assert str(status) in str(outcome.error)
    assert said in str(outcome.error)
    assert "pass-word" not in str(outcome.error)


def test_a_server_at_whose_address_nothing_listens_is_told_as_such(tmp_path, fake_server):
    outcome = run(build(tmp_path, fake_server, one_agent('url: "http://127.0.0.1:9/mcp"')))
    assert isinstance(outcome.error, ServerUnavailable)
    assert "Could not reach the server" in str(outcome.error)


def test_all_broken_servers_are_told_at_once(tmp_path, fake_server):
    one, two = (stdio("raw.py", "ends"), "command: no_such_program_here")
    agency = build(
        tmp_path,
        fake_server,
        f"""
        tools: {{one: {{mcp: {{{one}}}}}, two: {{mcp: {{{two}}}}}}}
        agents: {{clerk: {{instructions: You are the clerk., tools: [one, two]}}}}
        """,
    )
    text = str(run(agency).error)
    assert "'one' ended" in text
    assert "'two' did not start" in text


@pytest.fixture
def desk(tmp_path, fake_server):
    server = f"{stdio('desk.py', 'stdio')}, env: {{DESK_FOLDER: {tmp_path}}}"
    return build(tmp_path, fake_server, one_agent(server))


def test_a_server_that_dies_is_told_of_and_started_again_for_the_next_call(
    desk, fake_server, tmp_path
):
    fake_server.when(tool_results=0).calls("mcp_desk__die")
    fake_server.when(tool_results=1).calls("mcp_desk__add", a=1, b=1)
    fake_server.when().says("Done.")
    outcome = run(desk)
    assert outcome.output == "Done.", outcome.error
    died, added = outcome.nodes("tool")
    assert died.status == "error"
    assert "the MCP server went away during the call" in died.output
    assert "something broke badly" in died.output
    assert "mcp-desk.log" in died.output
    assert (added.status, added.output) == ("ok", "2")
    assert len(started(tmp_path)) == 2
    assert not any(map(is_running, started(tmp_path)))


def test_a_server_that_cannot_be_started_again_is_tried_for_each_call(tmp_path, fake_server):
    script = tmp_path / "raw.py"
    script.write_text((SERVERS / "raw.py").read_text())
    agency = build(
        tmp_path, fake_server, one_agent(f'command: python, args: ["{script}", dies_for_good]')
    )

    def remove(_request):
        script.unlink(missing_ok=True)
        return Reply(tool_calls=(ToolCall("mcp_desk__echo", {"text": "2"}),))

    fake_server.when(tool_results=0).calls("mcp_desk__echo", text="1")
    fake_server.when(tool_results=1).replies(remove)
    fake_server.when().says("Done.")
    outcome = run(agency)
    assert outcome.output == "Done.", outcome.error
    first, second = outcome.nodes("tool")
    assert "went away during the call" in first.output
    assert "the server went away, and is not back" in second.output


def test_an_error_of_the_protocol_is_the_servers_answer(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", "error")))
    fake_server.when(tool_results=0).calls("mcp_desk__echo", text="1")
    fake_server.when().says("Done.")
    (node,) = run(agency).nodes("tool")
    assert "the server refuses the call: the backend is down" in node.output


def test_a_server_over_http_that_goes_away_is_reached_again(tmp_path, fake_server):
    with serving(tmp_path, "http") as url:
        port = int(url.split(":")[2].split("/")[0])
        agency = build(tmp_path, fake_server, one_agent(f'url: "{url}"'))
        fake_server.when(tool_results=0).calls("mcp_desk__die")

        def restart(_request):
            again.append(serving(tmp_path, "http", port))
            again[-1].__enter__()
            return Reply(tool_calls=(ToolCall("mcp_desk__add", {"a": 1, "b": 1}),))

        again = []
        fake_server.when(tool_results=1).replies(restart)
        fake_server.when().says("Done.")
        try:
            outcome = run(agency)
        finally:
            for each in again:
                each.__exit__(None, None, None)
    died, added = outcome.nodes("tool")
    assert "went away during the call" in died.output
    assert added.output == "2"


def test_a_limit_of_time_ends_a_run_whose_server_hangs_at_its_start(tmp_path, fake_server):
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", "hangs")))
    outcome = run(agency, max_seconds=1)
    assert isinstance(outcome.error, LimitReached)


def test_a_limit_of_time_ends_a_call_and_leaves_no_process(desk, fake_server, tmp_path):
    fake_server.when().calls("mcp_desk__sleep", seconds=60)
    outcome = run(desk, max_seconds=3)
    assert isinstance(outcome.error, LimitReached)
    assert not any(map(is_running, started(tmp_path)))


def test_rules_about_arguments_that_no_tool_has_are_told_before_a_model_is_asked(
    tmp_path, fake_server
):
    rules = '[{when: {txt: "*"}, then: deny}, {then: never}]'
    more = f", approval: {rules}"
    agency = build(tmp_path, fake_server, one_agent(stdio("raw.py", "echo"), more=more))
    for outcome in runs(agency, [{}, {}]):
        assert isinstance(outcome.error, ManifestError)
        assert "no argument is named 'txt' (did you mean 'text'?)" in str(outcome.error)
    assert not fake_server.requests


def test_secrets_stay_out_of_logs_and_errors(tmp_path, fake_server):
    env = f"env: {{DESK_FOLDER: {tmp_path}, DESK_KEY: very-secret-value}}"
    agency = build(tmp_path, fake_server, one_agent(f"{stdio('desk.py', 'stdio')}, {env}"))
    fake_server.when(tool_results=0).calls("mcp_desk__die")
    fake_server.when().says("Done.")
    (node,) = run(agency).nodes("tool")
    log = (tmp_path / ".agency" / "logs" / "mcp-desk.log").read_text()
    assert "the desk is open; key: [secret]" in log
    assert "very-secret-value" not in log + node.output
