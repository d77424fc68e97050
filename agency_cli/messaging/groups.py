"""From flows to tools: a sender's flows that say the same share one tool."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents import Agent
from pydantic import BaseModel
from pydantic.errors import PydanticUserError

from agency_cli.checks.approvals import parameters_of, unknown_in_rules
from agency_cli.checks.tool_names import Offer, message_offer
from agency_cli.errors import Problem
from agency_cli.importing import CannotImport, import_object
from agency_cli.limits import Limit
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import Flow, FlowSpec, Manifest
from agency_cli.message_class import SendMessage
from agency_cli.messaging.contract import Contract
from agency_cli.messaging.delivery import Recipient
from agency_cli.messaging.send_message import MessageTool
from agency_cli.run_context import RunContext

TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What providers take for a tool's name."""
_LIMITS = frozenset({"timeout_seconds", "max_calls"})
"""What a flow limits for itself."""


@dataclass(slots=True)
class MessageTools:
    """The message tools of every sender, and what is wrong with those that cannot be made.

    Attributes:
        by_sender: The tools, by the keys of the agents that have them.
        offers: The same, for comparing their names.
        problems: Not located yet.
    """

    by_sender: dict[str, list[MessageTool]] = field(default_factory=dict)
    offers: dict[str, list[Offer]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def message_tools(loaded: LoadedManifest, agents: Mapping[str, Agent[RunContext]]) -> MessageTools:
    """Make the tools of all `message` flows; classes are imported from the manifest's folder."""
    manifest, tools = loaded.manifest, MessageTools()
    contracts = _contracts(manifest, loaded.folder, tools.problems)
    groups: dict[tuple[str, str, str], list[Flow]] = {}
    for flow in manifest.single_flows:
        if flow.kind == "message" and flow.path[1] in contracts:
            contract = contracts[flow.path[1]]
            key = (flow.sender, _tool_name(flow.spec, contract), _fingerprint(flow, contract))
            groups.setdefault(key, []).append(flow)
    for (sender, name, _same), flows in groups.items():
        tools.problems += _declared_twice(flows)
        recipients = [_recipient(flow, loaded, agents) for flow in flows]
        made = MessageTool(sender, name, contracts[flows[0].path[1]], recipients)
        tools.by_sender.setdefault(sender, []).append(made)
        tools.offers.setdefault(sender, []).append(message_offer(flows[0], name))
    return tools


def _contracts(
    manifest: Manifest, folder: Path, problems: list[Problem]
) -> dict[str | int, Contract]:
    contracts: dict[str | int, Contract] = {}
    for index, flow in enumerate(manifest.flows):
        try:
            contracts[index] = _contract(flow, folder)
        except CannotImport as error:
            place = ("flows", index, "send_message")
            problems.append(Problem(code="broken-message-class", message=str(error), path=place))
            continue
        problems += [_clash(index, name, contracts[index]) for name in contracts[index].clashes]
        if isinstance(flow, FlowSpec) and flow.send_message is not None:
            taken = parameters_of(flow, contracts[index].class_names)
            problems += unknown_in_rules(flow.approval, taken, ("flows", index))
    return contracts


def _contract(flow: str | FlowSpec, folder: Path) -> Contract:
    if isinstance(flow, str):
        return Contract()
    if flow.send_message is None:
        return Contract(extra_params=flow.extra_params or {})
    found = import_object(flow.send_message, folder)
    if not isinstance(found, type) or not issubclass(found, SendMessage):
        raise CannotImport(
            f"{flow.send_message} is not a subclass of SendMessage;"
            " write `from agency_cli import SendMessage` and `class Name(SendMessage)`"
        )
    _require_usable(found)
    return Contract(found, flow.extra_params or {})


def _require_usable(found: Any) -> None:
    name = found.__name__
    if not isinstance(found.tool_name, str) or not TOOL_NAME.fullmatch(found.tool_name):
        raise CannotImport(
            f"{name}.tool_name is {found.tool_name!r}; write 1 to 64 letters, digits, _ or -"
        )
    if not isinstance(found.ExtraParams, type) or not issubclass(found.ExtraParams, BaseModel):
        raise CannotImport(f"{name}.ExtraParams is no Pydantic model; write ExtraParams(BaseModel)")
    try:
        found.ExtraParams.model_json_schema()
    except PydanticUserError as error:
        raise CannotImport(f"{name}.ExtraParams has no JSON Schema: {error.message}") from error
    for method in ("compose", "reply"):
        _require_method(found, method)
    _require_callable(f"{name}()", found, arguments=0)
    if inspect.isabstract(found):
        raise CannotImport(f"{name} is abstract; name a subclass that is whole")


def _require_method(found: type, method: str) -> None:
    name, written = f"{found.__name__}.{method}", getattr(found, method)
    held = inspect.getattr_static(found, method)
    # Asked of the class, only what would be bound to an object still lacks its `self`.
    lacks_self = hasattr(type(held), "__get__") and not isinstance(held, staticmethod | classmethod)
    # The text, params, sender and recipient.
    _require_callable(name, written, arguments=4 + lacks_self)
    if inspect.isgeneratorfunction(written) or inspect.isasyncgenfunction(written):
        raise CannotImport(f"{name} yields; let it return its whole text instead")


def _require_callable(name: str, called: Callable[..., object], *, arguments: int) -> None:
    try:
        inspect.signature(called).bind(*[None] * arguments)
    except ValueError:
        # Some of what is written in C does not tell what it takes.
        return
    except TypeError as error:
        raise CannotImport(
            f"{name} cannot be called as it must be ({error}); see SendMessage"
        ) from None


def _declared_twice(flows: list[Flow]) -> list[Problem]:
    """A class may give its tool the name that another flow of the pair gives it."""
    first: dict[str, Flow] = {}
    return [
        Problem(
            code="duplicate-flow",
            message=f"{flow.sender} > {flow.recipient} is declared a second time with this tool",
            path=flow.path,
        )
        for flow in flows
        if first.setdefault(flow.recipient, flow) is not flow
    ]


def _clash(index: int, name: str, contract: Contract) -> Problem:
    in_class, in_manifest = name in contract.class_names, name in contract.extra_params
    if in_class and in_manifest:
        what = f"the param {name!r} stands in the class too; give one of them another name"
    elif in_class:
        what = f"the class has a param {name!r}, as every message has; give it another name"
    else:
        what = f"every message has a parameter {name!r} already; choose another name"
    place: tuple[str, ...] = ("extra_params", name) if in_manifest else ("send_message",)
    return Problem(code="param-clash", message=what, path=("flows", index, *place))


def _tool_name(spec: FlowSpec | None, contract: Contract) -> str:
    return (spec.tool_name if spec else None) or contract.message_class.tool_name


def _fingerprint(flow: Flow, contract: Contract) -> str:
    name = f"{contract.message_class.__module__}.{contract.message_class.__qualname__}"
    return f"{name} {flow.spec.params_text if flow.spec else '{}'}"


def _recipient(
    flow: Flow, loaded: LoadedManifest, agents: Mapping[str, Agent[RunContext]]
) -> Recipient:
    key = f"flows[{flow.path[1]}]"
    own = flow.spec.model_fields_set & _LIMITS if flow.spec else ()
    return Recipient(
        key=flow.recipient,
        description=loaded.manifest.agents[flow.recipient].description or "",
        agent=agents[flow.recipient],
        flow=key,
        spec=flow.spec,
        limits={
            name: Limit(f"{key}.{name}", loaded.place_of((*flow.path[:2], name))) for name in own
        },
    )
