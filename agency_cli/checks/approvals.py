"""Rules of approval that can match no call, as they name arguments that a call does not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.manifest import MESSAGE_PARAMETERS, Approval, FlowSpec


def arguments_of_flows(subject: Subject) -> Iterator[Problem]:
    """A rule of a flow is about parameters that its messages have."""
    for index, flow in enumerate(subject.manifest.flows):
        # What a class adds is known when it is imported.
        if isinstance(flow, FlowSpec) and flow.send_message is None:
            yield from unknown_in_rules(flow.approval, parameters_of(flow), ("flows", index))


def parameters_of(flow: FlowSpec, of_class: Iterable[str] = ()) -> list[str]:
    """Return the names that the rules of a flow can look at.

    Args:
        flow: The flow.
        of_class: Extra params of its message class.
    """
    if flow.kind == "handoff":
        return ["recipient_agent"]
    return [*MESSAGE_PARAMETERS, *of_class, *(flow.extra_params or ())]


def unknown_in_rules(
    approval: Approval | None, taken: Iterable[str], owner: Path
) -> Iterator[Problem]:
    """Yield a problem for each argument in the rules of a tool or flow that is not `taken`.

    Args:
        approval: What the tool or flow says.
        taken: The names of the arguments that there are.
        owner: Where the tool or flow stands.
    """
    if approval is None or isinstance(approval, str):
        return
    names = list(dict.fromkeys(taken))
    for position, rule in enumerate(approval):
        for argument in rule.when:
            if argument not in names:
                yield Problem(
                    code="unknown-argument",
                    message=f"no argument is named {argument!r}{did_you_mean(argument, names)};"
                    f" there are: {listed(names) or 'none'}",
                    path=(*owner, "approval", position, "when", argument),
                    at_key=True,
                )
