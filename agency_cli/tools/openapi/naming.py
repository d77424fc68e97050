"""What models call operations, and which of them the manifest chooses."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.checks.tools import is_reserved
from agency_cli.tools.openapi.faults import Unusable

LONGEST_NAME: Final = 64
"""Characters, as providers count."""
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_-]+")


class Called(NamedTuple):
    """An operation, as its document calls it.

    Attributes:
        method: In capitals.
        path: With its `{parameters}`.
        operation_id: Empty where it has none, or shares it with another.
    """

    method: str
    path: str
    operation_id: str

    @property
    def route(self) -> str:
        """Method and path, which no two operations of a document share."""
        return f"{self.method} {self.path}"

    @property
    def shown(self) -> str:
        return self.operation_id or self.route


def public_names(operations: Iterable[Called], prefix: str) -> dict[str, str]:
    """Return the tools' names by the operations' routes; whichever are chosen, they stay.

    An operation's own id is its name, and without one its method and path are. Where characters
    had to be changed so that two would be the same, or the name is too long or one that flows
    give their tools, a hash of the route stands at its end.
    """
    plain = {each.route: _fit(each, prefix) for each in operations}
    count = Counter(plain.values())
    ids = {prefix + each.operation_id: each.route for each in operations if each.operation_id}
    return {
        route: name
        if _is_free(name) and (count[name] == 1 or ids.get(name) == route)
        else _marked(name, route)
        for route, name in plain.items()
    }


def chosen(operations: Sequence[Called], patterns: Sequence[str] | None) -> list[Called]:
    """Return the operations that patterns choose, in the document's order; without any, all.

    Raises:
        Unusable: A pattern chooses none.
    """
    if patterns is None:
        return list(operations)
    taken: set[str] = set()
    for position, pattern in enumerate(patterns):
        found = [each.route for each in operations if matches(pattern, each)]
        if not found:
            near = did_you_mean(pattern, _all_names(operations))
            what = (
                f"no operation matches {pattern!r}{near}; the document"
                f" has: {listed(each.shown for each in operations)}"
            )
            place = ("operations", position)
            raise Unusable(what, code="unknown-operation", place=place)
        taken.update(found)
    return [each for each in operations if each.route in taken]


def matches(pattern: str, operation: Called) -> bool:
    """Say whether a pattern, of an operation's id or of `METHOD /path`, means an operation."""
    if " " in pattern.strip():
        method, _, path = pattern.strip().partition(" ")
        return _like(method.upper(), operation.method) and _like(path.strip(), operation.path)
    return bool(operation.operation_id) and _like(pattern.strip(), operation.operation_id)


def is_exact(pattern: str) -> bool:
    """Say whether a pattern names one operation."""
    return "*" not in pattern and "?" not in pattern


def _all_names(operations: Iterable[Called]) -> list[str]:
    return [name for each in operations for name in (each.operation_id, each.route) if name]


def _like(pattern: str, text: str) -> bool:
    # As in rules of approval, `*` and `?` alone are special.
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def _fit(operation: Called, prefix: str) -> str:
    named = operation.operation_id or f"{operation.method.lower()} {operation.path}"
    return prefix + (_FOREIGN.sub("_", named).strip("_") or "operation")


def _is_free(name: str) -> bool:
    return len(name) <= LONGEST_NAME and not is_reserved(name)


def _marked(name: str, route: str) -> str:
    mark = "_" + hashlib.sha256(route.encode(errors="surrogatepass")).hexdigest()[:8]
    if is_reserved(name):
        name = f"op_{name}"
    return name[: LONGEST_NAME - len(mark)].rstrip("_-") + mark
