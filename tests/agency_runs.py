"""Runs of small agencies, in this process, through the real SDK against the fake server."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agency_cli.building import Agency, build_agency
from agency_cli.calltree import CallTree, Node
from agency_cli.cli.options import limits_of
from agency_cli.errors import AgencyError
from agency_cli.events import Event
from agency_cli.loading import load_manifest
from agency_cli.models.choice import ModelOverrides
from agency_cli.run_context import RunMemory
from agency_cli.running import RunRequest, quieten_sdk, run_agency
from fake_server import FakeServer

HEAD = """\
version: 1
name: test
providers: {{fake: {{base_url: "{url}", api: {api}, api_key: k}}}}
models:
  mini:
    model: gpt-5-mini
    provider: fake
    settings: {{retry: {{max_retries: 2, backoff: {{initial_delay: 0.01, jitter: false}}}}}}
  big: {{model: gpt-5, provider: fake}}
  own: {{model: home, provider: fake, price: {{input: 3, output: 7}}}}
defaults: {{model: mini}}
"""
LONGEST = 30.0
"""Seconds after which a run hangs; no promise of speed."""


@dataclass
class Outcome:
    """What became of a run."""

    tree: CallTree
    events: list[Event]
    output: str | None = None
    error: AgencyError | None = None

    def nodes(self, kind: str, name: str | None = None) -> list[Node]:
        return [n for n in self.tree.nodes.values() if n.kind == kind and name in {None, n.name}]


def build(
    folder: Path,
    server: FakeServer,
    text: str,
    *,
    api: str = "chat_completions",
    head: str = HEAD,
    **params: str,
) -> Agency:
    """Build an agency from the part of a manifest that is not about its models."""
    path = folder / "agency.yaml"
    path.write_text(head.format(url=server.base_url, api=api) + textwrap.dedent(text))
    loaded = load_manifest(path, params=params, environ={})
    return build_agency(loaded, overrides=ModelOverrides(), environ={}, notify=lambda _: None)


def run(agency: Agency, message: str = "go", **request: Any) -> Outcome:
    """Run one message; a run that goes on for too long fails the test."""
    return runs(agency, [{"message": message, **request}])[0]


def runs(
    agency: Agency, requests: Sequence[dict[str, Any]], *, together: bool = False
) -> list[Outcome]:
    """Run several messages on one agency, one after the other or all at the same time."""

    async def main() -> list[Outcome]:
        try:
            if together:
                return await asyncio.gather(*(run_async(agency, **each) for each in requests))
            return [await run_async(agency, **each) for each in requests]
        finally:
            await agency.close()

    return asyncio.run(main())


async def run_async(
    agency: Agency,
    message: str = "go",
    *,
    entry: str | None = None,
    memory: Any = None,
    remember: Callable[[str], None] = lambda _agent: None,
    **limits: Any,
) -> Outcome:
    """Run one message in the running loop."""
    quieten_sdk(tracing=False)
    manifest = agency.loaded.manifest
    outcome = Outcome(CallTree(), [])

    def watch(event: Event) -> None:
        outcome.events.append(event)
        outcome.tree.add(event)

    in_force, origins = limits_of(agency.loaded, limits)
    request = RunRequest(
        message=message,
        entry=entry or manifest.entries[0],
        limits=in_force,
        limit_origins=origins,
        memory=memory or RunMemory(),
        remember=remember,
    )
    try:
        outcome.output = await asyncio.wait_for(run_agency(agency, request, watch), LONGEST)
    except AgencyError as error:
        outcome.error = error
    return outcome


def message(recipient: str, text: str, **extra: Any) -> dict[str, Any]:
    """Return the arguments of a message."""
    return {
        "recipient_agent": recipient,
        "message": text,
        "additional_instructions": None,
        **extra,
    }
