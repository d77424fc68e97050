"""The seam between the store and the kinds of database that it can be in."""

from __future__ import annotations

from collections.abc import Mapping
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Engine

_DECODER = JSONDecoder()


def read_json(text: str) -> Any:
    """Read what stands in a column of JSON.

    `json.loads` looks for white space before and after, which a long list of runs has to wait for.

    Raises:
        JSONDecodeError: It is no JSON.
    """
    value, end = _DECODER.raw_decode(text)
    if end != len(text):
        raise JSONDecodeError("more than one value", text, end)
    return value


FileIdentity = tuple[int, int]
"""Device and number of a file: another file of its name has others."""


class Reason(NamedTuple):
    """Why a database refused, in one line; what can be done, if anybody knows; what is kept."""

    text: str
    advice: str = ""
    kept: str = "nothing that was written is lost"


class ThreadLock(Protocol):
    """The lock of one thread, not yet taken; it goes with the process, however that ends."""

    def take(self) -> bool:
        """Take it if it is free; never wait."""
        ...

    def release(self) -> bool:
        """Give it back, if it was taken; False where it had been lost before."""
        ...

    def is_held(self) -> bool:
        """Tell whether anybody holds it."""
        ...


class Backend(Protocol):
    """What differs between databases. An engine's transactions write unless options say more.

    A transaction that writes keeps all others from writing from its first moment on: what it
    reads stays true until it writes.
    """

    @property
    def folder(self) -> Path | None:
        """The folder of the store's files; None where it is on a server."""
        ...

    @property
    def reading(self) -> Mapping[str, Any]:
        """Execution options of transactions that read one state of the store, and wait for none."""
        ...

    @property
    def alone(self) -> Mapping[str, Any]:
        """Execution options under which each statement is a transaction of its own."""
        ...

    def file(self) -> FileIdentity | None:
        """Return what tells the store's file from another one of its name; None for none."""
        ...

    def engine(self, *, must_exist: bool) -> Engine:
        """Return the way into the database; `must_exist` makes no file.

        Raises:
            StoreFailed: The database cannot be had.
        """
        ...

    def lock(self, engine: Engine, thread_id: str) -> ThreadLock:
        """Return the lock of a thread."""
        ...

    def reason(self, error: Exception) -> Reason:
        """Explain an error of SQLAlchemy."""
        ...
