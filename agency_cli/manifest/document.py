"""The whole manifest."""

from collections import deque
from functools import cached_property
from typing import Literal

from pydantic import ConfigDict, Field

from agency_cli.manifest.agents import AgentSpec, Defaults
from agency_cli.manifest.base import AgentKey, Extensible, Name, Text
from agency_cli.manifest.flows import Flow, FlowSpec, single_flows
from agency_cli.manifest.guardrails import AnyGuardrail
from agency_cli.manifest.limits import Limits
from agency_cli.manifest.models import ModelSpec, Provider
from agency_cli.manifest.params import ParamSpec
from agency_cli.manifest.tools import AnyTool


class Manifest(Extensible):
    """One agency: its agents, what they may use and whom they may ask."""

    model_config = ConfigDict(title="Agency manifest")

    version: Literal[1]
    """Version of the file format."""
    name: Text
    """Name of the agency."""
    description: Text | None = None
    """What the agency is for."""
    params: dict[Name, ParamSpec] = Field(default_factory=dict)
    """Values given with `--param NAME=VALUE`, written `${param.NAME}`."""
    providers: dict[Name, Provider] = Field(default_factory=dict)
    """Servers that speak OpenAI's API."""
    models: dict[Name, ModelSpec] = Field(default_factory=dict)
    """Names for models."""
    defaults: Defaults = Field(default_factory=Defaults)
    """What holds for every agent that says nothing else."""
    shared_instructions: Text | None = None
    """Instructions that stand before every agent's own."""
    shared_instructions_file: Text | None = None
    """File with the shared instructions, instead of `shared_instructions`."""
    tools: dict[Name, AnyTool] = Field(default_factory=dict)
    """Tools that agents can list by name."""
    guardrails: dict[Name, AnyGuardrail] = Field(default_factory=dict)
    """Guardrails that agents can list by name."""
    include: list[Text] = Field(default_factory=list)
    """Files, or patterns of them, that add agents, tools, models, guardrails, flows, providers."""
    agents: dict[AgentKey, AgentSpec] = Field(min_length=1)
    """The agents."""
    entry: AgentKey | list[AgentKey] | None = None
    """The agent that gets the user's message; the first of a list unless `--agent` says another."""
    flows: list[Text | FlowSpec] = Field(default_factory=list)
    """Who may ask whom, and who may hand over to whom."""
    limits: Limits = Field(default_factory=Limits)
    """Limits of one run."""
    output_file: Text | None = None
    """File that gets the final output, besides the standard output."""
    tracing: bool = False
    """Upload the SDK's traces to OpenAI."""

    @cached_property
    def single_flows(self) -> tuple[Flow, ...]:
        """Each directed permission on its own, in the order written."""
        return tuple(single_flows(self.flows))

    @cached_property
    def flow_names(self) -> frozenset[str]:
        """Every name that a flow holds, whether or not there is such an agent."""
        return frozenset(
            name for flow in self.single_flows for name in (flow.sender, flow.recipient)
        )

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """Keys of the entry agents: as written, else the agents that no flow reaches."""
        if self.entry is not None:
            return (self.entry,) if isinstance(self.entry, str) else tuple(self.entry)
        reached = {flow.recipient for flow in self.single_flows if flow.sender != flow.recipient}
        return tuple(key for key in self.agents if key not in reached)

    def guardrails_of(self, agent: str) -> list[str]:
        """Return the names of an agent's guardrails: its own list, or that of the defaults."""
        own = self.agents[agent].guardrails
        return list(own if own is not None else self.defaults.guardrails or [])

    def model_chain(self, name: str) -> dict[str, ModelSpec]:
        """Return the model `name`, its fallbacks and theirs, in the order in which they are tried.

        Each is there once, by the name that it is mentioned by: a name under `models`, or a model
        id.
        """
        chain: dict[str, ModelSpec] = {}
        waiting = [name]
        while waiting:
            each = waiting.pop()
            if each not in chain:
                chain[each] = self.models.get(each) or ModelSpec.model_construct(model=each)
                waiting += reversed(chain[each].fallback)
        return chain

    def reached_from(self, entry: str) -> list[str]:
        """Return `entry` and the agents that flows lead to from it, nearest first."""
        recipients: dict[str, list[str]] = {}
        for flow in self.single_flows:
            recipients.setdefault(flow.sender, []).append(flow.recipient)
        # A dictionary keeps the order, and finds what is in it at once.
        reached, waiting = {entry: None}, deque([entry])
        while waiting:
            for recipient in recipients.get(waiting.popleft(), ()):
                if recipient not in reached:
                    reached[recipient] = None
                    waiting.append(recipient)
        return list(reached)
