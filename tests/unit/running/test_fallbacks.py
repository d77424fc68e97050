"""When a model's provider fails for good, the next model of its chain answers."""

from __future__ import annotations

import textwrap
from decimal import Decimal

import pytest

from agency_cli.building import build_agency
from agency_cli.errors import ExitCode, LimitReached, ProviderFailed, RunFailed, UsageError
from agency_cli.events import Notice, TextDelta
from agency_cli.loading import load_manifest
from agency_cli.models.choice import ModelOverrides
from agency_runs import message, run
from fake_server import FakeServer, Fault, Reply, TokenUsage, ToolCall

HEAD = """\
version: 1
name: test
providers:
  one: {{base_url: "{one}", api: {apis[0]}, api_key: k}}
  two: {{base_url: "{two}", api: {apis[1]}, api_key: k}}
models:
  cheap:
    model: gpt-5-mini
    provider: one
    fallback: [llama]
    price: {{input: 1, output: 2}}
    settings:
      temperature: 0.1
      retry: {{max_retries: 1, backoff: {{initial_delay: 0.01, jitter: false}}}}
  llama:
    model: llama3.3
    provider: two
    price: {{input: 30, output: 70}}
    settings: {{temperature: 0.9, retry: {{max_retries: 2, backoff: {{initial_delay: 0}}}}}}
defaults: {{model: cheap}}
"""
ONE = """
agents:
  boss: {instructions: You are the boss.}
"""
CHAT = ("chat_completions", "chat_completions")
MIXED = pytest.mark.parametrize(
    "apis",
    [CHAT, ("responses", "chat_completions"), ("chat_completions", "responses")],
    ids="-".join,
)


@pytest.fixture
def second():
    """Give the server of the second provider."""
    with FakeServer() as server:
        yield server
    assert not server.unexpected


def build(
    folder, one, two, text=ONE, *, apis=CHAT, change=("", ""), notices=None, environ=None, head=HEAD
):
    head = head.format(one=one.base_url, two=two.base_url, apis=apis)
    (folder / "agency.yaml").write_text(head.replace(*change) + textwrap.dedent(text))
    loaded = load_manifest(folder / "agency.yaml", environ=environ or {})
    told = [] if notices is None else notices
    return build_agency(
        loaded, overrides=ModelOverrides(), environ=environ or {}, notify=told.append
    )


def calls(outcome):
    """Return model and status of each model call, in the order in which they began."""
    return [
        (node.name.removeprefix("one/").removeprefix("two/"), node.status)
        for node in outcome.nodes("model")
    ]


def notices(outcome):
    return [event.text for event in outcome.events if isinstance(event, Notice)]


@MIXED
@pytest.mark.parametrize(
    ("fault", "attempts", "reason"),
    [
        (Fault.status(400), 1, "HTTP 400"),
        (Fault.status(401), 1, "check the key"),
        (Fault.status(403), 1, "HTTP 403"),
        (Fault.status(404), 1, "check the model's id"),
        (Fault.status(429, retry_after=0.01), 2, "HTTP 429"),
        (Fault.status(429, retry_after=3600), 1, "HTTP 429"),
        (Fault.status(503), 2, "HTTP 503"),
        (Fault.hang(0.01), 2, "the connection broke"),
        (Fault.cut(after_chunks=4, how="dropped"), 2, "the connection broke"),
        (Fault.cut(after_chunks=4, how="ended"), 1, "stopped before it was finished"),
        (Fault.error_event("no capacity"), 1, "no capacity"),
        (Fault.not_json(), 1, "text/html"),
        (Fault.garbage(), 1, "not JSON"),
        (Fault.empty(), 1, "empty"),
    ],
)
def test_each_failure_that_stays_is_answered_by_the_next_model(
    tmp_path, fake_server, second, apis, fault, attempts, reason
):
    fake_server.when().fails(fault)
    second.when().says("I take over.")
    outcome = run(build(tmp_path, fake_server, second, apis=apis))
    assert outcome.output == "I take over."
    assert calls(outcome) == [*[("gpt-5-mini", "error")] * attempts, ("llama3.3", "ok")]
    assert len(fake_server.requests) == attempts
    (notice,) = notices(outcome)
    assert notice.startswith("one/gpt-5-mini failed (")
    assert notice.endswith("); boss goes on with two/llama3.3")
    assert reason in notice
    assert outcome.tree.root.status == "ok"


