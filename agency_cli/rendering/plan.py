"""What would run and what it can cost, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from agency_cli.planning import AgentPlan, Costs, LimitPlan, Plan
from agency_cli.rendering.figures import money
from agency_cli.rendering.printable import escaped_json, lines_of, one_line

_LABEL = 10


def plan_text(plan: Plan, *, prompts: bool) -> str:
    """Return the plan: agents, limits, costs."""
    lines = [f"{plan.name} (entry: {plan.entry})"]
    for agent in plan.agents:
        lines += ["", *_agent(agent, prompts=prompts)]
    lines += ["", "limits of one run", *map(_limit, plan.limits), "", *_costs(plan.costs)]
    return "\n".join(line.rstrip() for text in lines for line in lines_of(text))


def plan_json(plan: Plan, *, prompts: bool) -> str:
    """Return one object.

    Its keys: `agency`, `entry`, `agents` (each with `prompt`, where that is asked for), `limits`,
    and `cost` with `most_usd` (null where nothing bounds it), `bounds` and `unknown`.
    """
    costs = plan.costs
    document = {
        "agency": plan.name,
        "entry": plan.entry,
        "agents": [_agent_json(agent, prompts=prompts) for agent in plan.agents],
        "limits": [limit._asdict() for limit in plan.limits],
        "cost": {
            "most_usd": float(costs.most.usd) if costs.most else None,
            "bounds": [{**bound._asdict(), "usd": float(bound.usd)} for bound in costs.bounds],
            "unknown": list(costs.unknown),
        },
    }
    return escaped_json(json.dumps(document, indent=2))


def _agent(agent: AgentPlan, *, prompts: bool) -> Iterator[str]:
    yield agent.agent if agent.reached else f"{agent.agent} (no flow leads to it from the entry)"
    yield from (f"  {label:{_LABEL}}{text}" for label, text in _rows(agent) if text)
    if prompts:
        yield "  prompt"
        yield from (f"    | {line}" for line in lines_of(agent.prompt))
    else:
        yield f"  {'prompt':{_LABEL}}{len(agent.prompt):,} characters"


def _rows(agent: AgentPlan) -> Iterator[tuple[str, str]]:
    """Yield what is known of an agent, each with its label; a text that is empty is left out."""
    yield "model", f"{agent.model} (from {agent.why})"
    yield "provider", f"{agent.provider}{f', {agent.api}' if agent.api else ''}"
    yield "missing", f"{', '.join(agent.missing)} not set" if agent.missing else ""
    for name, value in agent.settings.items():
        yield "setting", f"{name}: {one_line(json.dumps(value, ensure_ascii=False))}"
    yield from (("else", fallback) for fallback in agent.fallbacks)
    for tool in agent.tools:
        yield "tool", one_line(f"{tool.name} ({tool.kind}), {tool.approval}")
    yield "guarded", ", ".join(agent.guardrails)
    yield "flows", ", ".join(agent.reaches)
    yield "max_turns", agent.turns


def _limit(limit: LimitPlan) -> str:
    value = "none" if limit.value is None else f"{limit.value:,}"
    origin = f" ({limit.origin})" if limit.value is not None else ""
    return f"  {limit.name:14}{value}{origin}"


def _costs(costs: Costs) -> Iterator[str]:
    if costs.most is None:
        yield f"the most that it can cost: unknown; {'; '.join(costs.unknown)}"
        return
    yield f"the most that it can cost: {money(costs.most.usd)}, by {costs.most.limit}"
    for bound in costs.bounds:
        yield f"  {bound.limit:14}{money(bound.usd)}: {bound.why}"
    yield from (f"  {reason}" for reason in costs.unknown)


def _agent_json(agent: AgentPlan, *, prompts: bool) -> dict[str, object]:
    document = agent._asdict()
    document["tools"] = [tool._asdict() for tool in agent.tools]
    if not prompts:
        del document["prompt"]
    return document
