"""Rules on manifests of sound shape; the cases of tests/manifests show each of them at work."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agency_cli.checks import ERRORS, WARNINGS, Subject, Text, run_checks
from agency_cli.manifest import Manifest


def codes(checks=(*ERRORS, *WARNINGS), used_params=(), **rest):
    """Return the codes of what is wrong with a manifest of three agents."""
    return [problem.code for problem in problems(checks, used_params, **rest)]


def problems(checks=(*ERRORS, *WARNINGS), used_params=(), **rest):
    agents = {
        key: {"instructions": f"You are {key}.", "description": f"Is {key}."}
        for key in ("ceo", "dev", "qa")
    }
    document = {"version": 1, "name": "demo", "agents": agents, "entry": "ceo"}
    document["flows"] = ["ceo > dev, qa"]
    document |= rest
    manifest = Manifest.model_validate(document)
    instructions = {
        key: Text(("agents", key, "instructions"), agent.instructions)
        for key, agent in manifest.agents.items()
        if agent.instructions is not None
    }
    subject = Subject(manifest, document, instructions, frozenset(used_params))
    return run_checks(subject, checks)


def agent(text="Work.", **rest):
    return {"instructions": text, "description": "Works.", **rest}


def with_provider(**provider):
    """Return what declares a provider that is used."""
    models = {"m": {"model": "x", "provider": "p"}}
    return {"providers": {"p": provider}, "models": models, "defaults": {"model": "m"}}


def test_a_sound_manifest_passes_every_check():
    assert codes() == []


def test_errors_and_warnings_are_what_their_tables_say():
    broken = {"agents": {"a": {}, "A": agent(tools=["x"])}, "flows": ["a > b", "b"], "entry": "c"}
    assert set(codes(ERRORS, **broken)) == {
        "unknown-agent",
        "unknown-tool",
        "missing-instructions",
        "similar-agents",
        "bad-flow",
    }
    assert codes(WARNINGS, models={"m": {"model": "x"}}) == ["unused-model"]


def test_a_flow_that_is_the_same_in_two_forms_is_found():
    assert codes(flows=["ceo > dev > qa", {"from": "dev", "to": ["qa"]}, "ceo > qa"]) == [
        "duplicate-flow"
    ]


def test_the_same_pair_may_have_another_kind_or_another_tool():
    handoff = {"from": "ceo", "to": "dev", "kind": "handoff"}
    urgent = {"from": "ceo", "to": "dev", "tool_name": "urgent"}
    assert codes(flows=["ceo > dev, qa", handoff, urgent]) == []
    assert codes(flows=["ceo > dev, qa", handoff, handoff]) == ["duplicate-flow"]
    assert codes(flows=["ceo > dev, qa", urgent, urgent]) == ["duplicate-flow"]


@pytest.mark.parametrize(
    "flow", ["ceo", ">", "ceo >", "> dev", "ceo -> dev", "ceo, > dev", "a b > c"]
)
def test_a_flow_that_cannot_be_read_is_one_problem(flow):
    assert codes(ERRORS, flows=["ceo > dev, qa", flow]) == ["bad-flow"]


def test_a_cycle_needs_an_entry():
    assert codes(flows=["ceo > dev > qa > ceo"]) == []
    assert codes(flows=["ceo > dev > qa > ceo"], entry=None) == ["no-entry"]


def test_several_agents_that_no_flow_reaches_need_an_entry():
    assert codes(flows=["ceo > dev"], entry=None) == ["ambiguous-entry"]
    assert codes(flows=["ceo > dev"], entry=["ceo", "qa"]) == []


def test_an_unreachable_agent_is_told_with_each_entry_once():
    entry = ["ceo", "qa", "ceo"]
    (problem,) = problems(WARNINGS, flows=["ceo > qa"], entry=entry)
    assert problem.message == "no path of flows leads to 'dev' from ceo or qa"
    agents = {f"a{index}": agent() for index in range(6)}
    (problem,) = problems(WARNINGS, agents=agents, flows=[], entry=list(agents)[:5])
    assert problem.message == "no path of flows leads to 'a5' from a0 or a1 or a2 or 2 more"


def test_a_misspelt_entry_is_not_also_a_dozen_unreachable_agents():
    assert codes(entry="boss") == ["unknown-agent"]
    assert codes(flows=["ceo > dev"], entry=["ceo", "boss"]) == ["unknown-agent"]


def test_a_flow_to_oneself_is_not_also_a_missing_entry():
    assert codes(flows=["ceo > ceo, dev, qa"], entry=None) == ["self-flow"]


def test_a_key_of_the_other_kind_of_flow_is_named_with_both_kinds():
    flow = {"from": "ceo", "to": ["dev", "qa"], "kind": "handoff", "max_calls": 2}
    (problem,) = problems(flows=[flow])
    assert (problem.path, problem.at_key) == (("flows", 0, "max_calls"), True)
    assert problem.message == (
        "'max_calls' has no effect on a flow of kind 'handoff'; it belongs to the kind 'message':"
        " remove the key, or write `kind: message`"
    )
    reminding = {"from": "ceo", "to": ["dev", "qa"], "reminder": False}
    (problem,) = problems(flows=[reminding])
    assert problem.path == ("flows", 0, "reminder")
    assert problem.message.endswith("remove the key, or write `kind: handoff`")


def test_keys_of_its_own_kind_are_what_a_flow_is_for():
    message = {"from": "ceo", "to": ["dev", "qa"], "max_calls": 2, "memory": "none"}
    handoff = {"from": "dev", "to": "qa", "kind": "handoff", "reminder": "You are QA."}
    assert codes(flows=[message, handoff]) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:11434/v1",
        "https://example.org",
        "HTTPS://EXAMPLE.org/v1/",
        "http://[::1]:8801/v1",
        "http://user:word@host/v1",
        "http://münchen.example/v1",
    ],
)
def test_addresses_that_requests_can_be_sent_to_are_taken(url):
    assert codes(**with_provider(base_url=url)) == []


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("not a url", "http://localhost:11434/v1"),
        ("localhost:8801/v1", "put it before this one"),
        ("api.example.org", "put it before this one"),
        ("127.0.0.1:8801", "put it before this one"),
        ("file:///etc/passwd", "begins with http:// or https://"),
        ("http://", "names no host"),
        ("http://:8801/v1", "names no host"),
        ("http:localhost/v1", "names no host"),
        ("http://host:port/v1", "http://localhost:11434/v1"),
        ("http://[::1/v1", "http://localhost:11434/v1"),
        ("http://ex ample.org/v1", "no spaces"),
        ("http://example.org/v1\n", "no spaces"),
    ],
)
def test_addresses_that_no_request_can_be_sent_to_say_what_to_write(url, advice):
    (problem,) = problems(**with_provider(base_url=url))
    assert (problem.code, problem.path) == ("bad-url", ("providers", "p", "base_url"))
    assert advice in problem.message


def test_an_address_is_not_shown_since_it_can_hold_a_password():
    for url in ("http://user:s3cret@host:port/v1", "user:s3cret@host", "s3cret key"):
        (problem,) = problems(**with_provider(base_url=url))
        assert "s3cret" not in problem.message


def test_a_misspelt_flow_is_not_also_an_ambiguous_entry_or_an_unreachable_agent():
    assert codes(flows=["ceo > dve, qa"], entry=None) == ["unknown-agent"]


def test_an_agent_is_reached_over_others_and_from_any_entry():
    assert codes(flows=["ceo > dev > qa"]) == []
    assert codes(flows=["ceo > dev", "qa > dev"]) == ["unreachable-agent"]
    assert codes(flows=["ceo > dev"], entry=["qa", "ceo"]) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ask @dev.", []),
        ("Ask @qa.", ["unreachable-mention"]),
        ("Ask @qa, and @qa again.", ["unreachable-mention"]),
        ("Write to me@qa.org, npm i @types/qa, or @ceo, @nobody, @qa-team.", []),
        ("(@qa)", ["unreachable-mention"]),
    ],
)
def test_mentions_of_agents_that_cannot_be_reached_are_found(text, found):
    agents = {"ceo": agent(text), "dev": agent(), "qa": agent()}
    assert codes(agents=agents, flows=["ceo > dev > qa"]) == found


def test_a_model_is_used_by_agents_defaults_and_fallbacks():
    models = {name: {"model": name} for name in ("one", "two", "three", "four")}
    models["one"]["fallback"] = ["two"]
    agents = {"ceo": agent(model="one")}
    rest = {"agents": agents, "flows": [], "models": models, "defaults": {"model": "three"}}
    assert codes(**rest) == ["unused-model"]


def test_params_and_tools_that_nothing_uses_are_found():
    tools = {"files": {"builtin": "files", "root": "out"}}
    assert codes(tools=tools, params={"a": {}, "b": {}}, used_params=["a"]) == [
        "unused-tool",
        "unused-param",
    ]


def test_a_provider_that_no_model_names_is_found():
    rest = with_provider(base_url="http://x")
    assert codes(**rest) == []
    rest["models"]["m"]["provider"] = "openai"
    assert codes(**rest) == ["unused-provider"]
    rest["models"]["m"]["provider"] = "q"
    assert codes(**rest) == ["unknown-provider"], "which is most often the one that seems unused"
    openai = {"openai": {"base_url": "http://x"}}
    assert codes(providers=openai) == [], "it is that of models which name none"


def test_openai_is_a_provider_without_being_declared():
    agents = {"ceo": agent(model="m")}
    models = {"m": {"model": "x", "provider": "openai"}}
    assert codes(agents=agents, flows=[], models=models) == []
    models = {"m": {"model": "x", "provider": "opnai"}}
    assert codes(agents=agents, flows=[], models=models) == ["unknown-provider"]


@pytest.mark.parametrize(
    ("reference", "is_sound"),
    [
        ("tools.py:add", True),
        ("parts/tools.py:add", True),
        ("../my tools.py:add", True),
        ("package.module:name", True),
        ("tools.py", True),
        ("tools/", True),
        ("tools", False),
        ("tools.py:", False),
        (":add", False),
        ("tools.add", False),
        ("tools.py:add it", False),
        ("tools.py:a.b", False),
        ("a-b:c", False),
    ],
)
def test_references_to_python_have_a_file_or_a_module_and_a_name(reference, is_sound):
    agents = {"ceo": agent(tools=["t"])}
    found = codes(agents=agents, flows=[], tools={"t": {"python": reference}})
    assert found == ([] if is_sound else ["bad-reference"])


@pytest.mark.parametrize(
    "text",
    [
        "sk-proj-abcdefghijklmnopqrstuvwxyz",
        "ghp_" + "a1" * 18,
        "AKIAABCDEFGHIJKLMNOP",
        "Bearer abcdefghijklmnopqrstuvwxyz",
    ],
)
def test_keys_are_found_wherever_they_stand_and_never_shown(text):
    for rest in (
        {"description": f"Use {text}."},
        with_provider(base_url="http://x", headers={"Authorization": text}),
        {"x-notes": [text]},
    ):
        document = {"agents": {"ceo": agent()}, "flows": [], **rest}
        taken = {key: value for key, value in document.items() if not key.startswith("x-")}
        manifest = Manifest.model_validate({"version": 1, "name": "demo", **taken})
        subject = Subject(manifest, document, {}, frozenset())
        (problem,) = run_checks(subject, WARNINGS)
        assert problem.code == "literal-secret"
        assert text not in str(problem)


@pytest.mark.parametrize(
    "text", ["sk-[A-Za-z0-9]{20,}", "Bearer ${env.TOKEN}", "task-force", "ollama"]
)
def test_what_only_speaks_of_keys_is_none(text):
    assert codes(description=text) == []


def handoff(sender, *recipients):
    return {"from": sender, "to": list(recipients), "kind": "handoff"}


def test_a_circle_of_handoffs_that_nobody_gets_out_of_is_found():
    agents = {key: agent() for key in ("ceo", "one", "two", "three")}
    circle = [handoff("ceo", "one"), handoff("one", "two"), handoff("two", "three")]
    trapped = [*circle, handoff("three", "one")]

    def found(flows, **rest):
        return codes(agents=agents | rest, flows=flows, entry="ceo")

    assert found(trapped) == ["handoff-trap"]
    assert found(circle) == [], "the last one keeps the conversation"
    assert found([*trapped, handoff("two", "ceo")]) == [], "there is a way back"
    assert found([*trapped, "two > ceo"]) == [], "one of them has somebody to ask"
    assert codes(agents=agents, flows=trapped, entry=["ceo", "two"]) == []
    tools = {"files": {"builtin": "files", "root": "out"}}
    able = agents | {"two": agent(tools=["files"])}
    assert codes(agents=able, flows=trapped, entry="ceo", tools=tools) == []


def test_a_trap_is_told_once_at_its_first_agent():
    agents = {key: agent() for key in ("ceo", "b", "a", "d", "c")}
    flows = [
        handoff("ceo", "a", "c"), handoff("a", "b"), handoff("b", "a"), handoff("c", "d"),
        handoff("d", "c"),
    ]  # fmt: skip
    found = problems(agents=agents, flows=flows, entry="ceo")
    assert [(one.code, one.path) for one in found] == [
        ("handoff-trap", ("agents", "b")),
        ("handoff-trap", ("agents", "d")),
    ]


def test_a_limit_of_money_wants_prices_of_all_models_in_use():
    models = {
        "own": {"model": "made-up-1", "price": {"input": 1, "output": 2}},
        "list": {"model": "gpt-5-mini", "fallback": ["lost"]},
        "lost": {"model": "made-up-2", "provider": "p"},
        "here": {"model": "local"},
        "idle": {"model": "made-up-3"},
    }
    rest = {
        "agents": {
            "ceo": agent(model="own"),
            "dev": agent(model="list"),
            "qa": agent(model="here"),
            "ops": agent(model="made-up-4"),
            "hr": agent(model="made-up-4"),
        },
        "flows": ["ceo > dev, qa, ops, hr"],
        "models": models,
        "providers": {"p": {"base_url": "http://localhost:1/v1"}},
        "guardrails": {"g": {"applies_to": "output", "judge": {"instructions": "Good?"}}},
        "defaults": {"guardrails": ["g"]},
    }
    assert codes(**rest) == ["unused-model"]
    found = problems(**rest, limits={"max_cost_usd": 1})
    assert [(one.code, one.path) for one in found][1:] == [
        ("unpriced-model", ("models", "lost", "model")),
        ("unpriced-model", ("agents", "ops", "model")),
    ]


def test_the_price_list_is_loaded_only_for_a_limit_of_money():
    for limits, is_loaded in (("{}", False), ("{max_cost_usd: 1}", True)):
        text = "version: 1\nname: d\nagents: {a: {instructions: W., model: gpt-5}}\nlimits: "
        program = (
            "import sys; from agency_cli.loading import examine_manifest\n"
            f"report = examine_manifest('x', given={(text + limits).encode()!r})\n"
            "print(report.problems, 'genai_prices' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        assert done.stdout.decode().strip() == f"() {is_loaded}"