@MIXED
def test_a_stream_that_is_cut_after_text_was_shown_keeps_its_own_node(
    tmp_path, fake_server, second, apis
):
    fake_server.when().fails(Fault.cut(after_chunks=5, how="ended"))
    second.when().says("The whole answer.")
    outcome = run(build(tmp_path, fake_server, second, apis=apis))
    cut, whole = outcome.nodes("model")
    assert cut.text
    assert "This answer is long enough".startswith(cut.text)
    assert (cut.status, whole.status) == ("error", "ok")
    assert whole.text == whole.output == outcome.output == "The whole answer."
    deltas = [event.node_id for event in outcome.events if isinstance(event, TextDelta)]
    assert set(deltas) == {cut.id, whole.id}


def test_all_models_that_were_tried_are_named_in_one_line(tmp_path, fake_server, second):
    fake_server.when().fails(Fault.status(401))
    second.when().fails(Fault.status(503))
    outcome = run(build(tmp_path, fake_server, second))
    assert isinstance(outcome.error, ProviderFailed)
    assert outcome.error.exit_code == ExitCode.PROVIDER
    line = str(outcome.error)
    assert line.startswith("all 2 models failed: one/gpt-5-mini (HTTP 401")
    assert "; two/llama3.3 (HTTP 503" in line
    assert line.endswith(" (agent boss)")
    assert "\n" not in line
    assert calls(outcome) == [("gpt-5-mini", "error"), *[("llama3.3", "error")] * 3]
    assert outcome.tree.totals.turns == 0
    assert outcome.tree.totals.usage.requests == 4


def test_fallbacks_of_fallbacks_are_tried_in_order_and_each_once(tmp_path, fake_server, second):
    more = """\
  mid: {model: mid, provider: one, fallback: [last]}
  last: {model: last, provider: two}
"""
    head = HEAD.replace("fallback: [llama]", "fallback: [mid, llama, last]")
    fake_server.when().fails(Fault.status(401))
    second.when(model="last").fails(Fault.status(404))
    second.when(model="llama3.3").says("At last.")
    change = ("defaults:", f"{more}defaults:")
    outcome = run(build(tmp_path, fake_server, second, change=change, head=head))
    assert outcome.output == "At last."
    assert [model for model, _ in calls(outcome)] == ["gpt-5-mini", "mid", "last", "llama3.3"]


def test_what_is_no_failure_of_a_provider_is_left_as_it_is(tmp_path, fake_server, second):
    fake_server.when(user="short").replies(Reply(text="cut", finish_reason="length"))
    fake_server.when(user="turns").calls("no_such_tool")
    agency = build(tmp_path, fake_server, second)
    assert isinstance(run(agency, "short").error, RunFailed)
    agency = build(tmp_path, fake_server, second)
    assert isinstance(run(agency, "turns", max_turns=2).error, LimitReached)
    assert not second.requests


def test_time_that_is_up_is_no_reason_to_ask_another_model(tmp_path, fake_server, second):
    fake_server.when().says("late").after(30)
    outcome = run(build(tmp_path, fake_server, second), max_seconds=0.3)
    assert isinstance(outcome.error, LimitReached)
    assert not second.requests


def test_an_attempt_that_takes_longer_than_its_timeout_fails_and_falls_back(
    tmp_path, fake_server, second
):
    fake_server.when().says("late").after(30)
    second.when().says("In time.")
    change = ("temperature: 0.1", "timeout: 0.2")
    outcome = run(build(tmp_path, fake_server, second, change=change))
    assert outcome.output == "In time."
    assert calls(outcome) == [*[("gpt-5-mini", "error")] * 2, ("llama3.3", "ok")]
    assert "no answer in time" in notices(outcome)[0]


def test_each_model_is_asked_with_its_own_settings(tmp_path, fake_server, second):
    fake_server.when().fails(Fault.status(401))
    second.when(turn=0).calls("look")
    second.when().says("Done.")
    (tmp_path / "tools.py").write_text("def look() -> str:\n    return 'seen'\n")
    text = """
    tools: {look: {python: "tools.py:look"}}
    agents:
      boss: {instructions: You are the boss., tools: [look], settings: {top_p: 0.5}}
    """
    change = ("temperature: 0.9", "temperature: 0.9, tool_choice: required")
    assert run(build(tmp_path, fake_server, second, text, change=change)).output == "Done."
    asked = [server.requests[0].body for server in (fake_server, second)]
    assert [body["temperature"] for body in asked] == [0.1, 0.9]
    assert [body["top_p"] for body in asked] == [0.5, 0.5]
    chosen = [request.body.get("tool_choice") for request in second.requests]
    assert chosen == ["required", None], "a tool that must be called is called once"


