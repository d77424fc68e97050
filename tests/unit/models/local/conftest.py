"""The real embedded model for the tests that run it, fetched the way a user gets it."""

from __future__ import annotations

import os

import pytest

from agency_cli.models.local.engine import Engines
from agency_cli.models.local.model import LocalModel
from agency_cli.models.local.weights import EmbeddedModelUnavailable


@pytest.fixture(scope="session")
def engines():
    """One loaded model for all tests. CI sets AGENCY_REQUIRE_LOCAL=1, so that it cannot skip."""
    engines = Engines()
    try:
        engines.get("local", notify=print, stopped=lambda: False)
    except EmbeddedModelUnavailable as reason:
        if os.environ.get("AGENCY_REQUIRE_LOCAL") == "1":
            raise
        pytest.skip(str(reason))
    yield engines
    engines.threads.shutdown()


@pytest.fixture
def engine(engines):
    return engines.get("local", notify=print, stopped=lambda: False)


@pytest.fixture
def model(engines):
    return LocalModel("local", engines=engines)
