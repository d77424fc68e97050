"""The table of needs: a new kind of need is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agency_cli.doctor.case import Case, without_secrets
from agency_cli.doctor.finding import Finding
from agency_cli.doctor.mcp_servers import mcp_servers, programs
from agency_cli.doctor.openapi import services
from agency_cli.doctor.packages import extras, imported_packages, installed
from agency_cli.doctor.places import folders, store, weights
from agency_cli.doctor.prices import price_list, prices
from agency_cli.doctor.servers import servers
from agency_cli.doctor.variables import own_variables, variables

Need = Callable[[Case], Iterator[Finding]]

OF_A_MANIFEST: tuple[Need, ...] = (
    variables,
    extras,
    imported_packages,
    weights,
    servers,
    programs,
    mcp_servers,
    services,
    folders,
    store,
    prices,
)
"""What is looked for, for a manifest, in the order in which it is shown."""

OF_A_MACHINE: tuple[Need, ...] = (installed, own_variables, weights, price_list)
"""What is looked for where no manifest is given."""


def examine(case: Case) -> list[Finding]:
    """Return what is there and what is missing; nothing is called, made or imported for it."""
    needs = OF_A_MACHINE if case.loaded is None else OF_A_MANIFEST
    findings = [finding for need in needs for finding in need(case)]
    return without_secrets(findings, case.secrets())
