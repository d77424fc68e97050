"""What the manifests of runs said, kept once for all runs of one manifest."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from agency_cli.store.tables import manifests, runs


def note_facts(connection: Connection, digest: str, facts: str) -> None:
    """Keep what a manifest says, as JSON, unless that is known."""
    known = select(manifests.c.digest).where(manifests.c.digest == digest)
    if connection.scalar(known) is None:
        connection.execute(insert(manifests).values(digest=digest, facts=facts))


def facts_of_digest(connection: Connection, digest: str) -> dict[str, Any]:
    """Return what a manifest said, by places; nothing where that is not known."""
    facts = connection.scalar(select(manifests.c.facts).where(manifests.c.digest == digest))
    return json.loads(facts) if facts is not None else {}


def forget_unused(connection: Connection) -> None:
    """Delete what no run is of any more."""
    used = select(runs.c.digest)
    connection.execute(delete(manifests).where(manifests.c.digest.not_in(used)))