def test_a_model_that_is_down_is_tried_last_by_the_whole_run(tmp_path, fake_server, second):
    text = """
    entry: boss
    agents:
      boss: {instructions: You are the boss.}
      worker: {instructions: You are the worker.}
    flows: [boss > worker]
    """
    fake_server.when().fails(Fault.status(401))
    second.when(instructions="the boss", turn=0).calls("send_message", **message("worker", "go"))
    second.when(instructions="the worker").says("worked")
    second.when(instructions="the boss").says("done")
    outcome = run(build(tmp_path, fake_server, second, text))
    assert outcome.output == "done"
    assert len(fake_server.requests) == 1
    assert len(notices(outcome)) == 1


def test_a_model_that_is_down_is_still_tried_where_all_others_fail(tmp_path, fake_server, second):
    (tmp_path / "tools.py").write_text("def look() -> str:\n    return 'seen'\n")
    text = """
    tools: {look: {python: "tools.py:look"}}
    agents: {boss: {instructions: You are the boss., tools: [look]}}
    """
    fake_server.when().fails(Fault.status(401, times=1))
    fake_server.when().says("I am back.")
    second.when(turn=0).calls("look")
    second.when().fails(Fault.status(403))
    outcome = run(build(tmp_path, fake_server, second, text))
    assert outcome.output == "I am back."
    assert [model for model, _ in calls(outcome)] == [
        "gpt-5-mini", "llama3.3", "llama3.3", "gpt-5-mini",
    ]  # fmt: skip


@MIXED
def test_a_conversation_goes_from_server_to_server_without_what_only_one_understands(
    tmp_path, fake_server, second, apis
):
    (tmp_path / "tools.py").write_text("def look(what: str) -> str:\n    return f'saw {what}'\n")
    text = """
    tools: {look: {python: "tools.py:look"}}
    agents: {boss: {instructions: You are the boss., tools: [look]}}
    """

    def looks(what):
        thought = f"I want to see {what}."
        return Reply(
            text=f"Looking at {what}.",
            reasoning=thought,
            tool_calls=(ToolCall("look", {"what": what}),),
        )

    fake_server.when().replies(
        looks("a"), Fault.status(400, times=1), looks("c"), Fault.status(400, times=1)
    )
    second.when().replies(looks("b"), Reply(text="Seen all."))
    outcome = run(build(tmp_path, fake_server, second, text, apis=apis))
    assert outcome.error is None
    assert outcome.output == "Seen all."
    assert [server_of(call) for call in outcome.nodes("model")] == [
        "one",
        "one",
        "two",
        "one",
        "one",
        "two",
    ]
    last_of_one, last_of_two = fake_server.requests[-1], second.requests[-1]
    assert last_of_two.tool_outputs == last_of_one.tool_outputs == ("saw a", "saw b", "saw c")
    for item in last_of_two.body.get("input", ()):
        assert item.get("type") != "reasoning"
        assert not item.get("id")
    own = [item for item in last_of_one.body.get("input", ()) if item.get("type") == "reasoning"]
    assert "I want to see b." not in str(own)
    if own:
        assert "I want to see a." in str(own)


def server_of(call):
    return call.name.partition("/")[0]


