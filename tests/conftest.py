"""What every test gets: no way to a real provider, and a server that stands in for one."""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

import pytest

from fake_server import FakeServer

PROVIDER_VARIABLES = (
    "AGENCY_MODEL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_DEFAULT_MODEL",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
)


def refuse_the_network(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit hook: a test talks to this machine only, whatever a mistake makes it try."""
    if event != "socket.connect":
        return
    address = arguments[1]
    # Addresses of Unix sockets are texts.
    if isinstance(address, tuple) and not _is_loopback(address[0]):
        raise PermissionError(f"a test tried to reach {address[0]}; tests use the fake server")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


sys.addaudithook(refuse_the_network)


@pytest.fixture(autouse=True)
def _no_provider(monkeypatch):
    """Keep the keys of whoever runs the tests out of them, and of the programs they start."""
    for name in PROVIDER_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fake_server():
    """Give a running fake server; at the end, requests that nobody expected fail the test."""
    with FakeServer() as server:
        yield server
    if server.unexpected:
        pytest.fail("\n".join(["the fake server got what no rule foresaw:", *server.unexpected]))
