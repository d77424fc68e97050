"""What differs between two manifests, and what of it an agent may newly do."""

from __future__ import annotations

import copy

import pytest
import yaml

from agency_cli.comparing import Side, compare, picture_of
from agency_cli.loading import load_without_params

BASE = """\
version: 1
name: shop
providers: {own: {base_url: "https://models.example/v1"}}
models:
  small: {model: gpt-5-mini}
  mine: {model: m, provider: own}
defaults: {model: small}
guardrails:
  no_keys: {applies_to: output, regex: "sk-", action: retry}
tools:
  files: {builtin: files, root: out, read_only: true, allow: [list_files, read_file]}
  shell: {builtin: shell, timeout_seconds: 10}
  web: {builtin: http, hosts: [a.example, c.example], methods: [GET]}
  add: {python: "tools.py:add", approval: ask}
  far: {mcp: {url: "https://mcp.example"}, deny: ["delete_*"]}
agents:
  boss:
    {description: Leads., instructions: Lead., tools: [web], max_turns: 5, guardrails: [no_keys]}
  dev: {description: Works., instructions: Work., tools: [files, shell, add, far]}
  ops: {description: Runs., instructions: Run., outbound: false, output_schema: {type: object}}
entry: boss
flows:
  - boss > dev
  - {from: boss, to: ops, approval: ask, max_calls: 2, timeout_seconds: 5}
limits: {max_cost_usd: 1, max_seconds: 60}
"""
RULES = [{"when": {"command": "ls *"}, "then": "never"}, {"then": "ask"}]
WIDER = {
    "a tool": (("agents", "boss", "tools"), ["web", "shell"], "boss may use shell"),
    "a flow": (("flows", 0), "boss > dev > ops", "dev may ask ops"),
    "a handoff": (
        ("flows", 0),
        {"from": "boss", "to": "dev", "kind": "handoff"},
        "boss may hand over to dev",
    ),
    "an approval of a flow": (("flows", 1, "approval"), "never", "asks less: ask → never"),
    "an approval that is gone": (("flows", 1, "approval"), None, "asks less: ask → never"),
    "calls of a flow": (("flows", 1, "max_calls"), 9, "max_calls 2 → 9"),
    "calls without limit": (("flows", 1, "max_calls"), None, "max_calls 2 → no limit"),
    "the time of a flow": (("flows", 1, "timeout_seconds"), 50, "timeout_seconds 5 → 50"),
    "an approval of a tool": (("tools", "add", "approval"), "never", "asks less: ask → never"),
    "what a shell asks by itself": (("tools", "shell", "approval"), "never", "ask → never"),
    "rules for an answer": (("tools", "shell", "approval"), RULES, "asks less: ask → ["),
    "writing": (("tools", "files", "read_only"), False, "files may write"),
    "a function of files": (
        ("tools", "files", "allow"),
        ["list_files", "read_file", "search_files"],
        "may also: search_files",
    ),
    "all functions of files": (("tools", "files", "allow"), None, "may do all that it can"),
    "a folder": (("tools", "files", "root"), "/", "reaches something else: root: out → /"),
    "a host": (
        ("tools", "web", "hosts"),
        ["a.example", "b.example", "c.example"],
        "may also: b.example",
    ),
    "a method": (("tools", "web", "methods"), ["GET", "POST"], "may also: POST"),
    "usual methods": (("tools", "web", "methods"), None, "may also: POST"),
    "what was denied": (("tools", "far", "deny"), [], "no longer under deny"),
    "a server": (("tools", "far", "mcp", "url"), "https://x.example", "reaches something else"),
    "the time of a tool": (("tools", "shell", "timeout_seconds"), None, "10 → no limit"),
    "a variable of a shell": (("tools", "shell", "env"), ["AWS_KEY"], "may also: AWS_KEY"),
    "another kind of tool": (("tools", "add"), {"builtin": "ask_user"}, "is another tool"),
    "sending": (("agents", "ops", "outbound"), True, "ops may be a sender"),
    "turns": (("agents", "boss", "max_turns"), None, "max_turns 5 → no limit"),
    "an output without schema": (("agents", "ops", "output_schema"), None, "without a schema"),
    "an entry": (("entry",), ["boss", "dev"], "dev may get the user's message"),
    "a limit": (("limits", "max_cost_usd"), 2, "max_cost_usd 1 → 2"),
    "a limit that is gone": (("limits", "max_seconds"), None, "max_seconds 60 → no limit"),
    "a default limit": (("limits", "max_turns"), 500, "max_turns 100 → 500"),
    "a provider": (("defaults", "model"), "mine", "sends its conversations to models.example"),
    "a guardrail that is gone": (("agents", "boss", "guardrails"), None, "is no longer held by"),
    "a guardrail that warns": (("guardrails", "no_keys", "action"), "warn", "retry → warn"),
    "more tries": (("guardrails", "no_keys", "retries"), 3, "asks again more often: 1 → 3"),
    "another expression": (("guardrails", "no_keys", "regex"), "x", "checks something else: regex"),
    "traces": (("tracing",), True, "uploads traces"),
}
NARROWER = {
    "an approval": (("tools", "add", "approval"), "deny"),
    "rules that ask no less": (
        ("tools", "shell", "approval"),
        [{"when": {"command": "rm *"}, "then": "deny"}, {"then": "ask"}],
    ),
    "a tool less": (("agents", "dev", "tools"), ["files", "add"]),
    "a host less": (("tools", "web", "hosts"), ["a.example"]),
    "more denied": (("tools", "far", "deny"), ["delete_*", "put_*"]),
    "only some allowed": (("tools", "far", "allow"), ["get_*"]),
    "a flow less": (("flows",), ["boss > dev"]),
    "a lower limit": (("limits", "max_cost_usd"), 0.5),
    "a limit more": (("limits", "max_tokens"), 1000),
    "turns": (("agents", "boss", "max_turns"), 2),
    "a guardrail that blocks": (("guardrails", "no_keys", "action"), "block"),
    "a guardrail more": (("agents", "dev", "guardrails"), ["no_keys"]),
    "instructions": (("agents", "dev", "instructions"), "Work well."),
    "a description": (("tools", "web", "description"), "Look."),
    "a schema more": (("agents", "dev", "output_schema"), {"type": "object"}),
}