@MIXED
def test_sums_are_what_both_servers_counted_with_nested_and_parallel_branches(
    tmp_path, fake_server, second, apis
):
    text = """
    entry: boss
    agents:
      boss: {instructions: You are boss.}
      a: {instructions: You are a.}
      b: {instructions: You are b., model: llama}
      c: {instructions: You are c.}
    flows: ["boss > a, b > c"]
    """
    fake_server.when(instructions="You are boss.", turn=0).calls(
        "send_message", **message("a", "go")
    ).calls("send_message", **message("b", "go"))
    fake_server.when(instructions="You are a.").fails(Fault.status(400))
    fake_server.when(instructions="You are c.").fails(Fault.cut(after_chunks=4, how="ended"))
    second.when(instructions="You are a.", turn=0).calls("send_message", **message("c", "go"))
    second.when(instructions="You are b.", turn=0).calls("send_message", **message("c", "go"))
    for server in (fake_server, second):
        server.script(lambda _: Reply(text="fine"))
    outcome = run(build(tmp_path, fake_server, second, text, apis=apis))
    assert outcome.output == "fine"
    by_model = outcome.tree.by_model()
    prices = {"one/gpt-5-mini": (1, 2), "two/llama3.3": (30, 70)}
    for server, label in ((fake_server, "one/gpt-5-mini"), (second, "two/llama3.3")):
        told, used = server.counted, by_model[label]
        assert used.usage.requests == len(server.requests)
        assert (used.usage.input_tokens, used.usage.output_tokens) == (
            told.total.input,
            told.total.output,
        )
        input_price, output_price = prices[label]
        cost = told.total.input * input_price + told.total.output * output_price
        assert used.cost_usd == Decimal(cost) / 1_000_000
    totals = outcome.tree.totals
    assert sum((part.cost_usd for part in by_model.values()), Decimal(0)) == totals.cost_usd
    by_agent = outcome.tree.by_agent().values()
    assert sum((part.cost_usd for part in by_agent), Decimal(0)) == totals.cost_usd
    assert sum(part.usage.requests for part in by_agent) == totals.usage.requests


def test_an_attempt_that_failed_is_no_turn(tmp_path, fake_server, second):
    fake_server.when().fails(Fault.status(503))
    second.when().says("Done.")
    assert run(build(tmp_path, fake_server, second), max_turns=1).output == "Done."
    text = ONE.replace("boss.}", "boss., max_turns: 1}")
    assert run(build(tmp_path, fake_server, second, text)).output == "Done."


def test_money_that_a_fallback_costs_counts_against_the_limit(tmp_path, fake_server, second):
    (tmp_path / "tools.py").write_text(
        "import itertools\nnumbers = itertools.count()\n"
        "def look() -> str:\n    return f'sight {next(numbers)}'\n"
    )
    text = """
    tools: {look: {python: "tools.py:look"}}
    agents: {boss: {instructions: You are the boss., tools: [look]}}
    """
    fake_server.when().fails(Fault.status(401))
    usage = TokenUsage(input=1000, output=1000)
    second.when().replies(lambda _: Reply(tool_calls=(ToolCall("look", {}),), usage=usage))
    outcome = run(build(tmp_path, fake_server, second, text), max_cost_usd=0.25)
    assert isinstance(outcome.error, LimitReached)
    assert outcome.tree.totals.cost_usd == Decimal("0.3"), "three calls of 10 cents"


def test_a_fallback_without_its_key_is_left_out_and_told(tmp_path, fake_server, second):
    fake_server.when().fails(Fault.status(401))
    told = []
    change = (f'two: {{base_url: "{second.base_url}", api: chat_completions, api_key: k}}',
              f'two: {{base_url: "{second.base_url}", api_key: "${{env.TWO_KEY}}"}}')  # fmt: skip
    outcome = run(build(tmp_path, fake_server, second, change=change, notices=told))
    assert told == ["two/llama3.3 is left out as a fallback: TWO_KEY is not set"]
    assert str(outcome.error).startswith("one (http://127.0.0.1:")
    assert not second.requests
    second.when().says("With a key.")
    agency = build(tmp_path, fake_server, second, change=change, environ={"TWO_KEY": "k"})
    assert run(agency).output == "With a key."


def test_an_embedded_model_that_is_not_there_falls_back(tmp_path, fake_server, second):
    second.when().says("I am here.")
    change = ("model: gpt-5-mini\n    provider: one", "model: local:/nowhere/model.gguf")
    outcome = run(build(tmp_path, fake_server, second, change=change))
    assert outcome.output == "I am here."
    assert [node.status for node in outcome.nodes("model")] == ["error", "ok"]


def test_a_fallback_whose_package_is_missing_is_refused_before_any_call(
    tmp_path, fake_server, second
):
    change = ("fallback: [llama]", "fallback: [litellm/anthropic/claude]")
    with pytest.raises(UsageError, match=r"agency-cli\[litellm\]"):
        build(tmp_path, fake_server, second, change=change)
