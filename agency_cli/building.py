"""From a sound manifest to agents connected by flows; no network, no files written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agents import FunctionTool
from pydantic import BaseModel, PydanticUserError

from agency_cli.checks.tool_names import clashes
from agency_cli.errors import ManifestError, Problem
from agency_cli.final_output import OutputContract
from agency_cli.guardrails import build_guards
from agency_cli.importing import CannotImport, import_object
from agency_cli.limits import Limit
from agency_cli.loading import LoadedManifest
from agency_cli.messaging import handoffs_of, message_tools
from agency_cli.models.agent_model import AgentModel
from agency_cli.models.choice import (
    ModelChoice,
    ModelOverrides,
    choose_judges,
    choose_models,
    left_out,
)
from agency_cli.models.clients import ModelFactory, watched_models
from agency_cli.models.default import with_default_model
from agency_cli.models.hosted import unfit_models
from agency_cli.run_context import AgentGuards
from agency_cli.store import home_folder
from agency_cli.tools.approvals import unknown_arguments
from agency_cli.tools.hosted import build_hosted
from agency_cli.tools.kinds import build_tools, offers_of, own_name_of
from agency_cli.tools.mcp import AgencyAgent, Servers
from agency_cli.tools.watched import watched


@dataclass(frozen=True, slots=True)
class Agency:
    """A built, runnable agency; nothing in it changes after building.

    Attributes:
        loaded: The manifest that it was built from.
        agents: The SDK's agents, by key.
        choices: The model of each agent, by key.
        models: What made their models.
        servers: The MCP servers of its tools.
        guards: The guardrails of those agents that have some, by their keys.
    """

    loaded: LoadedManifest
    agents: Mapping[str, AgencyAgent]
    choices: Mapping[str, ModelChoice]
    models: ModelFactory
    servers: Servers
    guards: Mapping[str, AgentGuards]

    async def close(self) -> None:
        """Close all connections; to be called in the event loop in which the agency ran."""
        await self.servers.close()
        await self.models.close()


def build_agency(
    loaded: LoadedManifest,
    *,
    overrides: ModelOverrides,
    environ: Mapping[str, str],
    notify: Callable[[str], None],
    logs: Path | None = None,
) -> Agency:
    """Build every agent, then connect them; flows may form cycles.

    Args:
        loaded: The manifest.
        overrides: Models given on the command line.
        environ: The environment's variables.
        notify: Gets notices of the models, such as that weights are being fetched.
        logs: Folder for the logs of MCP servers; without it, beside the usual store.

    Raises:
        ManifestError: Tools that cannot be imported, or whose names clash.
    """
    choices = with_default_model(choose_models(loaded, overrides, environ))
    tools, problems = build_tools(loaded, notify)
    contracts, faults = _output_contracts(loaded)
    problems += faults
    hosted, unfit = build_hosted(loaded.manifest.tools)
    problems += unfit
    factory = ModelFactory(notify)
    judges = with_default_model(choose_judges(loaded, overrides, environ))
    guards, faults = build_guards(loaded, judges, factory)
    problems += faults
    servers = Servers(loaded, logs or home_folder(loaded.folder, environ) / "logs")
    for notice in left_out(choices.values()):
        notify(notice)
    agents = {
        key: _agent(key, loaded, choices[key], factory, tools=tools, contract=contracts.get(key))
        for key in loaded.manifest.agents
    }
    for key, spec in loaded.manifest.agents.items():
        agents[key].tools += [hosted[name] for name in spec.tools if name in hosted]
        problems += unfit_models(key, spec.tools, hosted, choices[key])
    problems += unknown_arguments(loaded.manifest, tools)
    messages = message_tools(loaded, agents)
    problems += messages.problems
    for key, agent in agents.items():
        agent.handoffs = list(handoffs_of(key, loaded.manifest, agents))
        asking = [tool.build() for tool in messages.by_sender.get(key, ())]
        agent.tools = [*asking, *agent.tools]
        agent.tools_of_servers = partial(servers.tools_of, key)
        offers = offers_of(key, loaded.manifest, tools, messages.offers.get(key, ()))
        problems += clashes(key, offers)
    if problems:
        raise ManifestError([loaded.locate(problem) for problem in problems])
    return Agency(loaded, agents, choices, factory, servers, guards)


def _agent(
    key: str,
    loaded: LoadedManifest,
    choice: ModelChoice,
    factory: ModelFactory,
    *,
    tools: Mapping[str, Sequence[FunctionTool]],
    contract: OutputContract | None,
) -> AgencyAgent:
    spec = loaded.manifest.agents[key]
    max_turns, limit = _own_turns(key, loaded)
    model = AgentModel(
        watched_models(choice.usable_chain, factory, agent=key, max_turns=max_turns, limit=limit)
    )
    return AgencyAgent(
        name=key,
        handoff_description=spec.description,
        instructions=loaded.instructions[key],
        model=model,
        model_settings=model.settings,
        output_type=contract,
        tools=[
            watched(tool, key, name, loaded.manifest.tools[name], own_name=own_name_of(tool))
            for name in spec.tools
            for tool in tools.get(name, ())
        ],
    )


def _output_contracts(
    loaded: LoadedManifest,
) -> tuple[dict[str, OutputContract], list[Problem]]:
    """Return what the final outputs of agents must be, and what is wrong with those in Python."""
    contracts = {
        key: OutputContract.of_schema(key, schema) for key, schema in loaded.output_schemas.items()
    }
    problems = []
    for key, agent in loaded.manifest.agents.items():
        if agent.output_class is not None:
            try:
                contracts[key] = _of_class(key, agent.output_class, loaded.folder)
            except CannotImport as error:
                place = ("agents", key, "output_schema")
                problems.append(Problem(code="broken-schema", message=str(error), path=place))
    return contracts, problems


def _of_class(agent: str, reference: str, folder: Path) -> OutputContract:
    found = import_object(reference, folder)
    if not isinstance(found, type) or not issubclass(found, BaseModel):
        raise CannotImport(f"{reference} is no Pydantic class; derive it from pydantic.BaseModel")
    try:
        return OutputContract.of_class(agent, found)
    except (PydanticUserError, TypeError, ValueError) as error:
        text = " ".join(str(error).split())
        raise CannotImport(f"{reference} has no JSON Schema: {text}") from error


def _own_turns(key: str, loaded: LoadedManifest) -> tuple[int | None, Limit | None]:
    """Return how many model calls the agent may make for one input, and where that was set."""
    manifest, own = loaded.manifest, f"agents.{key}.max_turns"
    if (most := manifest.agents[key].max_turns) is not None:
        return most, Limit(own, loaded.place_of(("agents", key, "max_turns")))
    if (most := manifest.defaults.max_turns) is not None:
        origin = loaded.place_of(("defaults", "max_turns"))
        return most, Limit("defaults.max_turns", origin, instead=f"set {own}")
    return None, None
