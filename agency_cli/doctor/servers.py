"""Servers of providers: whether something answers at their addresses. Nothing is asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from urllib.parse import urlsplit

from agency_cli.doctor.case import Case
from agency_cli.doctor.finding import Finding

PATIENCE = 4.0
"""Seconds for all servers together, which are tried at the same time."""
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a connection to a server begins: at the server, or at the proxy before it."""

    host: str
    port: int
    proxy_of: str = ""

    def __str__(self) -> str:
        place = f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        return f"{place}, the proxy for {self.proxy_of}" if self.proxy_of else place


def servers(case: Case) -> Iterator[Finding]:
    """Try each server that models are served by."""
    users: dict[tuple[str, str], dict[str, None]] = {}
    for model, agents in case.models():
        if model.endpoint is not None:
            key = (model.endpoint.provider, model.endpoint.base_url)
            users.setdefault(key, {}).update(dict.fromkeys(agents))
    addresses = {key: address_of(key[1]) for key in users}
    failures = tried(set(addresses.values())) if case.connect else {}
    for key, needed_by in users.items():
        address = addresses[key]
        failure = failures.get(address)
        found = "answers" if failure is None else f"cannot be reached: {failure}"
        detail = f"{address} {found if case.connect else 'was not tried'}"
        yield Finding(
            kind="server",
            name=key[0],
            status="missing" if failure else "ok" if case.connect else "note",
            detail=detail,
            advice="start it, or check its address and the network" if failure else "",
            needed_by=tuple(needed_by),
        )


def address_of(base_url: str) -> Address:
    """Return what a client would connect to; loading has seen to it that the URL is sound."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - slow to import

    parts = urlsplit(base_url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(f"{host}:{port}"):
        return Address(host, port)
    of_proxy = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    return Address(of_proxy.hostname or "", of_proxy.port or PORTS.get(of_proxy.scheme, 80), host)


def tried(addresses: set[Address]) -> dict[Address, str]:
    """Connect to all, and return why those that did not work out did not."""
    failures = dict.fromkeys(addresses, f"no answer within {PATIENCE:g} seconds")

    def attempt(address: Address) -> None:
        try:
            with socket.create_connection((address.host, address.port), timeout=PATIENCE):
                pass
        except (OSError, UnicodeError) as error:
            failures[address] = " ".join(str(error.args[-1] if error.args else error).split())
        else:
            with suppress(KeyError):
                del failures[address]

    # Not a pool: looking a name up cannot be ended, and nothing may wait for it.
    threads = [threading.Thread(target=attempt, args=(each,), daemon=True) for each in addresses]
    for thread in threads:
        thread.start()
    end = monotonic() + PATIENCE
    for thread in threads:
        thread.join(max(end - monotonic(), 0))
    return dict(failures)
