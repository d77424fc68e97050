"""The rules that a manifest of sound shape must keep: one function each, and a table of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Final

from agency_cli.checks import (
    agents,
    approvals,
    entries,
    extra_params,
    flow_kinds,
    flows,
    guardrails,
    handoffs,
    hosted,
    mcp,
    models,
    openapi,
    prices,
    providers,
    reach,
    references,
    secrets,
    tool_names,
    tools,
    usage,
)
from agency_cli.checks.subject import MOST_PROBLEMS, Check, Subject, Text
from agency_cli.errors import Problem

__all__ = ["ERRORS", "MOST_PROBLEMS", "WARNINGS", "Subject", "Text", "run_checks"]

ERRORS: Final[tuple[Check, ...]] = (
    # Names that lead nowhere.
    references.unknown_agents,
    references.unknown_tools,
    references.unknown_guardrails,
    references.unknown_providers,
    # What one agent or tool says.
    agents.keys_differ_only_by_case,
    agents.instructions_once,
    agents.shared_instructions_once,
    agents.names_listed_once,
    tools.python_references,
    tools.named_one_by_one,
    tools.reserved_names,
    guardrails.sound_expressions,
    guardrails.retries_of_answers,
    mcp.servers_of_one_sort,
    mcp.server_urls,
    mcp.names_of_servers,
    hosted.known_hosted_tools,
    hosted.providers_of_hosted_tools,
    openapi.addresses_of_services,
    providers.base_urls,
    models.fallbacks_end,
    models.fallbacks_listed_once,
    # What the flows say together.
    flows.short_forms,
    flows.empty_lists,
    flows.to_oneself,
    flows.declared_twice,
    flows.from_agents_without_outbound,
    flow_kinds.keys_without_effect,
    tool_names.offered_once,
    extra_params.free_names,
    extra_params.words_with_effect,
    extra_params.sound_schemas,
    approvals.arguments_of_flows,
    entries.one_entry,
)
"""Every rule whose breach is an error, in the order in which problems are shown."""

WARNINGS: Final[tuple[Check, ...]] = (
    reach.unreachable_agents,
    reach.unreachable_mentions,
    agents.missing_descriptions,
    handoffs.handoff_traps,
    usage.unused_tools,
    usage.unused_models,
    usage.unused_providers,
    usage.unused_params,
    usage.unused_guardrails,
    models.misspelt_models,
    prices.unpriced_models,
    secrets.literal_secrets,
)
"""Every rule whose breach is a warning."""


def run_checks(
    subject: Subject,
    checks: Iterable[Check],
    *,
    is_certain: Callable[[Problem], bool] | None = None,
) -> list[Problem]:
    """Return what the checks find, and at most one problem more than are ever shown.

    Places are paths, not yet lines.

    Args:
        subject: The manifest.
        checks: The rules.
        is_certain: Says of a problem whether it is one; without it, all are.
    """
    found = chain.from_iterable(check(subject) for check in checks)
    return list(islice(filter(is_certain, found), MOST_PROBLEMS + 1))
