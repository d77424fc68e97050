"""From a sound manifest to agents connected by flows; no network, no files written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents import Agent, FunctionTool
from agents.models import get_default_model

from agency_cli.errors import ManifestError
from agency_cli.loading import LoadedManifest
from agency_cli.messaging import TOOL_NAME, Recipient, send_message_tool
from agency_cli.models.choice import ModelChoice, ModelOverrides, choose_models
from agency_cli.models.clients import ModelFactory, pricing_of, sdk_settings
from agency_cli.models.watched import WatchedModel
from agency_cli.run_context import RunContext
from agency_cli.tools.kinds import build_tools, name_clashes
from agency_cli.tools.watched import watched

SdkAgent = Agent[RunContext]


@dataclass(frozen=True, slots=True)
class Agency:
    """A built, runnable agency; nothing in it changes after building.

    Attributes:
        loaded: The manifest that it was built from.
        agents: The SDK's agents, by key.
        choices: The model of each agent, by key.
    """

    loaded: LoadedManifest
    agents: Mapping[str, SdkAgent]
    choices: Mapping[str, ModelChoice]


def build_agency(
    loaded: LoadedManifest,
    *,
    overrides: ModelOverrides,
    environ: Mapping[str, str],
    notify: Callable[[str], None],
) -> Agency:
    """Build every agent, then connect them; flows may form cycles.

    Args:
        loaded: The manifest.
        overrides: Models given on the command line.
        environ: The environment's variables.
        notify: Gets notices of the models, such as that weights are being fetched.

    Raises:
        ManifestError: Tools that cannot be imported, or whose names clash.
    """
    choices = {
        key: choice if choice.model else replace(choice, model=get_default_model())
        for key, choice in choose_models(loaded, overrides, environ).items()
    }
    tools, problems = build_tools(loaded.manifest.tools, loaded.folder)
    senders = {flow.sender for flow in loaded.manifest.single_flows}
    for key, spec in loaded.manifest.agents.items():
        taken = {TOOL_NAME} if key in senders else set()
        problems += name_clashes(key, spec.tools, tools, taken)
    if problems:
        raise ManifestError([loaded.locate(problem) for problem in problems])
    factory = ModelFactory(notify)
    agents = {
        key: _agent(key, loaded, choices[key], factory, tools) for key in loaded.manifest.agents
    }
    for key, agent in agents.items():
        recipients = _recipients(key, loaded, agents)
        if recipients:
            agent.tools = [send_message_tool(key, recipients), *agent.tools]
    return Agency(loaded, agents, choices)


def _agent(
    key: str,
    loaded: LoadedManifest,
    choice: ModelChoice,
    factory: ModelFactory,
    tools: Mapping[str, Sequence[FunctionTool]],
) -> SdkAgent:
    spec = loaded.manifest.agents[key]
    model = WatchedModel(
        inner=factory.make(choice),
        agent=key,
        label=choice.label,
        provider=choice.provider_label,
        pricing=pricing_of(choice),
    )
    return Agent(
        name=key,
        handoff_description=spec.description,
        instructions=loaded.instructions[key],
        model=model,
        model_settings=sdk_settings(choice),
        tools=[watched(tool, key) for name in spec.tools for tool in tools[name]],
    )


def _recipients(
    sender: str, loaded: LoadedManifest, agents: Mapping[str, SdkAgent]
) -> list[Recipient]:
    return [
        Recipient(
            key=flow.recipient,
            description=loaded.manifest.agents[flow.recipient].description or "",
            agent=agents[flow.recipient],
        )
        for flow in loaded.manifest.single_flows
        if flow.sender == sender and flow.kind == "message"
    ]
