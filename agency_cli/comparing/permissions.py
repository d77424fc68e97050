"""What an agency may do that it might not before: the part of a change that wants a second look.

What cannot be told to be no wider counts as wider: it is looked at once too often, not once too
seldom.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agency_cli.comparing.flows import wider_flows
from agency_cli.comparing.numbers import is_raised, raised
from agency_cli.comparing.tool_permissions import kind_of, wider_tool
from agency_cli.comparing.values import told
from agency_cli.manifest import AgentSpec, Limits, Manifest
from agency_cli.manifest.guardrails import GuardrailSpec

_ACTIONS = ("warn", "retry", "block")


class Permission(NamedTuple):
    """Something that is newly allowed; `agent` is None where it holds for all of them."""

    agent: str | None
    words: str
    place: str


def newly_permitted(old: Manifest, new: Manifest) -> Iterator[Permission]:
    """Yield what `new` permits and `old` does not, agent by agent, then for the whole agency."""
    for key, agent in new.agents.items():
        before = old.agents.get(key)
        yield from _entries(key, old, new)
        for words, place in wider_flows(key, old, new):
            yield Permission(key, words, place)
        yield from _tools(key, before, agent, new)
        yield from _own(key, before, old, new)
        yield from _hosts(key, old, new)
    for name in new.tools.keys() & old.tools.keys():
        users = [k for k, a in new.agents.items() if name in a.tools and k in old.agents]
        if any(name in old.agents[user].tools for user in users):
            for words, key in wider_tool(old.tools[name], new.tools[name]):
                place = f"tools.{name}{f'.{key}' if key else ''}"
                yield Permission(None, f"{', '.join(users)}: {name} {words}", place)
    yield from _whole(old, new)


def _entries(key: str, old: Manifest, new: Manifest) -> Iterator[Permission]:
    if key in new.entries and key not in old.entries:
        yield Permission(key, "may get the user's message", "entry")


def _tools(
    key: str, before: AgentSpec | None, agent: AgentSpec, new: Manifest
) -> Iterator[Permission]:
    had = set(before.tools) if before else set()
    for name in agent.tools:
        if name not in had and name in new.tools:
            words = f"may use {name} ({kind_of(new.tools[name])})"
            yield Permission(key, words, f"agents.{key}.tools")


def _own(key: str, before: AgentSpec | None, old: Manifest, new: Manifest) -> Iterator[Permission]:
    """Yield what an agent that was there before is held to less."""
    agent, place = new.agents[key], f"agents.{key}"
    if before is None:
        return
    if agent.outbound and not before.outbound:
        yield Permission(key, "may be a sender", f"{place}.outbound")
    turns = (_turns(before, old), _turns(agent, new))
    if is_raised(*turns):
        yield Permission(key, f"max_turns {raised(*turns)}", f"{place}.max_turns")
    if before.output_schema is not None and agent.output_schema is None:
        yield Permission(key, "may answer without a schema", f"{place}.output_schema")
    kept = new.guardrails_of(key)
    for name in old.guardrails_of(key):
        if name not in kept:
            yield Permission(key, f"is no longer held by {name}", f"{place}.guardrails")


def _turns(agent: AgentSpec, manifest: Manifest) -> int | None:
    return agent.max_turns if agent.max_turns is not None else manifest.defaults.max_turns


def _hosts(key: str, old: Manifest, new: Manifest) -> Iterator[Permission]:
    """Yield the servers that get an agent's conversations, and did not before."""
    before = _servers(key, old) if key in old.agents else set()
    for server in sorted(_servers(key, new) - before):
        if key in old.agents:
            yield Permission(key, f"sends its conversations to {server}", f"agents.{key}.model")


def _servers(key: str, manifest: Manifest) -> set[str]:
    model = manifest.agents[key].model or manifest.defaults.model
    if model is None:
        return {"the usual provider"}
    servers = set()
    for spec in manifest.model_chain(model).values():
        provider = manifest.providers.get(spec.provider or "")
        if provider is not None:
            servers.add(_host_of(provider.base_url))
        elif spec.model.startswith("litellm/"):
            servers.add(f"{spec.model.split('/')[1]} (by LiteLLM)")
        elif spec.model.partition(":")[0] != "local":
            servers.add("the usual provider")
    return servers


def _host_of(url: str) -> str:
    # By hand: the mark for a password in it is no part of an address.
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2]


def _whole(old: Manifest, new: Manifest) -> Iterator[Permission]:
    for name in Limits.model_fields:
        before, after = getattr(old.limits, name), getattr(new.limits, name)
        if is_raised(before, after):
            place = f"limits.{name}"
            yield Permission(None, f"{name} {raised(before, after)}", place)
    if new.tracing and not old.tracing:
        yield Permission(None, "uploads traces to OpenAI", "tracing")
    for name in old.guardrails.keys() & new.guardrails.keys():
        for words, key in _does_less(old.guardrails[name], new.guardrails[name]):
            yield Permission(None, f"the guardrail {name} {words}", f"guardrails.{name}{key}")


def _does_less(old: GuardrailSpec, new: GuardrailSpec) -> Iterator[tuple[str, str]]:
    """Yield in what way a guardrail may let through more, each with the key that says so."""
    ranks = [_ACTIONS.index(each.action) for each in (old, new)]
    if ranks[1] < ranks[0]:
        yield f"does less: {old.action} → {new.action}", ".action"
    if new.action == "retry" and old.action == "retry" and new.retries > old.retries:
        yield f"asks again more often: {old.retries} → {new.retries}", ".retries"
    leave_out = {"action", "retries", "message"}
    checked = [each.model_dump(mode="json", exclude=leave_out) for each in (old, new)]
    yield from ((f"checks something else: {words}", "") for words in told(*checked))
