"""`agency plan`, as it is typed: what would run, where it was said, the most that it can cost."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from command_line import agency

CREW = """\
version: 1
name: crew
params: {language: {type: string, default: Python}}
providers:
  own: {base_url: "http://127.0.0.1:9/v1", api_key: "${env.OWN_KEY}"}
models:
  small: {model: gpt-5-mini}
  mine:
    model: home-made
    provider: own
    price: {input: 3, output: 9}
    settings: {max_tokens: 1000, extra_headers: {X-Api-Key: "${env.OTHER_KEY}"}}
defaults: {model: small, max_turns: 7}
shared_instructions: Be kind.
tools:
  sh: {builtin: shell, approval: [{when: {command: "ls*"}, then: never}, {then: deny}]}
  run: {builtin: shell}
  look: {builtin: files, root: out}
guardrails:
  polite: {applies_to: output, judge: {instructions: Is it polite?, model: gpt-5}}
agents:
  boss: {description: Leads., instructions: "Lead in ${param.language}."}
  dev: {description: Works., instructions: Work., model: mine, tools: [sh, look], max_turns: 3}
  lone: {description: Waits., instructions: Wait., model: nobody-knows, tools: [run]}
entry: boss
flows: [boss > dev]
limits: {max_cost_usd: 2}
"""
KEYS = {"OWN_KEY": "sk-own-secret-1234567", "OTHER_KEY": "sk-other-secret-7654321"}


@pytest.fixture
def crew(tmp_path):
    (tmp_path / "agency.yaml").write_text(CREW)
    return tmp_path


def planned(crew, *words, code=0, **environ):
    done = agency("plan", "agency.yaml", *words, folder=crew, environ={**KEYS, **environ})
    assert done.code == code, done.err
    return done


def told(crew, *words, **environ):
    return json.loads(planned(crew, *words, "--json", **environ).out)


def agent(plan, key):
    return next(each for each in plan["agents"] if each["agent"] == key)


def test_each_agent_has_its_model_and_where_that_was_named(crew):
    plan = told(crew)
    assert [(each["agent"], each["reached"]) for each in plan["agents"]] == [
        ("boss", True),
        ("dev", True),
        ("lone", False),
    ]
    whys = [(each["model"], each["why"]) for each in plan["agents"]]
    assert whys == [
        ("gpt-5-mini", "agency.yaml:13"),
        ("own/home-made", "agency.yaml:23"),
        ("nobody-knows", "agency.yaml:24"),
    ]
    assert agent(plan, "dev")["provider"] == "own (http://127.0.0.1:9/v1)"


def test_the_command_line_and_the_environment_are_told_as_reasons(crew):
    plan = told(crew, "--model", "gpt-5", "--model", "dev=local")
    assert [each["why"] for each in plan["agents"]] == [
        "--model gpt-5",
        "--model dev=local",
        "--model gpt-5",
    ]
    (crew / "agency.yaml").write_text(CREW.replace("{model: small, max_turns: 7}", "{}"))
    assert agent(told(crew, AGENCY_MODEL="gpt-5"), "boss")["why"] == "AGENCY_MODEL"
    usual = agent(told(crew), "boss")
    assert usual["why"] == "the SDK's default"
    assert usual["model"].startswith("gpt-")


def test_tools_tell_when_a_person_is_asked(crew):
    plan = told(crew)
    approvals = {t["name"]: t["approval"] for a in plan["agents"] for t in a["tools"]}
    assert approvals == {
        "sh": "by rules (command=ls*: never; else: deny)",
        "look": "never asks",
        "run": "asks before each call",
    }


def test_limits_tell_where_they_were_set(crew):
    limits = {each["name"]: each for each in told(crew, "--max-turns", "5")["limits"]}
    assert limits["max_turns"] == {"name": "max_turns", "value": 5, "origin": "--max-turns"}
    assert limits["max_cost_usd"]["origin"] == "agency.yaml:27"
    assert limits["max_depth"]["origin"] == "its default"
    turns = [each["turns"] for each in told(crew)["agents"]]
    assert turns == ["7 (agency.yaml:13)", "3 (agency.yaml:23)", "7 (agency.yaml:13)"]


def test_prompts_are_what_models_would_read(crew):
    plan = told(crew, "--prompts", "--param", "language=Go")
    assert agent(plan, "boss")["prompt"] == "Be kind.\n\nLead in Go."
    text = planned(crew, "--prompts").out
    assert "    | Be kind.\n    |\n    | Lead in Python.\n" in text
    assert "Be kind." not in planned(crew).out


def test_no_secret_is_shown(crew):
    for words in ((), ("--json",), ("--prompts",), ("--prompts", "--json")):
        done = planned(crew, *words)
        assert not any(key in done.out + done.err for key in KEYS.values())
    assert "[secret]" in planned(crew).out


def test_variables_that_are_not_set_are_named(crew):
    plan = told(crew, OWN_KEY="")
    assert agent(plan, "dev")["missing"] == ["OWN_KEY"]
    assert agent(plan, "boss")["missing"] == ["OPENAI_API_KEY"]


def test_the_least_bound_is_the_most_that_a_run_can_cost(crew):
    (crew / "agency.yaml").write_text(CREW.replace("model: mine", "model: gpt-5"))
    bounds = {b["limit"]: b["usd"] for b in told(crew)["cost"]["bounds"]}
    # gpt-5 takes 400,000 tokens, of which 128,000 may be an answer: 272,000 x 1.25 + 128,000 x 10.
    call = 0.272 * 1.25 + 0.128 * 10
    assert bounds["max_turns"] == pytest.approx(100 * call)
    assert bounds["max_cost_usd"] == pytest.approx(2 + call)
    cost = told(crew)["cost"]
    assert cost["most_usd"] == pytest.approx(2 + call)
    assert told(crew, "--max-turns", "1")["cost"]["most_usd"] == pytest.approx(call)
    (crew / "agency.yaml").write_text(
        CREW.replace("model: mine", "model: gpt-5").replace("max_cost_usd: 2", "max_tokens: 1000")
    )
    assert told(crew)["cost"]["most_usd"] == pytest.approx(1000 * 10e-6 + call)


def test_where_a_context_has_no_known_size_no_bound_is_claimed(crew):
    cost = told(crew)["cost"]
    assert cost["most_usd"] is None
    assert cost["unknown"][0] == "the context window of own/home-made is not known"
    assert "unknown; the context window of own/home-made" in planned(crew).out


def test_where_a_price_is_not_known_no_bound_is_claimed(crew):
    cost = told(crew, "--agent", "lone")["cost"]
    assert cost == {
        "most_usd": None,
        "bounds": [],
        "unknown": ["no price is known of nobody-knows"],
    }


def test_judges_are_called_too_where_they_guard_what_is_reached(crew):
    cheap = CREW.replace("model: mine", "model: small")
    (crew / "agency.yaml").write_text(cheap)
    without = told(crew)["cost"]["most_usd"]
    (crew / "agency.yaml").write_text(
        cheap.replace("instructions: Work.,", "instructions: Work., guardrails: [polite],")
    )
    plan = told(crew)
    assert agent(plan, "dev")["guardrails"] == ["polite (output, block)"]
    assert plan["cost"]["most_usd"] > without
    assert "gpt-5 with" in plan["cost"]["bounds"][0]["why"]


def test_the_embedded_model_costs_nothing(crew):
    assert told(crew, "--model", "local")["cost"]["most_usd"] == 0


def test_problems_of_manifest_and_options_end_it_with_2(crew):
    assert "no agent named" in planned(crew, "--agent", "nobody", code=2).err
    assert "--param" in planned(crew, "--param", "x", code=2).err
    (crew / "agency.yaml").write_text(CREW.replace("boss > dev", "boss > dve"))
    assert "did you mean 'dev'?" in planned(crew, code=2).err


def test_nothing_is_written_and_the_sdk_is_not_imported(crew):
    program = (
        "import sys; from agency_cli.cli.app import run_command_line;"
        "code = run_command_line(['plan', 'agency.yaml']);"
        "heavy = {'agents', 'openai'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=crew, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in crew.iterdir()] == ["agency.yaml"]
