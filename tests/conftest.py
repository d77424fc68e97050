"""What every test gets: no way to a real provider, and a server that stands in for one."""

from __future__ import annotations

import ipaddress
import os
import sys
from typing import Any

import pytest

from fake_server import FakeServer
from postgres_server import PostgresServer, programs

PROVIDER_VARIABLES = (
    "AGENCY_HOME",
    "AGENCY_MODEL",
    "AGENCY_STORE",
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


@pytest.fixture(scope="session")
def running_postgres():
    """Give a server of Postgres; where there is none, what needs it is skipped, if it may be."""
    found = programs()
    if found is None:
        missing = "no server of Postgres is installed"
        if os.environ.get("AGENCY_REQUIRE_POSTGRES"):
            pytest.fail(missing)
        pytest.skip(missing)
    server = PostgresServer(found)
    yield server
    server.close()


@pytest.fixture
def postgres_server(running_postgres):
    """Give a server of Postgres whose databases go with the test."""
    yield running_postgres
    running_postgres.drop_databases()


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, tmp_path) -> str:
    """Give the URL of a store that is not there yet, on each kind of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'agency.db'}"
    return request.getfixturevalue("postgres_server").database()


@pytest.fixture
def each_store(store, monkeypatch) -> str:
    """Have runs keep what they do in each kind of database."""
    monkeypatch.setenv("AGENCY_STORE", store)
    return store
