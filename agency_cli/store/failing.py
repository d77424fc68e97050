"""How the store fails: one kind of error, whose text says what to do."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.exc import SQLAlchemyError

from agency_cli.errors import AgencyError

ELSEWHERE = "set AGENCY_HOME to a folder that can be written, or give --store"
REMOVED = (
    "was removed, or replaced, while it was in use: what it held is lost, and this run is not"
    " stored; keep its answer if it has one, and start again"
)


class StoreFailed(AgencyError):
    """The store cannot be read or written; what was written stays."""

    kind = "store"
    ends_run = True


class StoreGone(StoreFailed):
    """What a run belongs to was deleted while it was in use; there is nothing to go on with."""


_DELETED = (
    "lost a run while it was at work: another process deleted it; what it did is not stored; send"
    " its message again"
)
_TAKEN = "has a row already that was to be written: another process is at work on the same run"
_CHANGED = (
    "lacks a part that every store has: another program changed it; keep a copy of it, and give"
    " another --store"
)
OWN_WORDS: Mapping[str, tuple[type[StoreFailed], str]] = {
    # Rows belong to a run, and runs to nothing but themselves.
    "foreign key": (StoreGone, _DELETED),
    "unique constraint": (StoreGone, _TAKEN),
    "no such table": (StoreFailed, _CHANGED),
    "no such column": (StoreFailed, _CHANGED),
    # Postgres calls tables so.
    'relation "': (StoreFailed, _CHANGED),
}
"""What to say, by a part of what a database says that only its programmers understand."""


def one_line(error: BaseException) -> str:
    """Return what the driver of a database said, in one line, without the statement."""
    original = error.__cause__ or error
    # SQLAlchemy's own errors carry the statement, which tells nobody anything.
    said = original.args[0] if isinstance(original, SQLAlchemyError) else original
    return " ".join(str(said).split())