@pytest.fixture
def sides(tmp_path):
    (tmp_path / "tools.py").write_text("def add(a: int) -> int:\n    return a\n")

    def loaded(name, document):
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.safe_dump(document, sort_keys=False))
        return Side.of(name, load_without_params(path), {})

    def of(place=None, value=None):
        old = yaml.safe_load(BASE)
        return loaded("old", old), loaded("new", changed(old, place, value) if place else old)

    return of


def changed(document, place, value):
    """Return a document with another value at a place, or with none there."""
    document = copy.deepcopy(document)
    holder = document
    for part in place[:-1]:
        holder = holder[part]
    if value is None:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return document


def permitted(comparison):
    return [f"{each.agent or ''} {each.words}".strip() for each in comparison.permitted]


def test_nothing_differs_from_itself(sides):
    same = compare(*sides())
    assert (same.permitted, same.differences) == ((), ())
    assert not any(part.change for part in (*picture_of(same).boxes, *picture_of(same).arrows))


@pytest.mark.parametrize("case", WIDER)
def test_what_is_newly_permitted_is_told_and_the_way_back_permits_nothing(sides, case):
    place, value, words = WIDER[case]
    old, new = sides(place, value)
    forth = compare(old, new)
    assert any(words in each for each in permitted(forth)), permitted(forth)
    assert forth.differences
    if case not in BOTH_WAYS:
        assert permitted(compare(new, old)) == []


BOTH_WAYS = {
    "a handoff",
    "another expression",
    "a folder",
    "a server",
    "another kind of tool",
    "a provider",
}
"""What is neither more nor less, but something else."""


@pytest.mark.parametrize("case", NARROWER)
def test_what_permits_no_more_is_a_difference_and_no_permission(sides, case):
    place, value = NARROWER[case]
    comparison = compare(*sides(place, value))
    assert comparison.differences
    assert permitted(comparison) == []


def test_an_agent_that_is_new_may_do_what_it_may(sides):
    scout = {"description": "Looks.", "instructions": "Look.", "tools": ["web"]}
    old, new = sides(("agents", "scout"), scout)
    comparison = compare(old, new)
    assert permitted(comparison) == ["scout may use web (builtin: http)"]
    (difference,) = comparison.differences
    assert (difference.section, difference.change, difference.name) == ("agents", "added", "scout")
    back = compare(new, old)
    assert permitted(back) == []
    assert [each.change for each in back.differences] == ["removed"]
    assert [box.change for box in picture_of(back).boxes] == [None, None, None, "removed"]


def test_code_that_changed_is_a_difference(tmp_path, sides):
    old, _ = sides()
    code = old.code()
    (tmp_path / "tools.py").write_text("def add(a: int) -> int:\n    return a + 1\n")
    assert old.code() != code


def test_a_flow_that_is_gone_is_drawn_beside_what_stays(sides):
    comparison = compare(*sides(("flows",), ["boss > ops"]))
    marks = {(a.sender, a.recipient): a.change for a in picture_of(comparison).arrows}
    assert marks == {("boss", "dev"): "removed", ("boss", "ops"): "changed"}
